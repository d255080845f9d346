"""The rows of a comparison as lines of a table, and as lines of JSON."""

import json

from comparison import SIDES, TENSORFLOW, TROUPE
from figures import text_of

NAMES = {TROUPE: "Troupe", TENSORFLOW: "TensorFlow"}
NAME_WIDTH = 18  # at least
COLUMNS = "{:<9}{:>10}  {:<16}{:>10}  {:<16}{:>7}{:>10}"


def spread_text(spread):
    return "-".join(map(text_of, spread)) if spread else ""


def name_width(workloads):
    """That of the column of names, in a table of these workloads."""
    return max([NAME_WIDTH, *(len(workload.name) for workload in workloads)])


def table_head(width=NAME_WIDTH):
    """The first line of the table; `width` is that of the names."""
    sides = [text for side in SIDES for text in (NAMES[side], "p10-p90")]
    cells = COLUMNS.format("unit", *sides, "ratio", "floor").rstrip()
    return f"{'workload':<{width}}  {cells}"


def table_line(row, width=NAME_WIDTH):
    """The line of a row, with the first lines of failures behind its figures."""
    sides = []
    for side in SIDES:
        failed = side in row.errors
        sides += ["failed" if failed else text_of(row.value(side)), spread_text(row.spread(side))]
    workload = row.workload
    ends = [text_of(row.ratio), text_of(row.floor)]
    line = f"{workload.name:<{width}}  " + COLUMNS.format(workload.unit, *sides, *ends)
    for side, error in row.errors.items():
        line += f"  {NAMES[side]}: {error.partition(chr(10))[0]}"
    return line


def summary(rows, width):
    """How many rows Troupe is behind in, with their lines, the worst first; and what failed."""
    behind = [row for row in rows if row.ratio is not None and row.ratio < 1]
    behind.sort(key=lambda row: row.ratio)
    failed = [row for row in rows if row.errors]
    lines = [f"Slower than {NAMES[TENSORFLOW]}: {len(behind)} of {len(rows)}, the worst first"]
    lines += [table_line(row, width) for row in behind]
    if failed:
        lines += ["", f"Failed: {len(failed)}", *(table_line(row, width) for row in failed)]
    return "\n".join(lines)


def json_line(row):
    """The row as an object; what could not be measured is null, with its reason in `errors`."""
    record = {
        "name": row.workload.name,
        "unit": row.workload.unit,
        "troupe": _rounded(row.value(TROUPE)),
        "peers": {TENSORFLOW: _rounded(row.value(TENSORFLOW))},
        "floor": _rounded(row.floor),
        "ratio": _rounded(row.ratio),
    }
    if row.errors:
        record["errors"] = row.errors
    return json.dumps(record)


def _rounded(value):
    return None if value is None else float(f"{value:.5g}")
