"""What the benchmarks' scripts share: output, and a test for a CUDA device."""
import ctypes


def say(text=""):
    print(text, flush=True)


def has_cuda():
    """Whether the CUDA driver is installed and finds a device."""
    try:
        driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
        return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
    except OSError:
        return False
