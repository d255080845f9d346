"""The initializers of orthogonal matrices, and of convolutions that keep the norms of inputs."""

from __future__ import annotations

import itertools
import math
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.random.random_ops import random_normal
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import as_shape, known_sizes
from troupe._src.variables.initializers import Initializer, floating


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
        self.gain, self.seed, self.dtype = gain, seed, floating(dtype)

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


class Identity(Initializer):
    """The identity matrix times `gain`.

    Args:
        gain: The numbers on the diagonal.
        dtype: The dtype where the call gives none.
    """

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain, self.dtype = gain, floating(dtype)

    def __call__(
        self,
        shape: Any,
        dtype: Optional[DTypeLike] = None,
        partition_info: Any = None,
        **_: Any,
    ) -> Tensor:
        sizes = known_sizes(shape)
        whole = sizes if partition_info is None else partition_info.full_shape
        if len(whole) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        matrix = np.eye(*whole) * self.gain
        if partition_info is not None:
            row, column = partition_info.var_offset
            matrix = matrix[row : row + sizes[0], column : column + sizes[1]]
        return constant(matrix, dtype or self.dtype)


Kernel = Dict[Tuple[int, ...], Tensor]  # a matrix for each position


class _OfConvolution(Initializer):
    """What they have in common.

    Args:
        gain: A factor of the norms of results.
        seed: The seed of the random numbers.
        dtype: The dtype of variables that do not say their own.
    """

    def __init__(
        self, gain: float = 1.0, seed: Optional[int] = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, floating(dtype)
        if not self.dtype.is_floating:
            raise ValueError(f"Expected floating point type, got {self.dtype}.")

    def _draw(self, sizes: List[int]) -> Tensor:
        """Random numbers, which with a seed are others in each call."""
        drawn = random_normal(sizes, dtype=self.dtype, seed=self.seed)
        if self.seed:
            self.seed += 1
        return drawn

    def _matrix(self, size: int) -> Tensor:
        q, r = gen_ops.qr(self._draw([size, size]))
        return q * gen_ops.sign(gen_ops.matrix_diag_part(r))


class ConvolutionDeltaOrthogonal(_OfConvolution):
    """A convolution whose middle is an orthogonal matrix, and the rest 0.

    Args:
        gain: A factor of the norms of results.
        seed: The seed of the random numbers.
        dtype: The dtype of variables that do not say their own.
    """

    def __call__(
        self, shape: Any, dtype: Optional[DTypeLike] = None, partition_info: Any = None, **_: Any
    ) -> Tensor:
        """ValueError for other than 3 to 5 axes, or for more channels in than out."""
        sizes = [int(size) for size in as_shape(shape)]
        if not 3 <= len(sizes) <= 5:
            raise ValueError(
                "The tensor to initialize must be at least three-dimensional and at most "
                "five-dimensional"
            )
        _check_channels(sizes)
        matrix = self.gain * self._matrix(sizes[-1])[: sizes[-2], :]
        middle = [(size - 1) // 2 for size in sizes[:-2]]
        sides = [[at, size - at - 1] for at, size in zip(middle, sizes)] + [[0, 0], [0, 0]]
        whole = array_ops.reshape(matrix, [1] * len(middle) + sizes[-2:])
        padded = raw_ops.Pad(input=whole, paddings=sides)
        return math_ops.cast(padded, as_dtype(dtype or self.dtype))


class _ConvolutionOrthogonal(_OfConvolution):
    _axes = 0
    _dimensions = ""

    def __call__(
        self, shape: Any, dtype: Optional[DTypeLike] = None, partition_info: Any = None, **_: Any
    ) -> Tensor:
        """ValueError for another number of axes, for sides of other sizes, and for more channels
        in than out."""
        sizes = [int(size) for size in as_shape(shape)]
        if len(sizes) != self._axes + 2:
            raise ValueError(f"The tensor to initialize must be {self._dimensions}-dimensional")
        _check_channels(sizes)
        if len(set(sizes[:-2])) != 1:
            raise ValueError("Kernel sizes must be equal.")
        first = self._matrix(sizes[-1])[: sizes[-2], :]
        kernel: Kernel = {(0,) * self._axes: first}
        for _step in range(sizes[0] - 1):
            kernel = _convolved(kernel, self._block(sizes[-1]))
        matrices = [kernel[place] for place in sorted(kernel)]
        whole = array_ops.reshape(array_ops.stack(matrices), sizes)
        return math_ops.cast(self.gain * whole, as_dtype(dtype or self.dtype))

    def _block(self, size: int) -> Kernel:
        """A kernel of two positions along each axis: products of projections and their rests."""
        factors = []
        for _axis in range(self._axes):
            kept = math_ops.cast(self._draw([size]) > 0, self.dtype)
            columns = self._matrix(size) * kept
            projection = math_ops.matmul(columns, columns, transpose_b=True)
            unit = gen_ops.matrix_diag(gen_ops.fill([size], math_ops.cast(1, self.dtype)))
            factors.append((projection, unit - projection))
        block: Kernel = {}
        for place in itertools.product((0, 1), repeat=self._axes):
            product = factors[0][place[0]]
            for factor, side in zip(factors[1:], place[1:]):
                product = math_ops.matmul(product, factor[side])
            block[place] = product
        return block


class ConvolutionOrthogonal1D(_ConvolutionOrthogonal):
    """A convolution along one axis that keeps the norms of inputs, which wrap around.

    Args:
        gain: A factor of the norms of results.
        seed: The seed of the random numbers.
        dtype: The dtype of variables that do not say their own.
    """

    _axes, _dimensions = 1, "three"


class ConvolutionOrthogonal2D(_ConvolutionOrthogonal):
    """A convolution along two axes that keeps the norms of inputs, which wrap around.

    Args:
        gain: A factor of the norms of results.
        seed: The seed of the random numbers.
        dtype: The dtype of variables that do not say their own.
    """

    _axes, _dimensions = 2, "four"


class ConvolutionOrthogonal3D(_ConvolutionOrthogonal):
    """A convolution along three axes that keeps the norms of inputs, which wrap around.

    Args:
        gain: A factor of the norms of results.
        seed: The seed of the random numbers.
        dtype: The dtype of variables that do not say their own.
    """

    _axes, _dimensions = 3, "five"


def _check_channels(sizes: List[int]) -> None:
    if sizes[-2] > sizes[-1]:
        raise ValueError("In_filters cannot be greater than out_filters.")


def _convolved(one: Kernel, other: Kernel) -> Kernel:
    """The kernel of one convolution after another."""
    found: Kernel = {}
    for (at, left), (by, right) in itertools.product(one.items(), other.items()):
        place = tuple(a + b for a, b in zip(at, by))
        product = math_ops.matmul(left, right)
        found[place] = found[place] + product if place in found else product
    return found
