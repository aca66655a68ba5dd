"""Compares the machine code of the golden kernels with that of another revision: what a change of the generator's text
means to a GPU. Needs NVRTC, no GPU.

    python3 tests/codegen/compare_machine_code.py HEAD~1 [sm_90]

Prints a line per kernel that differs: the bytes of its code, before and now.
"""
import ctypes
import ctypes.util
import pathlib
import struct
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).parent / "golden"


def load_nvrtc():
    for name in ("libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so", ctypes.util.find_library("nvrtc")):
        try:
            return ctypes.CDLL(name)
        except (OSError, TypeError):
            continue
    sys.exit("no NVRTC found: add its folder to LD_LIBRARY_PATH")


def read(nvrtc, program, size, content):
    """What a pair of NVRTC's functions gives: the size of a buffer, then the buffer."""
    bytes_needed = ctypes.c_size_t()
    getattr(nvrtc, size)(program, ctypes.byref(bytes_needed))
    buffer = ctypes.create_string_buffer(bytes_needed.value)
    getattr(nvrtc, content)(program, buffer)
    return buffer.raw


def compile_to_cubin(nvrtc, source, arch):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    options = (ctypes.c_char_p * 2)(f"--gpu-architecture={arch}".encode(), b"-default-device")
    if nvrtc.nvrtcCompileProgram(program, len(options), options) != 0:
        return None
    return read(nvrtc, program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")


def code_of(cubin):
    """The kernel's section of the ELF file; none where there is no file, since the architecture lacks what it uses."""
    if cubin is None:
        return None
    headers, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, headers + i * size) for i in range(count)]
    for section in sections:
        name = sections[names][4] + section[0]
        if cubin[name:].startswith(b".text."):
            return cubin[section[4]:section[4] + section[5]]
    sys.exit("a cubin has no code")


def main():
    revision, arch = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "sm_90"
    nvrtc = load_nvrtc()
    kernels = sorted(GOLDEN.glob("*.cu"))
    differing = 0
    for path in kernels:
        shown = subprocess.run(["git", "-C", GOLDEN, "show", f"{revision}:./{path.name}"], capture_output=True,
                               text=True)
        if shown.returncode != 0:
            print(f"{path.name}: not in {revision}")
            continue
        before, now = (code_of(compile_to_cubin(nvrtc, s, arch)) for s in (shown.stdout, path.read_text()))
        if (before is None) != (now is None):
            sys.exit(f"{path.name} compiles for {arch} in one of the two alone")
        if before != now:
            differing += 1
            print(f"{path.name}: {len(before)} bytes, now {len(now)}")
    print(f"{len(kernels)} kernels for {arch}, {differing} differ in machine code")


main()
