"""Images at any places."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor


def resampler(data: TensorLike, warp: TensorLike, name: Optional[str] = "resampler") -> Tensor:
    """Images at places between their pixels, interpolated; outside of the images they are 0.

    Args:
        data: Images [batch, height, width, channels] of float16, float32 or float64.
        warp: The places [batch, ..., 2], each x and y in pixels, of the dtype of `data`.
        name: The name of the scope.

    Returns:
        A tensor [batch, ..., channels] of that dtype.
    """
    with get_default_graph().name_scope(name or "resampler"):
        return raw_ops.Resampler(data=convert_to_tensor(data), warp=convert_to_tensor(warp))
