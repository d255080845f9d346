"""Symbolic gradients."""

from __future__ import annotations

import enum
import functools
from typing import Any, Callable, List, Optional

from troupe import _native
from troupe._src.control_flow.functional import map_fn
from troupe._src.graph.elements import Tensor
from troupe._src.graph.gradient_functions import find_gradient_function
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import array_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import ones_like, zeros_like
from troupe._src.replicas.mirrored_variable import copies_meant
from troupe._src.replicas.reductions import summed
from troupe._src.set_module import set_module
from troupe._src.types import errors
from troupe._src.variables.variable import Variable

_CONTROL_FLOW = ("Enter", "Exit", "Merge", "NextIteration", "Switch")
_FOREIGN_CONTEXT = (
    "branches and loops that came in with a message, were copied, or are in a graph that was "
    "edited since have none; take gradients before"
)
_SECOND_ORDER = "Second-order gradient for while loops not supported"


@set_module("troupe")
class AggregationMethod:
    """How gradients of several uses of a tensor are summed: always by one AddN."""

    DEFAULT = ADD_N = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


_METHODS = (0, 1, 2)  # of AggregationMethod


@set_module("troupe")
class UnconnectedGradients(enum.Enum):
    """What `gradients` gives for an x that the ys do not depend on: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


def _listed(values: Any) -> List[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _place_of(x: Any) -> Any:
    """A variable collects the gradients of all its reads at its handle, or its reference."""
    return x._read_from if isinstance(x, Variable) else convert_to_tensor(x)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Optional[int] = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
) -> List[Any]:
    """The gradients of sum(ys) with respect to each x.

    With respect to what is only read by `tf.gather` and its like, they are `tf.IndexedSlices`.
    Nodes of the result are on the devices of the operations that they belong to. Outside of
    replicas, a variable with a copy for each of them stands for all copies.

    Args:
        ys: A tensor, or a list of tensors.
        xs: A tensor or variable, or a list of them.
        grad_ys: The initial gradients of the ys; ones where it or an entry is None.
        name: The scope of the nodes. Those of the gradient of an op are in "NAME/OP_grad", where OP
            is the name of the op.
        colocate_gradients_with_ops: Has no effect.
        gate_gradients: Has no effect: each gradient is one tensor.
        aggregation_method: One of `AggregationMethod`, which has no effect.
        stop_gradients: Tensors and variables that nothing passes through.
        unconnected_gradients: "none" for None where the ys do not depend on an x, "zero" for zeros.

    Returns:
        A list with a tensor, IndexedSlices, or None for each x.

    Raises:
        LookupError: An op between them has no gradient; it is a ValueError, too.
        ValueError: There is another number of initial gradients
            than of ys, or an option has another value.
        TypeError: A complex y has no initial gradient.
        NotImplementedError: A loop between them has no second derivative.
    """
    _check_options(aggregation_method, unconnected_gradients)
    unconnected = UnconnectedGradients(unconnected_gradients)
    graph = get_default_graph()
    with graph.name_scope(name or "gradients") as scope:
        tensors = [convert_to_tensor(y) for y in _listed(ys)]
        initial = _initial_gradients(tensors, grad_ys)
        copies = [copies_meant(x) for x in _listed(xs)]
        places = [graph._adopt(_place_of(x), "gradients") for each in copies for x in each]
        stops = [_place_of(x) for x in _listed([] if stop_gradients is None else stop_gradients)]
        parts = iter(_add_gradients(graph, scope, tensors, places, initial, stops))
        found = [_sum_of_copies([next(parts) for _ in each]) for each in copies]
        for gradient, x in zip(found, _listed(xs)):
            _refine(gradient, x)
        if unconnected is UnconnectedGradients.ZERO:
            pairs = zip(found, _listed(xs))
            found = [zeros_like(x) if gradient is None else gradient for gradient, x in pairs]
    return found


def _sum_of_copies(parts: List[Any]) -> Any:
    found = [each for each in parts if each is not None]
    return summed(found) if len(found) > 1 else next(iter(found), None)


def _add_gradients(
    graph: Graph,
    scope: str,
    ys: List[Tensor],
    xs: List[Tensor],
    initial: List[Tensor],
    stops: List[Tensor],
) -> List[Any]:
    with graph._lock:
        graph._check_not_finalized()
        graph._use_context()
        builder = graph._builder_for("Gradient", scope)
        try:
            values = builder.gradients(
                [y._value() for y in ys],
                [x._value() for x in xs],
                [gradient._value() for gradient in initial],
                [stop._value() for stop in stops],
                scope,
                lambda node: _function_for(graph, node),
            )
        except errors.InvalidArgumentError as error:
            if error.message.endswith("has no gradient"):
                where = f": {_FOREIGN_CONTEXT}" if error.node_op in _CONTROL_FLOW else ""
                missing = errors.MissingGradientError(None, None, f"{error.message}{where}")
                missing.node, missing.node_op = error.node, error.node_op
                raise missing from None
            if not error.message.startswith(_SECOND_ORDER):
                raise
            # TensorFlow refuses it by this class.
            raise errors.build_error(True, error.message, error.node, error.node_op) from None
        return [_element(graph, value) for value in values]


def _refine(gradient: Any, tensor: Any) -> None:
    """Gives a gradient the static shape of what it belongs to, as far as its own is not known."""
    if isinstance(gradient, Tensor) and not gradient.shape.is_fully_defined():
        if str(gradient.shape) != str(gradient.shape.merge_with(tensor.shape)):
            gradient.set_shape(tensor.shape)


def _check_options(aggregation_method: Any, unconnected_gradients: Any) -> None:
    if aggregation_method not in (None, *_METHODS):
        raise ValueError(
            f"Invalid `aggregation_method` {aggregation_method!r}: it is none of {list(_METHODS)}"
        )
    check_unconnected(unconnected_gradients)


def check_unconnected(unconnected_gradients: Any) -> None:
    """ValueError for what is none of the choices."""
    choices = [*UnconnectedGradients, *(choice.value for choice in UnconnectedGradients)]
    if unconnected_gradients not in choices:
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}")


def _initial_gradients(ys: List[Tensor], given: Any) -> List[Tensor]:
    """Those of the ys; none at all for ones."""
    initial = [None] * len(ys) if given is None else _listed(given)
    if len(initial) != len(ys):
        raise ValueError(f"{len(initial)} grad_ys were passed for {len(ys)} ys")
    for gradient, y in zip(initial, ys):
        if gradient is None and y.dtype.is_complex:
            raise TypeError(f"Gradients of complex tensors, such as {y!r}, must set grad_ys")
    if given is None:
        return []
    return [
        ones_like(y) if gradient is None else convert_to_tensor(gradient, y.dtype, f"grad_ys_{i}")
        for i, (gradient, y) in enumerate(zip(initial, ys))
    ]


def _element(graph: Graph, value: Any) -> Any:
    if isinstance(value, tuple):
        rows: List[Any] = [graph._of_value(part) for part in value]
        return IndexedSlices(*rows)
    return None if value is None else graph._of_value(value)


def _function_for(graph: Graph, node: int) -> Optional[Callable[..., Any]]:
    """What the builder calls for the gradients of a node; None: the op's own function."""
    op = graph._operation(node)
    function = find_gradient_function(op)
    if function is None:
        return None

    def call(prefix: str, values: List[Optional[_native.Value]]) -> List[Optional[_native.Value]]:
        given = [None if value is None else graph._of_value(value) for value in values]
        for gradient, result in zip(given, op.outputs):
            _refine(gradient, result)
        context = _native.context(graph._root)  # where the builder computes these gradients
        with graph.as_default(), graph.name_scope(prefix), graph.colocate_with(op):
            with graph._changed(controls=(), context=context):
                made = _listed(function(op, *given))
                if len(made) != len(op.inputs):
                    raise ValueError(
                        f"Num gradients {len(made)} generated for op {op.name} do not match num "
                        f"inputs {len(op.inputs)}"
                    )
                pairs = zip(made, op.inputs)
                return [
                    None if gradient is None else convert_to_tensor(gradient, x.dtype)._value()
                    for gradient, x in pairs
                ]

    return call


def _row(gradient: Tensor, x: Any, place: Tensor) -> Tensor:
    """The gradient of one element of a gradient."""
    return convert_to_tensor(gradients(selection_ops.gather(gradient, place), x)[0])


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Optional[int] = None,
) -> List[Tensor]:
    """The second derivatives of sum(ys) with respect to each x.

    Args:
        ys: A tensor, or a list of tensors.
        xs: A tensor or variable, or a list of them.
        name: The scope of the nodes.
        colocate_gradients_with_ops: As of `tf.gradients`.
        gate_gradients: As of `tf.gradients`.
        aggregation_method: As of `tf.gradients`.

    Returns:
        For each x a tensor whose shape is that of x twice.

    Raises:
        NotImplementedError: An op between them has no second derivative.
    """
    options = (colocate_gradients_with_ops, gate_gradients, aggregation_method)
    given = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    found = []
    with get_default_graph().name_scope(name):
        for x, gradient in zip(given, gradients(ys, given, None, "gradients", *options)):
            sizes = array_ops.shape(x)
            flat = array_ops.reshape(convert_to_tensor(gradient), [-1])
            places = math_ops.range(array_ops.size(x))
            rows = map_fn(functools.partial(_row, flat, x), places, dtype=flat.dtype)
            hessian = array_ops.reshape(rows, array_ops.concat([sizes, sizes], 0))
            hessian.set_shape(x.shape.concatenate(x.shape))
            found.append(hessian)
    return found
