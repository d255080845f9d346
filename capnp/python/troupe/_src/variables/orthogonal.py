"""The initializer of orthogonal matrices."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops
from troupe._src.random.random_ops import random_normal
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import as_shape
from troupe._src.variables.initializers import Initializer


@set_module("troupe.initializers")
class Orthogonal(Initializer):
    """A random matrix with orthonormal columns, or rows where these are fewer.

    Args:
        gain: A factor.
        seed: The seed of the random numbers.
        dtype: The dtype of variables that do not say their own.
    """

    def __init__(
        self, gain: float = 1.0, seed: Optional[int] = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, as_dtype(dtype)

    def __call__(
        self,
        shape: Any,
        dtype: Optional[DTypeLike] = None,
        partition_info: Any = None,
        **_: Any,
    ) -> Tensor:
        """All axes but the last one count the rows."""
        sizes = [int(size) for size in as_shape(shape)]
        if len(sizes) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        tall = [max(rows, columns), min(rows, columns)]
        drawn = random_normal(tall, dtype=as_dtype(dtype or self.dtype), seed=self.seed)
        q, r = gen_ops.qr(drawn)
        # So that each such matrix is drawn equally often.
        q = q * gen_ops.sign(gen_ops.matrix_diag_part(r))
        if rows < columns:
            q = array_ops.matrix_transpose(q)
        return self.gain * array_ops.reshape(q, sizes)
