"""What the debugger tells of tensors and nodes, as lines of text."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

import numpy as np

from troupe._src.debugger.dump_dir import DebugDumpDir
from troupe._src.graph.elements import Operation

_SHOWN_ELEMENTS = 1000


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> List[str]:
    """Rows below heads, in columns as wide as the widest."""
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in (heads, *rows)]


def tensor_lines(name: str, array: Any, whole: bool = False) -> List[str]:
    """A tensor's name, dtype, shape and elements, the middle of which is left out if there are
    many."""
    array = np.asarray(array)
    threshold = array.size + 1 if whole else _SHOWN_ELEMENTS
    with np.printoptions(threshold=threshold, linewidth=100):
        elements = repr(array)
    head = [f'Tensor "{name}":', f"  dtype: {array.dtype}", f"  shape: {array.shape}", ""]
    return [*head, *elements.splitlines()]


def summary_lines(array: Any) -> List[str]:
    """How many elements there are of some kinds, and their least, greatest, mean and deviation."""
    array = np.asarray(array)
    if array.dtype.kind not in "biuf" or array.size == 0:
        return [f"No numeric summary of {array.size} elements of {array.dtype}."]
    numbers = array.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    counts = {
        "nan": np.isnan(numbers).sum(),
        "-inf": np.isneginf(numbers).sum(),
        "-": (finite < 0).sum(),
        "0": (finite == 0).sum(),
        "+": (finite > 0).sum(),
        "+inf": np.isposinf(numbers).sum(),
        "total": numbers.size,
    }
    lines = table(list(counts), [[str(count) for count in counts.values()]])
    if finite.size:
        values = {"min": finite.min(), "max": finite.max(), "mean": finite.mean()}
        values["std"] = finite.std()
        lines += table(list(values), [[f"{value:.8g}" for value in values.values()]])
    return lines


def node_lines(run: DebugDumpDir, op: Operation, attributes: bool, dumps: bool) -> List[str]:
    """A node with what it takes and gives."""
    lines = [f"Node {op.name}", "", f"  Op: {op.type}", f"  Device: {op.device or '(any)'}", ""]
    for what, names in (
        ("input(s)", run.node_inputs(op.name)),
        ("control input(s)", run.node_inputs(op.name, is_control=True)),
        ("recipient(s)", run.node_recipients(op.name)),
        ("control recipient(s)", run.node_recipients(op.name, is_control=True)),
    ):
        lines += [f"  {len(names)} {what}:", *(f"    {_typed(run, name)}" for name in names), ""]
    if attributes:
        lines += ["Node attributes:", *(f"  {each}" for each in str(op.node_def).splitlines()), ""]
    if dumps:
        keys = run.debug_watch_keys(op.name)
        lines += [f"{len(keys)} dumped tensor(s):", *(f"  {key}" for key in keys), ""]
    return lines


def traceback_lines(op: Operation) -> List[str]:
    """Where the program made a node."""
    lines = [f"Traceback of node {op.name}'s construction:"]
    for frame in op.traceback:
        lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}", f"    {frame.line or ''}"]
    return lines


def _typed(run: DebugDumpDir, name: str) -> str:
    return f"[{run.node_op_type(name.split(':')[0])}] {name}"


def tree_lines(
    run: DebugDumpDir,
    root: str,
    neighbours: Callable[[DebugDumpDir, str, bool], List[str]],
    depth: int,
    with_control: bool,
    with_types: bool,
) -> List[str]:
    """The nodes that are reached from one, each with its own below it once."""
    lines: List[str] = []
    seen: Set[str] = {root}

    def add(node: str, level: int) -> None:
        controls = neighbours(run, node, True) if with_control else []
        for mark, name in (
            *(("", each) for each in neighbours(run, node, False)),
            *(("(Ctrl) ", each) for each in controls),
        ):
            op_name = name.split(":")[0]
            shown = _typed(run, name) if with_types else name
            is_new = op_name not in seen
            seen.add(op_name)
            again = "" if is_new or not neighbours(run, op_name, False) else " ..."
            lines.append(f"{'|  ' * (level - 1)}|- ({level}) {mark}{shown}{again}")
            if is_new and level < depth:
                add(op_name, level + 1)

    add(root, 1)
    return lines or ["  [None]"]


def inputs_of(run: DebugDumpDir, node: str, is_control: bool) -> List[str]:
    """What a node takes, or waits for."""
    return run.node_inputs(node, is_control)


def recipients_of(run: DebugDumpDir, node: str, is_control: bool) -> List[str]:
    """What takes what a node gives, or waits for it."""
    return run.node_recipients(node, is_control)


def source_lines(
    ops: Sequence[Operation],
    path: str,
    begin: int,
    most: int,
    label: Callable[[Operation], Sequence[str]],
) -> List[str]:
    """A file of the program, with what was made by each of its lines below the line, `most` each.

    Raises:
        OSError: It cannot be read.
    """
    path = os.path.abspath(path)
    made: Dict[int, List[str]] = {}
    for op in ops:
        at = _line_in(op, path)
        if at is not None:
            made.setdefault(at, []).extend(label(op))
    lines = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if number >= begin:
                lines.append(f"L{number:<5} {line.rstrip()}")
                of_line = made.get(number, [])
                lines += [f"    {each}" for each in of_line[:most]]
                lines += [f"    (+{len(of_line) - most} more)"] if len(of_line) > most else []
    return lines


def _line_in(op: Operation, path: str) -> Optional[int]:
    """The innermost line of the file by which the program made a node."""
    for frame in reversed(op.traceback):
        if os.path.abspath(frame.filename) == path:
            return frame.lineno
    return None
