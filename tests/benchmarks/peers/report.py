"""The rows of a comparison as lines of a table, and as lines of JSON."""

import json

from comparison import SIDES, TENSORFLOW, TROUPE
from figures import text_of

NAMES = {TROUPE: "Troupe", TENSORFLOW: "TensorFlow"}
COLUMNS = "{:<20}{:<9}{:>10}  {:<16}{:>10}  {:<16}{:>7}{:>10}"


def spread_text(spread):
    return "-".join(map(text_of, spread)) if spread else ""


def table_head():
    """The first line of the table."""
    sides = [text for side in SIDES for text in (NAMES[side], "p10-p90")]
    return COLUMNS.format("workload", "unit", *sides, "ratio", "floor").rstrip()


def table_line(row):
    """The line of a row, with the reasons of failures behind its figures."""
    sides = []
    for side in SIDES:
        failed = side in row.errors
        sides += ["failed" if failed else text_of(row.value(side)), spread_text(row.spread(side))]
    workload = row.workload
    ends = [text_of(row.ratio), text_of(row.floor)]
    line = COLUMNS.format(workload.name, workload.unit, *sides, *ends)
    return line + "".join(f"  {NAMES[side]}: {error}" for side, error in row.errors.items())


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
