"""Conditionals: branches of which one runs."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe import _native
from troupe._src.control_flow.effects import (
    after_effects,
    begin_effects,
    effects_before,
    end_effects,
    ordered,
)
from troupe._src.control_flow.structure import (
    check_same,
    check_variants,
    flatten,
    is_boxed,
    is_nested,
    leaf_of,
    pack_as,
    tensors_of,
)
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.ops.array_ops import identity
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.types import dtypes


def cond(
    pred: TensorLike,
    true_fn: Optional[Callable[[], Any]] = None,
    false_fn: Optional[Callable[[], Any]] = None,
    strict: bool = False,
    name: Optional[str] = None,
    fn1: Optional[Callable[[], Any]] = None,
    fn2: Optional[Callable[[], Any]] = None,
) -> Any:
    """What `true_fn` gives if `pred` is true, else what `false_fn` gives.

    Both functions are called at once, and add the nodes of their branches; only the nodes of one of
    them run.

    Args:
        pred: A bool scalar.
        true_fn: A function without arguments, which gives nested tensors.
        false_fn: Another one, which gives the same structure, of tensors of the same dtypes.
        strict: Keeps a list or tuple of one element, which is otherwise that element.
        fn1: The older name of `true_fn`.
        fn2: The older name of `false_fn`.

    Returns:
        The structure of a branch; each tensor has the shape that both branches have in common.

    Raises:
        TypeError: `pred` is a bool of Python, or a function is missing or cannot be called.
        ValueError: The branches give other structures or dtypes.
    """
    true_fn = _renamed(true_fn, fn1, "true_fn", "fn1")
    false_fn = _renamed(false_fn, fn2, "false_fn", "fn2")
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool")
    graph = get_default_graph()
    with graph.name_scope(name or "cond"):
        predicate = convert_to_tensor(pred)
        with graph._lock:
            graph._check_not_finalized()
            graph._use_context()
            builder = graph._builder_for("Switch", "cond")
            native = _native.Conditional(builder, predicate._value())
        before = effects_before(graph)
        results = {
            branch: _add_branch(graph, native, builder, branch, function, strict, before)
            for branch, function in ((True, true_fn), (False, false_fn))
        }
        _check_alike(results[True], results[False])
        with graph._lock:
            merged: List[Any] = [graph._of_value(value) for value in native.merge(builder)]
        if ordered(graph):
            after_effects(graph, merged[-1])
        for tensor, one, other in zip(merged, _tensors(results[True]), _tensors(results[False])):
            # Also what only Python knows, by set_shape.
            tensor.set_shape(one.shape.most_specific_compatible_shape(other.shape))
        return _packed(results[True], merged)


def _renamed(function: Any, older: Any, name: str, older_name: str) -> Any:
    if older is not None:
        if function is not None:
            raise TypeError(f"cond(): {name} and {older_name} may not be set simultaneously.")
        function = older
    if function is None:
        raise TypeError(f"cond(): {name} argument required")
    if not callable(function):
        raise TypeError(f"{name} must be callable.")
    return function


def _add_branch(
    graph: Graph, native: Any, builder: Any, branch: bool, function: Any, strict: bool,
    before: List[Operation],
) -> Any:  # fmt: skip
    """Adds the nodes of a branch; returns its leaves, in its structure."""
    with graph._lock:
        graph._use_context()
        context = native.begin(branch)
    with graph._changed(context=context, controls=()):
        pivot: Any = graph._of_value(native.pivot())
        begin_effects(graph, pivot, before)
        result = function()
        if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
            if not hasattr(result, "_fields"):
                result = result[0]
        leaves = [_to_leaf(leaf, pivot) for leaf in flatten(result)]
        tensors = [tensor for leaf in leaves for tensor in tensors_of(leaf)]
        if ordered(graph):
            tensors.append(end_effects(graph, pivot))
        with graph._lock:
            graph._use_context()
            native.end(builder, [tensor._value() for tensor in tensors])
    return pack_as(result, leaves)


def _tensors(result: Any) -> List[Any]:
    return [tensor for leaf in flatten(result) for tensor in tensors_of(leaf)]


def _to_leaf(value: Any, pivot: Any) -> Any:
    """A result of a branch; the value of what has none says that the branch has run."""
    if value is None:
        return pivot
    if isinstance(value, Operation):
        with value.graph.control_dependencies([value]):
            return identity(pivot)
    if len(tensors_of(value)) != 1 or is_boxed(value):
        return value
    return convert_to_tensor(value)


def _check_alike(one: Any, other: Any) -> None:
    check_same(one, other, "true_fn and false_fn")
    for first, second in zip(flatten(one), flatten(other)):
        if len(tensors_of(first)) != len(tensors_of(second)):
            raise ValueError("Outputs of true_fn and false_fn must have the same type")
        for a, b in zip(tensors_of(first), tensors_of(second)):
            if a.dtype != b.dtype:
                raise ValueError(
                    "Outputs of true_fn and false_fn must have the same type: "
                    f"{a.dtype.name}, {b.dtype.name}"
                )
    check_variants(one, other, "Outputs of true_fn and false_fn")


def _packed(structure: Any, tensors: List[Any]) -> Any:
    rest = iter(tensors)
    packed = pack_as(structure, [leaf_of(leaf, rest) for leaf in flatten(structure)])
    return packed if is_nested(structure) else flatten(packed)[0]


def case(
    pred_fn_pairs: Any,
    default: Optional[Callable[[], Any]] = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function beside the first predicate that is true gives, else what `default` does.

    Args:
        pred_fn_pairs: Pairs of a bool scalar and a function without arguments, or a dict of them.
        default: A function without arguments; without one, a step in which no predicate is true
            fails.
        exclusive: A step in which several predicates are true fails.
        strict: Keeps a list or tuple of one element, which is otherwise that element.

    Returns:
        The structure that the functions give.

    Raises:
        TypeError: The pairs are no list or dict of pairs, a predicate is no bool, or something is
            no function.
        ValueError: There are no pairs, or the functions give other structures or dtypes.
    """
    pairs = checked_pairs(pred_fn_pairs, exclusive)
    if default is not None and not callable(default):
        raise TypeError("default must be callable.")
    with get_default_graph().name_scope(name):
        predicates = [predicate for predicate, _ in pairs]
        checks = [check_exclusive(predicates)] if exclusive else []
        functions = [function for _, function in pairs]
        if default is None:
            checks.append(check_any(predicates))
            predicates, default = predicates[:-1], functions.pop()
        with get_default_graph().control_dependencies(checks):
            chosen = default
            for predicate, function in reversed(list(zip(predicates, functions))):
                chosen = _choice(identity(predicate), function, chosen, strict)
            return chosen()


def _choice(predicate: Any, function: Any, otherwise: Any, strict: bool) -> Callable[[], Any]:
    return lambda: cond(predicate, function, otherwise, strict=strict)


def checked_pairs(
    given: Any, exclusive: bool, keeps_values: bool = False
) -> List[Tuple[Any, Callable[[], Any]]]:
    """The pairs of `case`, with tensors for predicates, or with what they are if that is kept."""
    if isinstance(given, dict):
        if not exclusive and len(given) > 1 and type(given) is dict:
            given = dict(sorted(given.items(), key=lambda item: item[0].name))
        given = list(given.items())
    if not isinstance(given, (list, tuple)):
        raise TypeError("pred_fn_pairs must be a list, tuple, or dict")
    if not given:
        raise ValueError("case() needs at least one pair of a predicate and a function")
    for pair in given:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
        predicate, function = pair
        if isinstance(predicate, Tensor) and predicate.dtype != dtypes.bool_:
            raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate} must be callable.")
    if keeps_values:
        return list(given)
    return [(convert_to_tensor(predicate, dtypes.bool_), function) for predicate, function in given]


def _count_true(predicates: Sequence[Tensor]) -> Tensor:
    return math_ops.reduce_sum(math_ops.cast(raw_ops.Pack(values=predicates), dtypes.int32))


def check_exclusive(predicates: Sequence[Tensor]) -> Any:
    """Fails where several are true."""
    return raw_ops.Assert(
        condition=gen_ops.less(_count_true(predicates), 2),
        data=["More than one condition evaluated as True but exclusive=True.", *predicates],
    )


def check_any(predicates: Sequence[Tensor]) -> Any:
    """Fails where none is true."""
    return raw_ops.Assert(
        condition=gen_ops.greater(_count_true(predicates), 0),
        data=["None of the conditions evaluated as True.", *predicates],
    )


def switch_case(
    branch_index: TensorLike,
    branch_fns: Any,
    default: Optional[Callable[[], Any]] = None,
    name: str = "switch_case",
) -> Any:
    """What the function of a number gives.

    Args:
        branch_index: The number, an int32 scalar.
        branch_fns: Functions without arguments, pairs of a number and a function, or a dict of
            them.
        default: What is called for other numbers; by default the function of the greatest number.

    Returns:
        The structure that the functions give.

    Raises:
        TypeError: The number is no int32 tensor, or something is no function.
        ValueError: The numbers of functions are not those from 0 on.
    """
    functions = _numbered(branch_fns)
    with get_default_graph().name_scope(name or "switch_case"):
        if not is_tensor(branch_index):
            raise TypeError(f"branch_index must be a Tensor, got {type(branch_index)}")
        index = convert_to_tensor(branch_index)
        if index.dtype != dtypes.int32:
            raise TypeError(f"branch_index must be of type int32, not {index.dtype.name}")
        last = default or functions[max(functions)]
        pairs: List[Any] = [
            (gen_ops.equal(index, number), function) for number, function in functions.items()
        ]
        return case(pairs, default=last)


def _numbered(given: Any) -> Dict[int, Callable[[], Any]]:
    if isinstance(given, dict):
        given = sorted(given.items())
    if not isinstance(given, (list, tuple)):
        raise TypeError("branch_fns must be a list, tuple, or dict")
    if not given:
        raise ValueError("switch_case() needs at least one branch")
    if all(callable(item) for item in given):
        given = list(enumerate(given))
    functions: Dict[int, Callable[[], Any]] = {}
    for item in given:
        if not isinstance(item, tuple) or len(item) != 2 or not isinstance(item[0], int):
            raise TypeError("Each entry in branch_fns must be a function, or an int and a function")
        if not callable(item[1]):
            raise TypeError(f"branch_fns[{item[0]}] must be callable.")
        functions[item[0]] = item[1]
    if sorted(functions) != list(range(len(functions))):
        raise ValueError(f"branch indices must form contiguous range of [0 to {len(functions)})")
    return functions
