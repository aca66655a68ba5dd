"""The processes that run the corpus's peers: Sinter's program and worker.py, one peer each."""
import json
import queue
import subprocess
import sys
import threading

from present import say
import table

LOAD_TIMEOUT = 30


class Process:
    """A peer: JSON commands in, JSON lines out. One that exits or hangs is restarted for the next case."""

    def __init__(self, name, command, environment):
        self.name, self.command, self.environment = name, command, environment
        self.process = None
        self.description = self.ask(None, 120).get("device")

    def start(self):
        self.process = subprocess.Popen(self.command, cwd=table.HERE, env=self.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()

        def read(process, lines):
            for line in process.stdout:
                lines.put(line)
            lines.put(None)
        threading.Thread(target=read, args=(self.process, self.lines), daemon=True).start()

    def ask(self, command, timeout=LOAD_TIMEOUT):
        """The answer to a command, or the failure as {"error": ...}."""
        try:
            if self.process is None:
                self.start()
                if command is not None:
                    self.lines.get(timeout=120)  # its description
            if command is not None:
                self.process.stdin.write(self.text(command) + "\n")
                self.process.stdin.flush()
            line = self.lines.get(timeout=timeout)
            if line is not None:
                return json.loads(line)
            problem = "it ended"
        except queue.Empty:
            problem = "out of time"
        except OSError as failure:
            problem = str(failure)
        self.stop()
        return {"error": problem}

    def text(self, command):
        return json.dumps(command)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


class Program(Process):
    """Sinter's program, whose commands are plain words. With `cases` it is the one that takes programs as text."""

    def __init__(self, name, command, environment, cases=None):
        self.cases = cases
        super().__init__(name, command, environment)

    def text(self, command):
        if "load" in command:
            case = self.cases[command["load"]].as_text(command["size"]) if self.cases else command["load"]
            return f"load {command['sets']} {case}" + ("" if self.cases else f" {command['extents']}")
        return f"time {command['time']}" if "time" in command else "drop"


def worker(peer, options):
    """The command that runs a peer."""
    rows = ["--rows", str(options.rows.resolve())] if options.rows else []
    return [sys.executable, str(table.HERE / "worker.py"), peer, "--device", options.device, *rows]


def start_peers(names, options, environment):
    """The available peers; prints the names of the others."""
    peers = []
    for name in names:
        if name == "sinter":
            program = options.build / "bench" / "corpus" / ("expressions" if options.rows else "corpus")
            if not program.exists():
                sys.exit(f"{program} is not built: ./dev bench corpus builds it")
            texts = {c.name: c for c in table.load(rows=options.rows)} if options.rows else None
            peer = Program(name, [str(program.resolve())], environment, texts)
        else:
            peer = Process(name, worker(name, options), environment)
        if peer.description:
            say(f"{name}: {peer.description}")
            peers.append(peer)
        else:
            say(f"{name}: skipped: it is not here")
    return peers
