#!/usr/bin/env python3
"""Runs packaging/Dockerfile without Docker: each stage in a clean Debian that debootstrap makes, in a chroot. Then, as
a user would, the tool and a program that uses the package; prints the seconds of each step.

    container.py FOLDER [--package FILE.deb]

FOLDER is created; a file base.tar in it is taken for the clean Debian. With --package the first stage is not run: what
it would have made is that file. Exit status 77 where there is no debootstrap, or no root to run it.
"""
import argparse
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "packaging/Dockerfile"
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")


def step(title, *command, **options):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(f"{time.monotonic() - start:7.1f} s  {title}", flush=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}\nfailed ({done.returncode}): {' '.join(map(str, command))}")
    return done.stdout


def stages(text):
    """[(name, base, [(instruction, rest)])] of a Dockerfile."""
    found = []
    lines = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    for line in filter(str.strip, lines.splitlines()):
        word, rest = line.split(None, 1)
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found.append((name.strip() or "last", base.strip(), []))
        else:
            found[-1][2].append((word, " ".join(rest.split())))
    return found


class clean_root:
    """A Debian in a folder, in which commands run with their own mounts and processes."""

    def __init__(self, folder, base):
        self.folder, self.at = folder, "/"
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", base, "-C", folder], check=True)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")

    def run(self, title, command):
        inside = f"mount -t proc proc '{self.folder}/proc' && exec chroot '{self.folder}' /bin/sh -c \"$1\""
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                       "DEBIAN_FRONTEND": "noninteractive", "SINTER_DEVICE": "host"}
        environment |= {k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}
        return step(title, "unshare", "--mount", "--pid", "--fork", "sh", "-c", inside, "sh",
                    f"cd '{self.at}' && {command}", env=environment)

    def path(self, inside):
        return self.folder / inside.lstrip("/")

    def copy(self, files, inside):
        target = self.path(inside)
        (target if inside.endswith("/") else target.parent).mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(file, target)


def copy_checkout(root, inside):
    """The files under version control, as they are in this folder."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    target = root.path(inside)
    target.mkdir(parents=True)
    subprocess.run(f"tar -C '{ROOT}' --null -T - -cf - | tar -C '{target}' -xf -", shell=True, check=True, input=names)


def run_stage(name, instructions, root, built, package):
    """Carries out a stage's instructions; `built` has the roots of the stages before it."""
    for word, rest in instructions:
        if word == "RUN":
            root.run(f"{name}: RUN {rest[:60]}", rest)
        elif word == "COPY" and rest.startswith("--from="):
            source, pattern, target = re.match(r"--from=(\S+) (\S+) (\S+)", rest).groups()
            files = [package] if package else glob.glob(str(built[source].path(pattern)))
            if not files:
                sys.exit(f"the stage {source} has no {pattern}")
            root.copy(files, target)
        elif word == "COPY":
            copy_checkout(root, rest.split()[1])
        elif word == "WORKDIR":
            root.at = rest
            root.path(rest).mkdir(parents=True, exist_ok=True)


def use(root):
    """The command that the Dockerfile shows, and the program of the README."""
    shown = re.search(r"docker run --rm sinter (.*)", DOCKERFILE.read_text(encoding="utf-8"))[1]
    if "__global__" not in root.run(shown, shown):
        sys.exit("sinter-explain printed no kernel")
    consumer = ROOT / "tests/package/consumer"
    shutil.copytree(consumer, root.path(f"{root.at}/program"), dirs_exist_ok=True)
    root.run("a program: configure", "cmake -S program -B program/build -G Ninja -D CMAKE_BUILD_TYPE=Release")
    root.run("a program: build", "cmake --build program/build")
    printed = root.run("a program: run", "program/build/consumer")
    expected = re.sub(r"^== .*\n", "", (consumer / "output.txt").read_text(encoding="utf-8"))
    if printed != expected:
        sys.exit(f"the program printed\n{printed}and not\n{expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--package", type=pathlib.Path, help="in place of what the first stage makes")
    options = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("This needs debootstrap, and root to run it")
        sys.exit(77)
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / "base.tar"
    if not base.exists():
        step("a clean Debian", "debootstrap", "--variant=minbase", "bookworm", folder / "base", MIRROR)
        step("its archive", "tar", "-C", folder / "base", "-cf", base, ".")
        shutil.rmtree(folder / "base")
    start = time.monotonic()
    built = {}
    for name, image, instructions in stages(DOCKERFILE.read_text(encoding="utf-8")):
        if not image.startswith("debian:12"):
            sys.exit(f"{image} is not the Debian that this test makes")
        if options.package and name != "last":
            continue
        built[name] = clean_root(folder / name, base)
        run_stage(name, instructions, built[name], built, options.package)
    use(built["last"])
    print(f"{time.monotonic() - start:7.1f} s  from the clean Debian to the program's output")


if __name__ == "__main__":
    main()
