"""Initializers: functions that make the initial values of variables."""

from __future__ import annotations

import inspect
import math
from typing import Any, Dict, List, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.random_seed import get_seed
from troupe._src.ops.apply_op import apply_op
from troupe._src.ops.array_ops import sizes_of
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import known_sizes


class Initializer:
    """What makes the initial values of variables, of a shape and a dtype."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Makes the values.

        Args:
            shape: The sizes, which are all known.
            dtype: The dtype, by default that of the initializer.
            partition_info: For a part of a variable, its offset and the shape of the whole; else
                None.

        Returns:
            A tensor of that shape.

        Raises:
            ValueError: A size is not known.
        """
        raise NotImplementedError

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such an initializer again, by their names."""
        own = vars(self)
        names = [each for each in inspect.signature(type(self)).parameters if each in own]
        config = {each: own[each] for each in names}
        if isinstance(config.get("dtype"), DType):
            config["dtype"] = config["dtype"].name
        return config

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        """An initializer of this class.

        Args:
            config: What `get_config` gave.

        Returns:
            The initializer.
        """
        return cls(**config)


class Constant(Initializer):
    """A single value for all elements, or the values of a list or array.

    Args:
        value: A number or text, or a list or array of them.
        dtype: The dtype of the values where the call gives none.
        verify_shape: Whether a list must have the shape of the variable already.

    Raises:
        TypeError: The value is something else.
    """

    def __init__(
        self, value: Any = 0, dtype: DTypeLike = dtypes.float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value)} (expected scalar, list or array)."
            )
        self.value = value
        self.dtype = as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        if isinstance(self.value, (int, float, bool)):
            kind = as_dtype(dtype or self.dtype)
            value = constant(bool(self.value) if kind.is_bool else self.value, kind)
            filled = apply_op("Fill", {"dims": _vector(shape), "value": value}, {})
            assert isinstance(filled, Tensor)
            return filled
        return constant(self.value, dtype or self.dtype, shape, verify_shape=self._verify_shape)


class Zeros(Constant):
    """Zeros.

    Args:
        dtype: The dtype where the call gives none.
    """

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(0, dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        if as_dtype(dtype or self.dtype) is dtypes.string:
            return constant("", dtypes.string, shape)  # the zero of strings
        return super().__call__(shape, dtype)


class Ones(Constant):
    """Ones.

    Args:
        dtype: The dtype where the call gives none.
    """

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1, dtype)


def floating(dtype: DTypeLike) -> DType:
    """The dtype of an initializer that makes floats alone: another is a ValueError."""
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Expected floating point type, got {kind.name}.")
    return kind


class _Random(Initializer):
    """Numbers that an op draws.

    Args:
        op: The name of the op.
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.
    """

    def __init__(self, op: str, seed: Optional[int], dtype: DTypeLike) -> None:
        self._op = op
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def _draw(self, shape: Any, dtype: Optional[DTypeLike]) -> Tensor:
        seed, seed2 = get_seed(self.seed)
        attrs = {"dtype": dtype or self.dtype, "seed": seed, "seed2": seed2}
        drawn = apply_op(self._op, {"shape": _vector(shape)}, attrs)
        assert isinstance(drawn, Tensor)
        return drawn


class RandomNormal(_Random):
    """Random numbers with a normal distribution.

    Args:
        mean: The mean.
        stddev: The standard deviation.
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.
    """

    _op_name = "RandomStandardNormal"

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: Optional[int] = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(self._op_name, seed, floating(dtype))
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        values: Tensor = self._draw(shape, dtype) * self.stddev
        return values + self.mean if self.mean else values


class TruncatedNormal(RandomNormal):
    """Random numbers with a normal distribution, cut off at two standard deviations."""

    _op_name = "TruncatedNormal"


class RandomUniform(_Random):
    """Random numbers with a uniform distribution in [minval, maxval).

    Args:
        minval: The least number.
        maxval: What all numbers are below, by default 1; integers need it.
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.
    """

    def __init__(
        self,
        minval: float = 0,
        maxval: Optional[float] = None,
        seed: Optional[int] = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__("RandomUniform", seed, dtype)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        wanted = as_dtype(dtype or self.dtype)
        if wanted.is_integer:
            return self._draw_integers(shape, wanted)
        maxval = 1.0 if self.maxval is None else self.maxval
        return self._draw(shape, dtype) * (maxval - self.minval) + self.minval

    def _draw_integers(self, shape: Any, dtype: DType) -> Tensor:
        if self.maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        seed, seed2 = get_seed(self.seed)
        ends = {
            name: convert_to_tensor(end, dtype)
            for name, end in (("minval", self.minval), ("maxval", self.maxval))
        }
        attrs = {"seed": seed, "seed2": seed2}
        drawn = apply_op("RandomUniformInt", {"shape": _vector(shape), **ends}, attrs)
        assert isinstance(drawn, Tensor)
        return drawn


class VarianceScaling(Initializer):
    """Random numbers with a variance of scale / (number of inputs or outputs of the layer).

    Args:
        scale: The factor, positive.
        mode: "fan_in" for the inputs, "fan_out" for the outputs, "fan_avg" for the mean of both.
        distribution: "truncated_normal" or "normal", "untruncated_normal", or "uniform".
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.

    Raises:
        ValueError: The mode or the distribution is another, or the dtype is none of floats.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Optional[int] = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, floating(dtype)

    def __call__(
        self,
        shape: Any,
        dtype: Optional[DTypeLike] = None,
        partition_info: Any = None,
        **_: Any,
    ) -> Tensor:
        # A part of a variable gets the numbers that it would have in the whole.
        whole = shape if partition_info is None else partition_info.full_shape
        fan_in, fan_out = _fans(known_sizes(whole))
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, fans[self.mode])
        kind = dtype or self.dtype
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return RandomUniform(-limit, limit, self.seed, kind)(shape)
        if self.distribution == "untruncated_normal":
            return RandomNormal(0, math.sqrt(variance), self.seed, kind)(shape)
        # Divided by the standard deviation of the normal distribution truncated at two.
        return TruncatedNormal(0, math.sqrt(variance) / 0.87962566103423978, self.seed, kind)(shape)


class GlorotUniform(VarianceScaling):
    """Glorot's initialization with a uniform distribution.

    Args:
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.
    """

    def __init__(self, seed: Optional[int] = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Glorot's initialization with a truncated normal distribution.

    Args:
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.
    """

    def __init__(self, seed: Optional[int] = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


class UniformUnitScaling(Initializer):
    """Uniform random numbers that keep the variance of a layer's input.

    Args:
        factor: What the numbers are multiplied by.
        seed: Makes the numbers repeatable, together with the seed of the graph.
        dtype: The dtype of the values where the call gives none.
    """

    def __init__(
        self, factor: float = 1.0, seed: Optional[int] = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        self.factor, self.seed, self.dtype = factor, seed, floating(dtype)

    def __call__(
        self,
        shape: Any,
        dtype: Optional[DTypeLike] = None,
        partition_info: Any = None,
        **_: Any,
    ) -> Tensor:
        whole = shape if partition_info is None else partition_info.full_shape
        inputs = math.prod(known_sizes(whole)[:-1])
        limit = math.sqrt(3 / max(1.0, inputs)) * self.factor
        return RandomUniform(-limit, limit, self.seed, dtype or self.dtype)(shape)


def he_normal(seed: Optional[int] = None) -> VarianceScaling:
    """He's initialization, for layers before a relu, with a truncated normal distribution.

    Args:
        seed: Makes the numbers repeatable, together with the seed of the graph.

    Returns:
        The initializer.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Optional[int] = None) -> VarianceScaling:
    """He's initialization, for layers before a relu, with a uniform distribution.

    Args:
        seed: Makes the numbers repeatable, together with the seed of the graph.

    Returns:
        The initializer.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Optional[int] = None) -> VarianceScaling:
    """Truncated normals whose variance is 1 over the number of inputs.

    Args:
        seed: Makes the numbers repeatable, together with the seed of the graph.

    Returns:
        The initializer.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Optional[int] = None) -> VarianceScaling:
    """Uniform numbers whose variance is 1 over the number of inputs.

    Args:
        seed: Makes the numbers repeatable, together with the seed of the graph.

    Returns:
        The initializer.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def _vector(shape: Any) -> Any:
    """The sizes, of which steps may compute some."""
    parts = shape if isinstance(shape, (list, tuple)) else [shape]
    is_computed = any(isinstance(part, Tensor) for part in parts)
    return sizes_of(shape) if is_computed else known_sizes(shape)


def _fans(sizes: List[int]) -> Any:
    if not sizes:
        return 1.0, 1.0
    if len(sizes) == 1:
        return float(sizes[0]), float(sizes[0])
    receptive_field = math.prod(sizes[:-2])
    return float(sizes[-2] * receptive_field), float(sizes[-1] * receptive_field)
