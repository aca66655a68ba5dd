"""Two hosts, simulated by network namespaces with a cable between them: processes of both are one mesh. Exits with 77
where namespaces cannot be made.

    namespaces_test.py MPIRUN_OF_OPEN_MPI PROGRAM...

Not with MPICH 4.0 and 4.1 over TCP, whose MPI_Finalize can wait for ever, of any program: its disconnection needs the
progress of processes that already wait in a barrier (https://github.com/pmodels/mpich/pull/6596, in 4.2).
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
NETWORK = "10.213.7.0/24"
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
            cable = ["pml", "ob1", "btl", "tcp,self", "oob_tcp_if_include", NETWORK, "btl_tcp_if_include", NETWORK,
                     "plm_rsh_agent", shell]
            options = [word for at in range(0, len(cable), 2) for word in ("--mca", cable[at], cable[at + 1])]
            done = subprocess.run(["ip", "netns", "exec", names[0], launcher, *options,
                                   "--host", ",".join(address + ":2" for address in HOSTS), "-n", "4", *command],
                                  text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=100)
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
