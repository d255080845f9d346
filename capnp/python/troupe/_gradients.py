"""Derivatives."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._convert import convert_to_tensor
from troupe._elements import Tensor
from troupe._graph import get_default_graph
from troupe._variables import Variable


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
    """The derivatives of sum(ys) with respect to each x, a tensor or variable.

    None for an x that the ys do not depend on. `grad_ys` are the gradients that arrive at the ys.
    """
    if stop_gradients:
        raise NotImplementedError("use tf.stop_gradient: stop_gradients is not supported")
    graph = get_default_graph()
    tensors = [convert_to_tensor(y) for y in _listed(ys)]
    arriving = []
    if grad_ys is not None:
        pairs = zip(_listed(grad_ys), tensors)
        arriving = [convert_to_tensor(grad, y.dtype)._value() for grad, y in pairs]
    handles = [x.handle if isinstance(x, Variable) else convert_to_tensor(x) for x in _listed(xs)]
    with graph._lock:
        graph._check_not_finalized()
        builder = graph._builder_for("Gradient", name)
        values = builder.gradients(
            [y._value() for y in tensors], [handle._value() for handle in handles], arriving
        )
        found = [None if value is None else graph._of_value(value) for value in values]
    return found  # type: ignore[return-value]


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Tensor:
    """The elements, none below or above those."""
    from troupe import math

    return math.maximum(math.minimum(t, clip_value_max), clip_value_min, name=name)


def global_norm(t_list: Sequence[Any], name: Any = None) -> Tensor:
    """The square root of the sum of all elements' squares."""
    from troupe import math, nn

    halves = [nn.l2_loss(t) for t in t_list if t is not None]
    return math.sqrt(math.add_n(halves) * 2.0, name=name)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: Any = None
) -> Any:
    """The tensors, scaled down together where their norm is above that; and the norm."""
    from troupe import math

    norm = use_norm if use_norm is not None else global_norm(t_list)
    scale = clip_norm / math.maximum(norm, clip_norm)
    return [None if t is None else t * scale for t in t_list], norm


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Any = None) -> Tensor:
    """The tensor, scaled down where its norm is above that."""
    from troupe import math

    tensor = convert_to_tensor(t)
    norm = math.sqrt(math.reduce_sum(math.square(tensor), axes, keepdims=True))
    clipped = tensor * clip_norm / math.maximum(norm, clip_norm)
    assert isinstance(clipped, Tensor)
    return clipped
