#!/usr/bin/env python3
"""The playground as the network sees it, well and badly: serve_test.py SINTER_EXPLAIN"""
import re
import socket
import subprocess
import sys
import time
import unittest
import urllib.parse

from serving import playground

PROGRAM = sys.argv[1]


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = playground(PROGRAM)
        cls.port = cls.running.__enter__()
        cls.addClassCleanup(cls.running.__exit__, None, None, None)

    def sent(self, raw, close=False):
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as s:
            s.sendall(raw)
            if close:
                s.shutdown(socket.SHUT_WR)
            back = b""
            while piece := s.recv(65536):
                back += piece
        return back.decode("utf-8")

    def asked(self, target, method="GET", host=None, more=""):
        """(status, headers, text)."""
        host = host or f"127.0.0.1:{self.port}"
        raw = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"
        head, _, text = self.sent(raw.encode()).partition("\r\n\r\n")
        return int(head.split()[1]), head, text

    def explained(self, expression, operands="", arch=""):
        return self.asked("/?" + urllib.parse.urlencode({"e": expression, "o": operands, "arch": arch}))

    def test_the_form(self):
        status, head, text = self.asked("/")
        self.assertEqual(status, 200)
        self.assertIn("<form", text)
        self.assertIn("Content-Security-Policy: default-src 'none';", head)
        for address in re.findall(r'href="(/\?[^"]+)"', text):  # the examples are right
            self.assertEqual(self.asked(address.replace("&amp;", "&"))[0], 200, address)

    def test_an_explanation(self):
        status, _, text = self.explained("softmax(x, axis=1)", "x:f32[8192,4096]", "sm_80")
        self.assertEqual(status, 200)
        for part in ("A100", "__global__", "The whole expression is one kernel", 'id="unfused"', 'id="roofline"',
                     'id="passes"', 'value="softmax(x, axis=1)"', '<option value="sm_80" selected>'):
            self.assertIn(part, text)

    def test_a_mistake_is_shown_where_it_is(self):
        status, _, text = self.explained("squrt(x)", "x:f32[4]")
        self.assertEqual(status, 422)
        self.assertIn("did you mean 'sqrt'?\n  squrt(x)\n  ^~~~~", text)
        self.assertEqual(self.explained("x", "x:f32[4]", "sm_33")[0], 422)

    def test_what_is_asked_stays_text(self):
        for hostile in ('"><script>alert(1)</script>', "'&quot;<img src=x onerror=alert(1)>",
                        "x\0y\r\nSet-Cookie: a=b"):
            for fields in ((hostile, "x:f32[4]", ""), ("x", hostile, ""), ("x", "x:f32[4]", hostile)):
                status, head, text = self.explained(*fields)
                self.assertEqual(status, 422)
                self.assertNotRegex(text, r"<(?:script|img)|[^ ]onerror=\S*\"")
                self.assertNotIn("Set-Cookie", head)

    def test_who_else_asks_gets_nothing(self):
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", f"127.0.0.1:{self.port + 1}",
                     f"127.0.0.1.evil.example:{self.port}"):
            status, _, text = self.asked("/", host=host)
            self.assertEqual((status, "<form" in text), (421, False), host)
        self.assertEqual(self.asked("/", host=f"localhost:{self.port}")[0], 200)
        self.assertIn(" 421 ", self.sent(b"GET / HTTP/1.0\r\n\r\n"))  # no name at all
        others = [a[4][0] for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
        for address in set(others) - {"127.0.0.1", "127.0.1.1"}:
            with self.assertRaises(OSError):
                socket.create_connection((address, self.port), timeout=2).close()

    def test_other_requests(self):
        self.assertEqual(self.asked("/", "HEAD")[::2], (200, ""))
        self.assertEqual(self.asked("/etc/passwd")[0], 404)
        self.assertEqual(self.asked("/../../etc/passwd")[0], 404)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
            self.assertEqual(self.asked("/", method)[0], 405, method)
        self.assertIn(self.asked("/", "POST", more="Content-Length: 1000000000000\r\n")[0], (400, 413))
        for query in ("e=%zz", "e=%4", "e=%", "e", "e=x&e=y", "nobody=1", "=", "&"):
            self.assertEqual(self.asked(f"/?{query}")[0], 400, query)

    def test_what_is_no_request(self):
        for raw in (b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00" + b"\xff" * 600, b"GET / HTTP/9.9\r\n\r\n",
                    b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000):
            try:
                back = self.sent(raw, close=True)
            except OSError:
                back = ""  # closed before all was read, or before our end was
            self.assertRegex(back, r"^(?:HTTP/1.1 4\d\d .*)?", raw[:20])
            self.assertNotIn("<form", back)
        self.assertEqual(self.asked("/")[0], 200)

    def test_bombs(self):
        for bomb in ("(" * 7000, "-" * 9000, "+".join(["x"] * 4000), "x" * 9000,
                     "flip(" * 1500 + "x" + ", axis=0)" * 1500):
            self.assertIn(self.explained(bomb, "x:f32[4]")[0], (422, 431))
        self.assertEqual(self.asked("/")[0], 200)

    def test_one_that_never_ends_keeps_nobody_waiting(self):
        with socket.create_connection(("127.0.0.1", self.port)) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
            self.assertEqual(self.asked("/")[0], 200)
            slow.settimeout(30)
            self.assertEqual(slow.recv(100), b"")  # after ten seconds it is closed

    def test_many_at_once(self):
        idle = [socket.create_connection(("127.0.0.1", self.port), timeout=30) for _ in range(200)]
        for s in idle:
            s.close()
        for _ in range(100):  # it turns new ones away until it has seen that the others are gone
            try:
                self.assertEqual(self.asked("/")[0], 200)
                return
            except (OSError, IndexError):
                time.sleep(0.1)
        self.fail("no answer in ten seconds")


class Ports(unittest.TestCase):
    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            result = subprocess.run([PROGRAM, "--serve", str(port)], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, rf"^sinter-explain: --serve {port}: .*in use; choose another port, or 0 .*\n$")

    def test_no_port(self):
        for port in ("65536", "-2", "http"):
            result = subprocess.run([PROGRAM, "--serve", port], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 2, port)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
