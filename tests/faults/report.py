"""What ctest and GoogleTest say of failures, and the table of the faults that were caught."""
import re

MAX_NAMED = 2  # failed tests of one entry that are named in the table
HEADING = "| fault | planted in | caught by |\n| --- | --- | --- |\n"


def failures(output, log):
    """Of ctest's output and log: the entries that failed and, in brackets, what failed in them or how it ended."""
    failed = re.findall(r"^\s+\d+ - (\S+) \(([^)]+)\)", output.partition("tests FAILED:")[2], re.M)
    named = []
    for entry, how in failed:
        part = re.search(rf"Testing: {re.escape(entry)}\n.*?(?=\n\d+/\d+ Testing:|\Z)", log, re.S)
        tests = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", part[0] if part else "", re.M)
        tests = list(dict.fromkeys(tests))
        inside = ", ".join(tests[:MAX_NAMED])
        if len(tests) > MAX_NAMED:
            inside += f" and {len(tests) - MAX_NAMED} more"
        named.append(f"{entry} ({inside or how})")
    return "; ".join(named)


def tests_in(log):
    """How many of GoogleTest's tests a log of ctest is of; entries that are no such program count as one test."""
    ran = re.findall(r"^\[==========\] (?:(\d+) tests? from|Running)", log, re.M)
    return sum(int(n) for n in ran if n) if ran else log.count("Test Passed")


def table(faults, results):
    rows = [f"| {f.name} | {f.file} | {results.get(f.name, 'not planted yet')} |\n" for f in faults]
    return HEADING + "".join(rows)


def record(page, faults, results):
    """Renews the table of a page: the rows of the faults planted now, the others as they were."""
    text = page.read_text(encoding="utf-8")
    before, heading, rest = text.partition(HEADING)
    if not heading:
        raise SystemExit(f"{page} has no table to renew")
    rows = re.match(r"(?:\|.*\n)*", rest)[0]
    known = {cells[1].strip(): cells[3].strip() for cells in (row.split("|") for row in rows.splitlines())}
    known.update(results)
    page.write_text(before + table(faults, known) + rest[len(rows):], encoding="utf-8")
