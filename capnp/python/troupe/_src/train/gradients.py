"""Symbolic gradients."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.variables.variable import Variable


@set_module("troupe")
class AggregationMethod:
    """How gradients of several uses of a tensor are summed: always by one AddN."""

    DEFAULT = ADD_N = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _listed(values: Any) -> List[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Optional[Sequence[Any]] = None,
    name: str = "gradients",
    stop_gradients: Any = None,
    **_: Any,
) -> List[Optional[Tensor]]:
    """The gradients of sum(ys) with respect to each x, a tensor or variable.

    None for an x that the ys do not depend on. `grad_ys` are the initial gradients of the ys.
    """
    if stop_gradients:
        raise NotImplementedError("use tf.stop_gradient: stop_gradients is not supported")
    graph = get_default_graph()
    tensors = [convert_to_tensor(y) for y in _listed(ys)]
    initial = []
    if grad_ys is not None:
        pairs = zip(_listed(grad_ys), tensors)
        initial = [convert_to_tensor(grad, y.dtype)._value() for grad, y in pairs]
    handles = [x.handle if isinstance(x, Variable) else convert_to_tensor(x) for x in _listed(xs)]
    with graph._lock:
        graph._check_not_finalized()
        builder = graph._builder_for("Gradient", name)
        values = builder.gradients(
            [y._value() for y in tensors], [handle._value() for handle in handles], initial
        )
        found = [None if value is None else graph._of_value(value) for value in values]
    return found  # type: ignore[return-value]
