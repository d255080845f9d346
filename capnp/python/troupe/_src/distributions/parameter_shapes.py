"""The shapes of the parameters of distributions, by that of their samples."""

from __future__ import annotations

from typing import ClassVar, Dict, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


class ParameterShapes:
    """What the classes of distributions tell before there is a distribution."""

    # The arguments of the constructor that have the shape of a sample.
    _shaped_parameters: ClassVar[Sequence[str]] = ()

    @classmethod
    def param_shapes(
        cls, sample_shape: TensorLike, name: str = "DistributionParamShapes"
    ) -> Dict[str, Tensor]:
        """The shapes of the parameters for which samples have a shape.

        Args:
            sample_shape: The shape of samples.

        Returns:
            {name of a parameter: its shape, a vector of int32}

        Raises:
            NotImplementedError: It is not told for this class.
        """
        if not cls._shaped_parameters:
            raise NotImplementedError(f"param_shapes is not implemented: {cls.__name__}")
        with name_scope(name):
            shape = convert_to_tensor(sample_shape, dtypes.int32)
            return {parameter: shape for parameter in cls._shaped_parameters}

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> Dict[str, TensorShape]:
        """The static shapes of the parameters for which samples have a shape.

        Args:
            sample_shape: The shape of samples, all of whose sizes are known.

        Returns:
            {name of a parameter: its shape}

        Raises:
            ValueError: The shape is not fully known.
            NotImplementedError: It is not told for this class.
        """
        if isinstance(sample_shape, Tensor):
            known = array_ops.get_static_value(sample_shape)
            sample_shape = None if known is None else [int(size) for size in known]
        shape = as_shape(sample_shape)
        if not shape.is_fully_defined():
            raise ValueError("sample_shape must be fully defined")
        return {parameter: shape for parameter in cls.param_shapes(shape.as_list())}
