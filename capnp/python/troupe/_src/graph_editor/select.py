"""Chooses operations and tensors by their names, and by what is around them."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Optional, Pattern, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph_editor.elements import ControlOutputs, make_list_of_op, make_list_of_t
from troupe._src.graph_editor.trees import concatenate_unique

_TENSORS, _OPERATIONS = "(?#ts)", "(?#ops)"


def can_be_regex(obj: Any) -> bool:
    """Whether something is a regular expression, compiled or not.

    Args:
        obj: Any object.

    Returns:
        The answer.
    """
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj: Any) -> Pattern[str]:
    """A compiled regular expression.

    Args:
        obj: A text, or a compiled one.

    Returns:
        The expression.

    Raises:
        ValueError: It is something else.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj) if isinstance(obj, str) else obj


def get_input_ts(ops: Any) -> List[Tensor]:
    """What operations take, each tensor once."""
    return list(dict.fromkeys(tensor for op in make_list_of_op(ops) for tensor in op.inputs))


def get_output_ts(ops: Any) -> List[Tensor]:
    """What operations compute."""
    return [tensor for op in make_list_of_op(ops) for tensor in op.outputs]


def filter_ts(ops: Any, positive_filter: Any) -> List[Tensor]:
    """Tensors that operations take or compute.

    Args:
        ops: The operations.
        positive_filter: True for all, or a function of a tensor that says whether it is one.

    Returns:
        The tensors, each once.

    Raises:
        TypeError: There are other things than operations.
    """
    found = concatenate_unique(get_input_ts(ops), get_output_ts(ops))
    return found if positive_filter is True else [each for each in found if positive_filter(each)]


def filter_ts_from_regex(ops: Any, regex: Any) -> List[Tensor]:
    """Tensors that operations take or compute and whose name has a match.

    Args:
        ops: The operations.
        regex: A regular expression.

    Returns:
        The tensors, each once.

    Raises:
        TypeError: There are other things than operations.
    """
    pattern = make_regex(regex)
    return filter_ts(ops, lambda tensor: pattern.search(tensor.name))


def filter_ops(ops: Any, positive_filter: Any) -> List[Operation]:
    """Some of the operations.

    Args:
        ops: The operations.
        positive_filter: True for all, or a function of one that says whether it is one.

    Returns:
        The operations.

    Raises:
        TypeError: There are other things than operations.
    """
    found = make_list_of_op(ops)
    return found if positive_filter is True else [each for each in found if positive_filter(each)]


def filter_ops_from_regex(ops: Any, regex: Any) -> List[Operation]:
    """The operations whose name has a match.

    Args:
        ops: The operations.
        regex: A regular expression.

    Returns:
        The operations.

    Raises:
        TypeError: There are other things than operations.
    """
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> List[Operation]:
    """The operations in a scope.

    Args:
        ops: The operations.
        scope: The scope.

    Returns:
        The operations.

    Raises:
        TypeError: There are other things than operations.
    """
    return filter_ops_from_regex(ops, f"^{scope.removesuffix('/')}(/.*)?$")


def check_cios(
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> Tuple[bool, Optional[ControlOutputs]]:
    """Which control edges the arguments of a function mean.

    Args:
        control_inputs: Whether control inputs are meant.
        control_outputs: The control outputs that are meant.
        control_ios: Control outputs that are meant with all control inputs.

    Returns:
        Whether control inputs are meant, and the control outputs or None.

    Raises:
        TypeError: One of the arguments is none.
        ValueError: Both of them are given.
    """
    for given in (control_ios, control_outputs):
        if given is not None and not isinstance(given, ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError("control_outputs should be None when using control_ios.")
        control_inputs, control_outputs = True, control_ios
    return control_inputs, None if control_outputs is None else control_outputs.update()


def get_ops_ios(
    ops: Any,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[Operation]:
    """The operations beside some: whose outputs they take, or that take theirs.

    Args:
        ops: The operations.
        control_inputs: Whether those that they wait for are beside them, too.
        control_outputs: If given, so are those of these that wait for them.
        control_ios: If given, both are.

    Returns:
        The operations, each once.

    Raises:
        TypeError: There are other things than operations.
    """
    control_inputs, outputs = check_cios(control_inputs, control_outputs, control_ios)
    found: List[Operation] = []
    for op in make_list_of_op(ops):
        concatenate_unique(found, [tensor.op for tensor in op.inputs])
        for tensor in op.outputs:
            concatenate_unique(found, tensor.consumers())
        if outputs is not None:
            concatenate_unique(found, outputs.get(op))
        if control_inputs:
            concatenate_unique(found, op.control_inputs)
    return found


def compute_boundary_ts(ops: Any) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
    """The tensors around and between operations.

    Args:
        ops: The operations.

    Returns:
        (what they take of others, what they compute and others or none take, what they take of each
        other)

    Raises:
        TypeError: There are other things than operations.
    """
    listed = make_list_of_op(ops)
    inputs, outputs, own = get_input_ts(listed), get_output_ts(listed), set(listed)
    computed, taken = set(outputs), set(inputs)
    inside = [tensor for tensor in inputs if tensor in computed]
    outgoing = [
        tensor for tensor in outputs if tensor not in taken or set(tensor.consumers()) - own
    ]
    return [tensor for tensor in inputs if tensor not in computed], outgoing, inside


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[Operation]:
    """The operations that edges lead to without crossing others.

    Args:
        ops: Those among which there are some.
        seed_ops: Those where it begins.
        boundary_ops: Those that are not crossed.
        inclusive: Whether these are among the result.
        control_inputs: Whether control inputs lead on.
        control_outputs: If given, they lead on.
        control_ios: If given, both do.

    Returns:
        The operations.

    Raises:
        TypeError: There are other things than operations.
        ValueError: One is both where it begins and where it ends.
    """
    control_inputs, outputs = check_cios(control_inputs, control_outputs, control_ios)
    found = set(make_list_of_op(seed_ops, allow_graph=False))
    boundary = set(make_list_of_op(boundary_ops))
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    wave = set(found)
    while wave:
        beside = set(get_ops_ios(wave, control_inputs, outputs)) - found
        wave = beside - boundary
        found |= beside if inclusive else wave
    return [op for op in make_list_of_op(ops) if op in found]


def select_ops(*args: Any, **kwargs: Any) -> List[Operation]:
    """Operations, given as such or by their names.

    Args:
        *args: Regular expressions, of which those that begin with "(?#ts)" are left out;
            operations; or lists of these, in which tensors are left out.
        **kwargs: `graph`, whose operations the expressions are for; `positive_filter`, a function
            of an operation that says whether it is one; `restrict_ops_regex`, whether all
            expressions are left out but those that begin with "(?#ops)".

    Returns:
        The operations, each once.

    Raises:
        TypeError: The graph is none, or there are other things.
        ValueError: There is another keyword, or an expression without a graph.
    """
    options = _options(kwargs)
    other = _OPERATIONS if options["restrict_ops_regex"] else ""
    return _selected(
        args, options, (other, _TENSORS), filter_ops_from_regex,
        lambda given: make_list_of_op(given, ignore_ts=True),
    )  # fmt: skip


def select_ts(*args: Any, **kwargs: Any) -> List[Tensor]:
    """Tensors, given as such or by their names.

    Args:
        *args: Regular expressions, of which those that begin with "(?#ops)" are left out; tensors;
            or lists of these, in which operations are left out.
        **kwargs: `graph`, whose tensors the expressions are for; `positive_filter`, a function of a
            tensor that says whether it is one; `restrict_ts_regex`, whether all expressions are
            left out but those that begin with "(?#ts)".

    Returns:
        The tensors, each once.

    Raises:
        TypeError: The graph is none, or there are other things.
        ValueError: There is another keyword, or an expression without a graph.
    """
    options = _options(kwargs)
    other = _TENSORS if options["restrict_ts_regex"] else ""
    return _selected(
        args, options, (other, _OPERATIONS), filter_ts_from_regex,
        lambda given: make_list_of_t(given, ignore_ops=True),
    )  # fmt: skip


def select_ops_and_ts(*args: Any, **kwargs: Any) -> Tuple[List[Operation], List[Tensor]]:
    """Operations and tensors, given as such or by their names.

    Args:
        *args: Regular expressions, those for tensors with "(?#ts)" in front; operations and
            tensors; or lists of these.
        **kwargs: `graph` and `positive_filter`, as of `select_ops`.

    Returns:
        The operations and the tensors, each once.

    Raises:
        TypeError: The graph is none, or there are other things.
        ValueError: There is another keyword, or an expression without a graph.
    """
    ops = select_ops(*args, restrict_ops_regex=False, **kwargs)
    return ops, select_ts(*args, restrict_ts_regex=True, **kwargs)


def _options(given: Dict[str, Any]) -> Dict[str, Any]:
    options: Dict[str, Any] = {
        "graph": None, "positive_filter": None, "restrict_ops_regex": False,
        "restrict_ts_regex": False,
    }  # fmt: skip
    if unknown := set(given) - set(options):
        raise ValueError(f"Wrong keywords argument: {', '.join(sorted(unknown))}.")
    options.update(given)
    if options["graph"] is not None and not isinstance(options["graph"], Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(options['graph'])}")
    return options


def _selected(
    args: Sequence[Any],
    options: Dict[str, Any],
    marks: Tuple[str, str],
    by_name: Callable[[Any, Any], List[Any]],
    listed: Callable[[Any], List[Any]],
) -> List[Any]:
    """What the arguments choose; of expressions, those with the first mark and not the second."""
    found: List[Any] = []
    for each in args:
        if not can_be_regex(each):
            chosen = listed(each)
        elif options["graph"] is None:
            raise ValueError("Use the keyword argument 'graph' to use regex.")
        else:
            pattern = make_regex(each)
            if pattern.pattern.startswith(marks[1]) or not pattern.pattern.startswith(marks[0]):
                continue
            chosen = by_name(options["graph"], pattern)
        keeps = options["positive_filter"] or (lambda _: True)
        concatenate_unique(found, [element for element in chosen if keeps(element)])
    return found
