"""Two hosts, simulated by network namespaces with a cable between them: processes of both are one mesh. Exits with 77
where namespaces cannot be made.

    namespaces_test.py MPIRUN PROGRAM...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
HOSTS = ["10.213.7.1", "10.213.7.2"]


def ip(*words):
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_hosts(names):
    """Whether the namespaces could be made, each with an end of the cable."""
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", names[0], "type", "veth", "peer", "name", names[1])
        for name, address in zip(names, HOSTS):
            ip("link", "set", name, "netns", name)
            ip("-n", name, "address", "add", address + "/24", "dev", name)
            ip("-n", name, "link", "set", name, "up")
            ip("-n", name, "link", "set", "lo", "up")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def main():
    launcher, command = sys.argv[1], sys.argv[2:]
    names = [f"sinter{os.getpid()}{end}" for end in "ab"]
    try:
        if not make_hosts(names):
            print("skipped: network namespaces cannot be made here")
            return SKIPPED
        with tempfile.TemporaryDirectory() as folder:
            # What the launcher takes for ssh: runs a command on the host that it names.
            shell = pathlib.Path(folder) / "shell"
            cases = "\n".join(f'{address}) name={name} ;;' for address, name in zip(HOSTS, names))
            shell.write_text(f'#!/bin/sh\nwhile [ "${{1#-}}" != "$1" ]; do shift; done\n'
                             f'case $1 in\n{cases}\nesac\nshift\nexec ip netns exec "$name" sh -c "$*"\n')
            shell.chmod(0o755)
            # No memory is shared between hosts: messages go over the cable alone.
            alone = dict(os.environ, UCX_TLS="tcp,self", MPIR_CVAR_NOLOCAL="1")
            done = subprocess.run(["ip", "netns", "exec", names[0], launcher, "-launcher", "ssh", "-launcher-exec",
                                   shell, "-hosts", ",".join(HOSTS), "-n", "4", *command],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, env=alone)
            sent = subprocess.run(["ip", "-n", names[0], "-s", "link", "show", names[0]], text=True,
                                  stdout=subprocess.PIPE, check=True).stdout
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)
    print(done.stdout, sent)
    lines = sent.splitlines()
    carried = int(lines[lines.index(next(line for line in lines if "TX:" in line)) + 1].split()[0])
    return done.returncode or (0 if carried > 10000 else 1)


if __name__ == "__main__":
    sys.exit(main())
