"""Profiles of a graph and its steps: trees by scopes, or lists by ops."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.message import Record
from troupe._src.profiler.float_ops import float_ops
from troupe._src.profiler.options import ProfileOptionBuilder
from troupe._src.set_module import set_module

_ROOT = "_TFProfRoot"
# What is selected -> the field with it, and its unit in reports.
_FIELDS = {
    "params": ("parameters", " params"),
    "float_ops": ("float_ops", " flops"),
    "micros": ("exec_micros", "us"),
    "occurrence": ("run_count", ""),
}


@set_module("troupe.profiler")
class GraphNodeProto(Record):
    """A node or scope: `name`, `float_ops`, `parameters`, `exec_micros`, `run_count`, the same with
    `total_` for all below it, and `children`."""


@set_module("troupe.profiler")
class MultiGraphNodeProto(Record):
    """All nodes of an op, as GraphNodeProto."""


class _Measured(NamedTuple):
    """What a node costs."""

    name: str
    kinds: List[str]  # its op, and what stands for variables
    parameters: int
    float_ops: int
    exec_micros: int
    run_count: int = 1


def profile(
    graph: Optional[Graph] = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Optional[Dict[str, Any]] = None,
) -> Any:
    """Counts parameters, floating-point operations and times, and prints them.

    As `tf.profiler.profile`. A number of operations is known where shapes are.

    Args:
        graph: The graph, by default the default one.
        run_meta: The RunMetadata of a step with a trace, for times.
        op_log: Has no effect.
        cmd: "scope" or "graph" for a tree by names; "op" for a list by ops.
        options: What is shown, made by `ProfileOptionBuilder`.

    Returns:
        A GraphNodeProto, or for "op" a MultiGraphNodeProto.

    Raises:
        ValueError: There is no such view or output.
    """
    chosen = options or ProfileOptionBuilder().build()
    if cmd not in ("scope", "graph", "op"):
        raise ValueError(f"cmd must be 'scope', 'graph' or 'op', not {cmd!r}")
    measured = [
        node
        for node in _measure(graph or get_default_graph(), run_meta)
        if _is_counted(node, chosen)
    ]
    root = _by_op(measured, chosen) if cmd == "op" else _by_scope(measured, chosen)
    _write(root, chosen)
    return root


@set_module("troupe.profiler")
class Profiler:
    """Profiles of the steps of a graph.

    Args:
        graph: The graph, by default the default one.
        op_log: Has no effect.
    """

    def __init__(self, graph: Optional[Graph] = None, op_log: Any = None) -> None:
        self._graph = graph or get_default_graph()
        self._steps: Dict[int, Any] = {}

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds a step.

        Args:
            step: Its number.
            run_meta: Its RunMetadata.
        """
        self._steps[step] = run_meta

    def _profile(self, cmd: str, options: Dict[str, Any]) -> Any:
        step = options.get("step", -1)
        metadata = self._steps.get(step) if step >= 0 else next(iter(self._steps.values()), None)
        return profile(self._graph, metadata, cmd=cmd, options=options)

    def profile_name_scope(self, options: Dict[str, Any]) -> Any:
        """A profile by scopes.

        Args:
            options: As of `profile`.

        Returns:
            A GraphNodeProto.
        """
        return self._profile("scope", options)

    def profile_graph(self, options: Dict[str, Any]) -> Any:
        """As `profile_name_scope`.

        Args:
            options: As of `profile`.

        Returns:
            A GraphNodeProto.
        """
        return self._profile("graph", options)

    def profile_operations(self, options: Dict[str, Any]) -> Any:
        """A profile by ops.

        Args:
            options: As of `profile`.

        Returns:
            A MultiGraphNodeProto.
        """
        return self._profile("op", options)


def _measure(graph: Graph, run_meta: Any) -> Iterable[_Measured]:
    micros = _times(run_meta)
    trained = {each.op.name for each in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
    for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
        name = variable.op.name
        kinds = ["_checkpoint_variables", variable.op.type]
        kinds += ["_trainable_variables"] if name in trained else []
        yield _Measured(name, kinds, variable.shape.num_elements() or 0, 0, micros.pop(name, 0))
    for op in graph.get_operations():
        yield _Measured(op.name, [op.type], 0, float_ops(op) or 0, micros.get(op.name, 0))


def _times(run_meta: Any) -> Dict[str, int]:
    """The microseconds of each node of a step."""
    found: Dict[str, int] = {}
    for device in [] if run_meta is None else run_meta.step_stats.dev_stats:
        for node in device.node_stats:
            took = int(node.all_end_rel_micros)
            found[node.node_name] = found.get(node.node_name, 0) + took
    return found


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(re.match(f"(?:{pattern})$", text) for pattern in patterns)


def _is_counted(node: _Measured, options: Dict[str, Any]) -> bool:
    costs = (node.float_ops, node.exec_micros, node.parameters)
    least = (options["min_float_ops"], options["min_micros"], options["min_params"])
    hidden = options["hide_name_regexes"] + options["trim_name_regexes"]
    return (
        any(_matches(kind, options["account_type_regexes"]) for kind in node.kinds)
        and any(re.match(pattern, node.name) for pattern in options["start_name_regexes"])
        and _matches(node.name, options["show_name_regexes"])
        and not _matches(node.name, hidden)
        and all(cost >= minimum for cost, minimum in zip(costs, least))
        and (any(costs) or "occurrence" in options["select"])
    )


def _new(kind: Any, name: str) -> Any:
    numbers = {field: 0 for field, _ in _FIELDS.values()}
    totals = {f"total_{field}": 0 for field in numbers}
    return kind(name=name, children=[], **numbers, **totals)


def _add(record: Any, node: _Measured, prefixes: Sequence[str]) -> None:
    for field, _ in _FIELDS.values():
        for prefix in prefixes:
            name = prefix + field
            setattr(record, name, getattr(record, name) + getattr(node, field))


def _by_scope(measured: Sequence[_Measured], options: Dict[str, Any]) -> Any:
    root = _new(GraphNodeProto, _ROOT)
    known = {"": root}
    for node in measured:
        _add(root, node, ["total_"])
        parts = node.name.split("/")
        for depth in range(1, len(parts) + 1):
            path, above = "/".join(parts[:depth]), "/".join(parts[: depth - 1])
            if path not in known:
                known[path] = _new(GraphNodeProto, path)
                known[above].children.append(known[path])
            _add(known[path], node, ["total_"] if depth < len(parts) else ["", "total_"])
    for record in known.values():
        _sort(record, options)
    return root


def _by_op(measured: Sequence[_Measured], options: Dict[str, Any]) -> Any:
    root = _new(MultiGraphNodeProto, _ROOT)
    known: Dict[str, Any] = {}
    for node in measured:
        kind = node.kinds[-1]
        if kind not in known:
            known[kind] = _new(MultiGraphNodeProto, kind)
        _add(known[kind], node, ["", "total_"])
    root.children = [
        record for record in known.values() if record.run_count >= options["min_occurrence"]
    ]
    for record in root.children:
        for field, _ in _FIELDS.values():
            name = f"total_{field}"
            setattr(root, name, getattr(root, name) + getattr(record, name))
    _sort(root, options)
    return root


def _sort(record: Any, options: Dict[str, Any]) -> None:
    order = options["order_by"]
    if order in _FIELDS:
        field = f"total_{_FIELDS[order][0]}"
        record.children.sort(key=lambda child: (-getattr(child, field), child.name))
    else:
        record.children.sort(key=lambda child: str(child.name))


def _write(root: Any, options: Dict[str, Any]) -> None:
    kind, _, path = options["output"].partition(":outfile=")
    if kind == "none":
        return
    if kind not in ("stdout", "file"):
        raise ValueError(f"a profile is written to 'stdout', 'file' or 'none', not to {kind!r}")
    text = "\n".join(_lines(root, options)) + "\n"
    if kind == "stdout":
        print(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _lines(root: Any, options: Dict[str, Any]) -> Iterable[str]:
    selected = [each for each in options["select"] if each in _FIELDS]
    yield "node name | " + " | ".join(f"# {each}" for each in selected)
    yield from _lines_below(root, 0, selected, options["max_depth"])


def _lines_below(record: Any, depth: int, selected: List[str], most: int) -> Iterable[str]:
    numbers = []
    for each in selected:
        field, unit = _FIELDS[each]
        own, total = getattr(record, field), getattr(record, f"total_{field}")
        numbers.append(f"{_short(own) if own else '--'}/{_short(total)}{unit}")
    yield f"{'  ' * depth}{record.name} ({', '.join(numbers)})"
    if depth < most:
        for child in record.children:
            yield from _lines_below(child, depth + 1, selected, most)


def _short(number: int) -> str:
    for size, letter in ((10**9, "b"), (10**6, "m"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.2f}{letter}"
    return str(number)
