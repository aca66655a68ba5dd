"""Reports the corpus's results: means, a Markdown table, and a plot of time relative to the roofline."""
import json
import math
import pathlib
import sys

import table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
import plots

ARITHMETIC = 64.3e12  # float32 operations per second of one H200, measured by bench/peers/hand/ceilings.cu
TITLES = {"cuda": "one GPU", "host": "the host"}


def floor_ms(case, whole):
    """The minimum time on this machine: bytes at the ceiling for their mix of reads and writes, or arithmetic."""
    ceilings = whole["ceilings"]
    share = case["written"] / (case["read"] + case["written"])
    kind = "read" if share < 0.05 else "fill" if share > 0.95 and "fill" in ceilings else "copy"
    seconds = (case["read"] + case["written"]) / ceilings[kind]
    if whole["device"] == "cuda":
        seconds = max(seconds, case["operations"] / ARITHMETIC)
    return 1e3 * seconds


def ms(case, peer):
    """A peer's time, if its result is right."""
    result = case["results"].get(peer, {})
    return result.get("ms") if result.get("right", True) else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def others_of(whole):
    return [p for p in whole["peers"] if p != "sinter"]


def ratio(case, peers):
    """The minimum time of these peers relative to Sinter's."""
    times = [t for t in (ms(case, p) for p in peers) if t]
    ours = ms(case, "sinter")
    return min(times) / ours if times and ours else None


def summary(cases, whole, title):
    """Summary lines for some of the cases."""
    checked = [c["results"].get("sinter", {}).get("right") for c in cases]
    lines = [f"**{title}**: {len(cases)} cases; Sinter's result was right in {checked.count(True)}, wrong in "
             f"{checked.count(False)}, without a reference in {checked.count(None)}."]
    groups = [(p, [p]) for p in others_of(whole)]
    if len(groups) > 1:
        groups.append(("the best of them", others_of(whole)))
    for name, peers in groups:
        found = [r for r in (ratio(c, peers) for c in cases) if r]
        if found:
            lines.append(f"- {name} takes {geometric_mean(found):.2f} times Sinter's time (geometric mean of "
                         f"{len(found)}); below 0.97 in {sum(r < 0.97 for r in found)}, below 0.90 in "
                         f"{sum(r < 0.9 for r in found)}, worst {min(found):.2f}")
    for peer in others_of(whole) if whole["device"] == "host" else []:
        found = [c["results"][peer]["processor_ms"] / c["results"]["sinter"]["processor_ms"] for c in cases
                 if ms(c, peer) and ms(c, "sinter") and "processor_ms" in c["results"][peer]]
        if found:
            lines.append(f"- {peer}'s threads take {geometric_mean(found):.2f} times the processor time of Sinter's")
    shares = [floor_ms(c, whole) / ms(c, "sinter") for c in cases if ms(c, "sinter")]
    if shares:
        lines.append(f"- of the roofline: median {sorted(shares)[len(shares) // 2]:.0%}, at 90 % or above in "
                     f"{sum(s >= 0.9 for s in shares)} of {len(shares)}")
    predicted = [c["results"]["sinter"] for c in cases if c["results"].get("sinter", {}).get("predicted_ms")
                 and ms(c, "sinter")]
    if predicted and whole["device"] == "cuda":
        near = sum(abs(r["predicted_ms"] / r["ms"] - 1) <= 0.15 for r in predicted)
        lines.append(f"- explain's time is within 15 % in {near} of {len(predicted)}")
    return lines


def row(case, whole):
    ours = case["results"].get("sinter", {})
    floor = floor_ms(case, whole)
    least = case["read"] + case["written"]
    cells = [case["name"] + (" \\*" if case["held_out"] else ""),
             " ".join(f"{k}={v}" for k, v in case["extents"].items())]
    for peer in ["sinter", *others_of(whole)]:
        result = case["results"].get(peer, {})
        cells.append("wrong" if result.get("right") is False else f"{result['ms']:.4g}" if "ms" in result else "–")
    best = ratio(case, others_of(whole))
    cells += [f"{best:.2f}" if best else "–", f"{floor / ours['ms']:.0%}" if "ms" in ours else "–",
              str(ours.get("launches", "–"))]
    if whole["device"] == "cuda":
        cells += [f"{ours['predicted_bytes'] / least:.2f}" if "predicted_bytes" in ours else "–",
                  f"{ours['predicted_ms'] / ours['ms']:.2f}" if "ms" in ours and "predicted_ms" in ours else "–"]
    return "| " + " | ".join(cells) + " |"


def markdown(whole):
    cases = whole["cases"]
    held = [c for c in cases if c["held_out"]]
    lines = [f"# The corpus on {TITLES[whole['device']]}", "",
             "; ".join(f"{k}: {v}" for k, v in whole["peers"].items()) + ". Ceilings: "
             + ", ".join(f"{k} {v / 1e9:.0f} GB/s" for k, v in whole["ceilings"].items()) + ".", ""]
    fitted = [c for c in cases if not c["held_out"]]
    for title, part in (("All", cases), ("Held out (*)", held), ("The others", fitted)):
        lines += [*summary(part, whole, title), ""]
    lines += ["Milliseconds, medians of rounds in turns; every result was compared with a reference in double. *best*",
              "is the best peer's time over Sinter's, *roofline* the least time of the bytes and operations over",
              "Sinter's."]
    if whole["device"] == "cuda":
        lines += ["*bytes* is what explain says of the kernels over the least; *predicted* its time over what was",
                  "measured."]
    lines += [""]
    names = ["case", "extents", "sinter", *others_of(whole), "best", "roofline", "launches"]
    names += ["bytes", "predicted"] if whole["device"] == "cuda" else []
    for domain in sorted({c["domain"] for c in cases}):
        lines += [f"## {domain}", "", "| " + " | ".join(names) + " |", "| " + " | ".join(["---"] * len(names)) + " |"]
        lines += [row(c, whole) for c in cases if c["domain"] == domain] + [""]
    return "\n".join(lines)


def picture(whole, path):
    """One row per case with all peers' times, sorted by Sinter's time relative to the roofline."""
    rows = sorted((c for c in whole["cases"] if ms(c, "sinter")), key=lambda c: ms(c, "sinter") / floor_ms(c, whole))
    peers = ["sinter", *others_of(whole)]
    found = [ms(c, p) / floor_ms(c, whole) for c in rows for p in peers if ms(c, p)]
    if not found:
        return
    low, high = 0.5, min(64.0, max(2.0, *found))
    left, right, top, step = 270, 960, 92, 11
    d = plots.Drawing(1000, top + step * len(rows) + 60)
    x = plots.log_scale(low, high, left, right)
    d.text(20, 24, f"The corpus on {TITLES[whole['device']]}: time over the roofline", size=16)
    machine = whole["peers"].get("sinter") or ""
    d.text(20, 44, machine + "; ceilings: " + ", ".join(f"{k} {v / 1e9:.0f} GB/s" for k, v in whole["ceilings"].items())
           + (f", float32 {ARITHMETIC / 1e12:.0f} TFLOP/s" if whole["device"] == "cuda" else ""), size=11)
    plots.legend(d, peers, 20, 66)
    bottom = top + step * len(rows)
    for t in plots.ticks(low, high):
        d.line(x(t), top - 8, x(t), bottom, "#444" if t == 1 else "#ddd")
        d.text(x(t), bottom + 16, f"{t:g}", "middle", 11)
    d.text((left + right) / 2, bottom + 36,
           "time over the least time of its bytes and operations (1: at the ceiling); * held out", "middle")
    for i, case in enumerate(rows):
        y = top + step * (i + 0.5)
        d.text(left - 10, y + 3, case["name"] + (" *" if case["held_out"] else ""), "end", 9)
        for p in reversed(peers):
            if ms(case, p):
                over = ms(case, p) / floor_ms(case, whole)
                d.dot(x(min(max(over, low), high)), y, plots.COLOURS.get(p, "#000"),
                      f"{p}: {over:.2f}, {ms(case, p):.4g} ms")
    d.write(path)


def write(whole, folder, stem):
    """Writes the table and the plot beside the JSON; prints the means and the cases where a peer is faster."""
    text = markdown(whole)
    (folder / f"{stem}.md").write_text(text, encoding="utf-8")
    (folder / f"{stem}.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    picture(whole, folder / f"{stem}.svg")
    print(text.split("Milliseconds")[0])
    slow = sorted((c for c in whole["cases"] if (ratio(c, others_of(whole)) or 9) < 1),
                  key=lambda c: ratio(c, others_of(whole)))
    for c in slow:
        print(f"{ratio(c, others_of(whole)):.2f} {c['name']}: {c['results']['sinter'].get('launches')} launches, "
              f"{c['results']['sinter'].get('schedules')}")
