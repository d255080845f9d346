"""The report as a page of HTML, also well-formed XML, that needs no other file."""

import html

import figures
from comparison import SIDES
from figures import text_of
from report import NAMES, spread_text

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
  color: #1d2329; background: #fff; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .45rem .6rem; border-bottom: 1px solid #d8dee4; text-align: left;
  vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.note { color: #66707a; font-size: .85em; }
.failed { color: #b3261e; }
.troupe { fill: #1f6feb; } .tensorflow { fill: #e8883a; }
.spread { stroke: #1d2329; } .floor { stroke: #66707a; stroke-dasharray: 3 2; }
@media (prefers-color-scheme: dark) {
  body { color: #e3e8ed; background: #14181c; }
  th, td { border-color: #343b42; } .note { color: #97a1ab; } .failed { color: #ff8a80; }
  .spread { stroke: #e3e8ed; } .floor { stroke: #97a1ab; }
}
"""
WIDTH, BAR, GAP = 300, 14, 6
FLOORS = {
    "round_trip": "{} × a raw round trip over loopback TCP",
    "tcp_bandwidth": "raw loopback TCP",
    "memcpy": "memcpy in one thread",
    "dnnl": "oneDNN alone: {}",
}


def _line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}"/>'


def bars(row):
    """A bar for each side, its spread as a line, and the floor as a dashed one, to one scale."""
    spreads = [row.spread(side) for side in SIDES]
    shown = [row.value(side) for side in SIDES] + [row.floor]
    shown += [spread[1] for spread in spreads if spread]
    scale = WIDTH / max([value for value in shown if value], default=1)
    height = len(SIDES) * (BAR + GAP)
    parts = []
    for index, (side, spread) in enumerate(zip(SIDES, spreads)):
        top = index * (BAR + GAP) + GAP // 2
        if not spread:
            continue
        width = row.value(side) * scale
        parts.append(f'<rect class="{side}" x="0" y="{top}" width="{width:.1f}" height="{BAR}"/>')
        middle = top + BAR // 2
        parts.append(_line("spread", spread[0] * scale, middle, spread[1] * scale, middle))
    if row.floor:
        parts.append(_line("floor", row.floor * scale, 0, row.floor * scale, height))
    label = html.escape(f"{row.workload.name}: " + ", ".join(map(_figure, SIDES, [row] * 2)))
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    return f'<svg {size} role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _figure(side, row):
    return f"{NAMES[side]} {text_of(row.value(side))}"


def _side_cell(row, side):
    if side in row.errors:
        return f'<td class="failed">failed: {html.escape(row.errors[side])}</td>'
    spread = f'<br/><span class="note">{spread_text(row.spread(side))}</span>'
    return f'<td class="number">{text_of(row.value(side))}{spread}</td>'


def _floor_cell(row):
    if not row.workload.floor:
        return '<td class="number">-</td>'
    kind, argument = row.workload.floor
    what = FLOORS[kind].format(argument)
    return f'<td class="number" title="{what}">{text_of(row.floor)}</td>'


def _table_row(row):
    workload = row.workload
    direction = "more is better" if figures.is_rate(workload.unit) else "less is better"
    cells = [
        f"<td><strong>{html.escape(workload.name)}</strong><br/>"
        f'<span class="note">{html.escape(workload.what)}</span></td>',
        f'<td>{html.escape(workload.unit)}<br/><span class="note">{direction}</span></td>',
        *[_side_cell(row, side) for side in SIDES],
        f'<td class="number"><strong>{text_of(row.ratio)}</strong></td>',
        _floor_cell(row),
        f"<td>{bars(row)}</td>",
    ]
    return "<tr>" + "".join(cells) + "</tr>"


def page(rows, machine, versions, when):
    """The page; `versions` are texts by side."""
    heads = ["workload", "unit", *[NAMES[side] for side in SIDES], "ratio", "floor", ""]
    measured = ", ".join(f"{NAMES[side]} {versions.get(side) or 'unknown'}" for side in SIDES)
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"/><title>Troupe and TensorFlow</title><style>{STYLE}</style></head>
<body>
<h1>Troupe and TensorFlow</h1>
<p>{html.escape(measured)}<br/>{html.escape(machine)}<br/>{html.escape(when)}</p>
<p>Medians over all turns, of kernels and single ops the best tenth, with the 10th and the 90th
percentile below and as a line on the bar. The sides run in turns on the same machine. A ratio over
1 means that Troupe is ahead. The floor, dashed in the picture, is what the machine does without a
runtime.</p>
<table>
<thead><tr>{"".join(f"<th>{head}</th>" for head in heads)}</tr></thead>
<tbody>
{chr(10).join(map(_table_row, rows))}
</tbody>
</table>
</body>
</html>
"""
