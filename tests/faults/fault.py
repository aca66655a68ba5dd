"""What a planted fault is."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """Replaces `old`, which is in the file exactly once, by `new`.

    `tests` names the entries of ctest that must fail, the cheapest first, each maybe with a filter for GoogleTest:
    "codegen.passes" or "emulate.schedules:*splits*". Entries that run in parts count as one.
    """
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
