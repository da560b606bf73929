"""report.json, table.md and the printed table, worst first."""

import json
from pathlib import Path

ORDER = {"wrong": 0, "fail": 1, "void": 2, "unstable": 3, "open": 4, "absent": 5, "pass": 6, "none": 7}
HEADER = ("verdict", "row", "work", "size", "against", "result", "interval", "goal", "aim", "eff", "memory")


def _shortfall(record):
    """Measured over goal, so that the smallest is the worst; 1 where there is no goal."""
    goal = record.get("goal")
    if not goal:
        return record.get("ratio", 1.0)
    if "ratio" in record:
        return record["ratio"] / goal
    return goal / record["value"] if record.get("value") else 1.0


def worst_first(records):
    return sorted(records, key=lambda r: (ORDER[r["verdict"]], _shortfall(r)))


def _size(n):
    if n >= 1024 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return f"{n:g}" if n >= 10**5 else str(n)


def _number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def _cells(record):
    memory = ""
    if record.get("peak_brio") is not None and record.get("peak_peer", 0) and record["peak_peer"] > 2**20:
        memory = _number(record["peak_brio"] / record["peak_peer"])
    if "ratio" in record:
        result, interval = _number(record["ratio"]), f"{record['ratio_lo']:.2f}..{record['ratio_hi']:.2f}"
        goal = _number(record.get("goal"))
    elif "value" in record:
        unit = record["unit"]
        result = f"{record['value']:.1f} {unit}"
        interval = f"{record['value_lo']:.1f}..{record['value_hi']:.1f}"
        goal = "" if record.get("goal") is None else f"<= {record['goal']} {unit}"
    else:
        result, interval, goal = record.get("reason", ""), "", ""
    cells = [record["verdict"], record["id"], record["work"], _size(record["size"]), record["peer"]]
    return [*cells, result, interval, goal, _number(record.get("aim")), _number(record.get("eff")), memory]


def _shown(records):
    """Of the many harm records only those that fail and the worst that do not; the rest are counted."""
    harm = [r for r in records if r["id"].startswith("harm.")]
    kept = [r for r in harm if r["verdict"] != "pass"]
    kept += worst_first([r for r in harm if r["verdict"] == "pass"])[:3]
    return [r for r in records if not r["id"].startswith("harm.")] + kept, len(harm) - len(kept)


def table(records):
    """The table as lines of text."""
    shown, hidden = _shown(records)
    rows = [HEADER, *(_cells(record) for record in worst_first(shown))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    if hidden:
        lines.append(f"and {hidden} declined calls that pass, none worse than those shown")
    return lines


def summary(records):
    counts = {}
    for record in records:
        counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
    return ", ".join(f"{counts[name]} {name}" for name in ORDER if name in counts)


def write(records, environment, folder):
    """Writes report.json (everything) and table.md (what is printed) into `folder`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps({"env": environment, "rows": records}, indent=1))
    shown, hidden = _shown(records)
    lines = ["| " + " | ".join(HEADER) + " |", "|" + " --- |" * len(HEADER)]
    lines += ["| " + " | ".join(_cells(record)) + " |" for record in worst_first(shown)]
    if hidden:
        lines += ["", f"And {hidden} declined calls that pass."]
    (folder / "table.md").write_text("\n".join(lines) + "\n")


def regressions(records, earlier, allowed=0.9):
    """Records whose whole interval lies below `allowed` of the ratio of an earlier report."""
    before = {(r["id"], r["size"], r["peer"]): r["ratio"] for r in earlier["rows"] if "ratio" in r}
    found = []
    for record in records:
        old = before.get((record["id"], record["size"], record["peer"]))
        if old and "ratio" in record and record["ratio_hi"] < allowed * old:
            found.append(
                f"{record['id']} {record['size']} {record['peer']}: {record['ratio']:.2f} after {old:.2f}"
            )
    return found
