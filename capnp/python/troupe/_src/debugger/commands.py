"""The debugger's commands that look at a run: each takes words, and gives lines of text."""

from __future__ import annotations

import argparse
import collections
import re
from typing import Any, Callable, Dict, List, NoReturn, Sequence

import numpy as np

from troupe._src.debugger import texts
from troupe._src.debugger.datum import DebugTensorDatum
from troupe._src.debugger.dump_dir import DebugDumpDir
from troupe._src.debugger.watches import DEBUG_OP
from troupe._src.graph.elements import Operation

TensorFilter = Callable[[DebugTensorDatum, Any], Any]


class CommandError(Exception):
    """What is wrong with a command, for its user."""


class Parser(argparse.ArgumentParser):
    """Raises CommandError in the place of ending the program."""

    def __init__(self, name: str, help: str) -> None:
        super().__init__(prog=name, description=help, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}\n{self.format_usage().rstrip()}")


def list_tensors_parser() -> Parser:
    parser = Parser("list_tensors", "Lists the tensors of the run.")
    add = parser.add_argument
    add("-f", "--tensor_filter", metavar="FILTER", help="only those that a filter is true of")
    add("-fenn", "--filter_exclude_node_names", metavar="REGEX", help="the filter's exceptions")
    add("-n", "--node_name_filter", metavar="REGEX", help="only those of nodes of such names")
    add("-t", "--op_type_filter", metavar="REGEX", help="only those of nodes of such types")
    fields = ("timestamp", "dump_size", "op_type", "tensor_name")
    add("-s", "--sort_by", choices=fields, default="timestamp", help="the order of the list")
    add("-r", "--reverse", action="store_true", help="the other way round")
    return parser


def list_tensors(run: DebugDumpDir, filters: Dict[str, TensorFilter], given: Any) -> List[str]:
    data = run.dumped_tensor_data
    if given.tensor_filter is not None:
        wanted = filter_named(filters, given.tensor_filter)
        data = run.find(wanted, exclude_node_names=given.filter_exclude_node_names)
    if given.node_name_filter is not None:
        data = [d for d in data if re.match(given.node_name_filter, d.node_name)]
    if given.op_type_filter is not None:
        data = [d for d in data if re.match(given.op_type_filter, run.node_op_type(d.node_name))]
    keys: Dict[str, Callable[[DebugTensorDatum], Any]] = {
        "timestamp": lambda d: d.timestamp,
        "dump_size": lambda d: d.dump_size_bytes,
        "op_type": lambda d: run.node_op_type(d.node_name),
        "tensor_name": lambda d: d.tensor_name,
    }
    data = sorted(data, key=keys[given.sort_by], reverse=given.reverse)
    passing = f' passing filter "{given.tensor_filter}"' if given.tensor_filter else ""
    rows = [[str(d.dump_size_bytes), run.node_op_type(d.node_name), d.tensor_name] for d in data]
    head = f"{len(data)} dumped tensor(s){passing}:"
    return [head, "", *texts.table(("Size (B)", "Op type", "Tensor name"), rows)]


def filter_named(filters: Dict[str, TensorFilter], name: str) -> TensorFilter:
    """A tensor filter.

    Raises:
        CommandError: There is none of that name.
    """
    if name not in filters:
        known = ", ".join(sorted(filters))
        raise CommandError(f'There is no tensor filter named "{name}"; there are: {known}.')
    return filters[name]


def print_tensor_parser() -> Parser:
    parser = Parser("print_tensor", "Prints a tensor.")
    add = parser.add_argument
    add("tensor_name", help="NODE or NODE:OUTPUT, with [...] for a part of it")
    add("-a", "--all", action="store_true", help="all elements")
    add("-s", "--numeric_summary", action="store_true", help="with a summary of the elements")
    add("-w", "--write_path", metavar="FILE", help="write it to a file of NumPy, too")
    return parser


def print_tensor(run: DebugDumpDir, given: Any) -> List[str]:
    name, bracket, part = given.tensor_name.partition("[")
    array = tensor_named(run, name)
    if bracket:
        array = evaluate(f"tensor[{part}", {"tensor": array})
    lines = texts.tensor_lines(given.tensor_name, array, given.all)
    if given.numeric_summary:
        lines += ["", "Numeric summary:", *texts.summary_lines(array)]
    return lines + _written(array, given.write_path)


def tensor_named(run: DebugDumpDir, name: str) -> Any:
    """The value of a tensor of the run.

    Raises:
        CommandError: The run did not keep it.
    """
    node, _, slot = name.partition(":")
    data = run.watch_key_to_data(f"{node}:{slot or 0}:{DEBUG_OP}")
    if data:
        return data[-1].get_tensor()
    others = [key.rpartition(":")[0] for key in run.debug_watch_keys(node)]
    hint = f"; there are: {', '.join(others)}" if others else ""
    raise CommandError(f'The run has no dump of a tensor "{name}"{hint}.')


def evaluate(expression: str, names: Dict[str, Any]) -> Any:
    """The value of an expression of Python, which the program's user wrote.

    Raises:
        CommandError: It has none.
    """
    try:
        return eval(expression, {"np": np, "numpy": np, **names})
    except Exception as error:  # of whatever was written
        raise CommandError(f"{type(error).__name__}: {error}") from error


def _written(array: Any, path: Any) -> List[str]:
    if path is None:
        return []
    try:
        with open(path, "wb") as file:
            np.save(file, np.asarray(array))
    except OSError as error:
        raise CommandError(str(error)) from error
    return ["", f"Saved value to: {path}"]


def eval_parser() -> Parser:
    parser = Parser("eval", "Prints an expression of Python and NumPy, with `names` of tensors.")
    add = parser.add_argument
    add("expression", nargs="+", help='such as "np.mean(`hidden/Relu:0`, axis=0)"')
    add("-a", "--all", action="store_true", help="all elements")
    add("-w", "--write_path", metavar="FILE", help="write it to a file of NumPy, too")
    return parser


def eval_tensors(run: DebugDumpDir, given: Any) -> List[str]:
    expression = " ".join(given.expression)
    names: Dict[str, Any] = {}

    def named(match: "re.Match[str]") -> str:
        name = f"_tensor_{len(names)}"
        names[name] = tensor_named(run, match[1])
        return name

    array = evaluate(re.sub(r"`([^`]+)`", named, expression), names)
    lines = texts.tensor_lines(f"from eval of expression '{expression}'", array, given.all)
    return lines + _written(array, given.write_path)


def node_info_parser() -> Parser:
    parser = Parser("node_info", "Tells of a node.")
    add = parser.add_argument
    add("node_name", help="the node, or one of its outputs")
    add("-a", "--attributes", action="store_true", help="with its attributes")
    add("-d", "--dumps", action="store_true", help="with its tensors of the run")
    add("-t", "--traceback", action="store_true", help="with where the program made it")
    return parser


def node_info(run: DebugDumpDir, given: Any) -> List[str]:
    op = node_named(run, given.node_name)
    lines = texts.node_lines(run, op, given.attributes, given.dumps)
    return lines + (texts.traceback_lines(op) if given.traceback else [])


def node_named(run: DebugDumpDir, name: str) -> Operation:
    """A node of the graph, by its name or that of one of its outputs.

    Raises:
        CommandError: There is none.
    """
    try:
        return run.node(name.split(":")[0])
    except ValueError as error:
        raise CommandError(str(error)) from error


def tree_parser(name: str, of: str) -> Parser:
    parser = Parser(name, f"Lists the {of} of a node.")
    add = parser.add_argument
    add("node_name", help="the node, or one of its outputs")
    add("-c", "--control", action="store_true", help="with control edges")
    add("-d", "--depth", type=int, default=20, help="how far to go with -r (20)")
    add("-r", "--recursive", action="store_true", help="with those of theirs")
    add("-t", "--op_type", action="store_true", help="with types")
    return parser


def tree(run: DebugDumpDir, given: Any, of: str) -> List[str]:
    op = node_named(run, given.node_name)
    neighbours = texts.inputs_of if of == "inputs" else texts.recipients_of
    depth = given.depth if given.recursive else 1
    lines = texts.tree_lines(run, op.name, neighbours, depth, given.control, given.op_type)
    return [f"{of.capitalize()} of node {op.name} (depth limit {depth}):", *lines]


def print_source_parser() -> Parser:
    parser = Parser("print_source", "Prints a file of the program with the nodes that it made.")
    add = parser.add_argument
    add("source_file_path", help="the file")
    add("-t", "--tensors", action="store_true", help="tensors of the run in the place of nodes")
    add("-m", "--max_elements_per_line", type=int, default=10, help="how many a line (10)")
    add("-b", "--line_begin", type=int, default=1, help="the first line")
    return parser


def print_source(run: DebugDumpDir, ops: Sequence[Operation], given: Any) -> List[str]:
    def label(op: Operation) -> List[str]:
        if not given.tensors:
            return [op.name]
        return [key.rpartition(":")[0] for key in run.debug_watch_keys(op.name)]

    try:
        return texts.source_lines(
            ops, given.source_file_path, given.line_begin, given.max_elements_per_line, label
        )
    except OSError as error:
        raise CommandError(str(error)) from error


def list_source_parser() -> Parser:
    parser = Parser("list_source", "Lists the files of the program that made nodes.")
    add = parser.add_argument
    add("-p", "--path_filter", metavar="REGEX", help="only such files")
    add("-n", "--node_name_filter", metavar="REGEX", help="only of nodes of such names")
    return parser


def list_source(ops: Sequence[Operation], given: Any) -> List[str]:
    counts: collections.Counter[str] = collections.Counter()
    for op in ops:
        if given.node_name_filter is None or re.match(given.node_name_filter, op.name):
            counts.update({frame.filename for frame in op.traceback})
    wanted = re.compile(given.path_filter or "")
    rows = [[path, str(count)] for path, count in sorted(counts.items()) if wanted.search(path)]
    return texts.table(("Source file path", "#(nodes)"), rows)
