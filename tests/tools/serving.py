"""A playground that runs while a test does."""
import contextlib
import re
import subprocess


@contextlib.contextmanager
def playground(program):
    """The port of `program --serve 0`."""
    process = subprocess.Popen([program, "--serve", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        address = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", line)
        assert address, line + process.stderr.read()
        yield int(address[1])
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()
        process.stderr.close()
