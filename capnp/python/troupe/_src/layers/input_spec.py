"""What layers demand of their inputs."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike, as_dtype


@set_module("troupe.layers")
class InputSpec:
    """What a layer demands of its input: dtype, shape, ranks, and sizes of some axes.

    Args:
        dtype: The dtype that inputs have; None for any.
        shape: The shape that they have, with None for any size; None for any shape.
        ndim: The rank that they have; None for any.
        max_ndim: The greatest rank that they may have.
        min_ndim: The least rank that they may have.
        axes: {axis: the size that they have there}.
    """

    def __init__(
        self,
        dtype: Optional[DTypeLike] = None,
        shape: Any = None,
        ndim: Optional[int] = None,
        max_ndim: Optional[int] = None,
        min_ndim: Optional[int] = None,
        axes: Optional[Dict[int, Optional[int]]] = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def __repr__(self) -> str:
        given = {key: value for key, value in vars(self).items() if value}
        return f"InputSpec({', '.join(f'{key}={value}' for key, value in given.items())})"

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a specification again, by their names."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> InputSpec:
        """Such a specification.

        Args:
            config: What `get_config` gave.

        Returns:
            The specification.
        """
        return cls(**config)

    def check(self, tensor: Tensor, layer: str) -> None:
        """Compares an input with it.

        Args:
            tensor: The input.
            layer: The name of the layer, for the message.

        Raises:
            ValueError: The static shape or the dtype of the input is another one.
        """
        shape = tensor.shape
        fault = None
        if self.dtype is not None and tensor.dtype != self.dtype:
            fault = f"expected dtype={self.dtype}, found dtype={tensor.dtype.name}"
        elif shape.rank is None:
            if self.ndim is not None or self.min_ndim is not None or self.max_ndim is not None:
                fault = "its rank is undefined, but the layer requires a defined rank"
        elif self.ndim is not None and shape.rank != self.ndim:
            fault = f"expected ndim={self.ndim}, found ndim={shape.rank}"
        elif self.max_ndim is not None and shape.rank > self.max_ndim:
            fault = f"expected max_ndim={self.max_ndim}, found ndim={shape.rank}"
        elif self.min_ndim is not None and shape.rank < self.min_ndim:
            fault = f"expected min_ndim={self.min_ndim}, found ndim={shape.rank}"
        elif any(
            size is not None and shape[axis].value not in (size, None)
            for axis, size in self.axes.items()
        ):
            fault = f"expected sizes {self.axes} of its axes"
        elif self.shape is not None and not shape.is_compatible_with(self.shape):
            fault = f"expected shape={self.shape}"
        if fault is not None:
            raise ValueError(
                f"Input 0 of layer {layer} is incompatible with the layer: {fault}. "
                f"Full shape received: {shape}"
            )


def checked(spec: Any) -> Any:
    """What is given as the specification of the inputs of a layer.

    Args:
        spec: An `InputSpec`, also of `tf.keras`, a list of them, or None.

    Returns:
        The same.

    Raises:
        TypeError: It is something else.
    """
    for each in spec if isinstance(spec, (list, tuple)) else [spec]:
        if each is not None and not hasattr(each, "min_ndim"):
            raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {each}")
    return spec


def check_all(specs: Any, inputs: Sequence[Tensor], layer: str) -> None:
    """Compares the inputs of a layer with what it demands.

    Args:
        specs: As in `checked`. One alone is that of the first input.
        inputs: The inputs.
        layer: The name of the layer, for the message.

    Raises:
        ValueError: An input does not fit, or there are more or fewer.
    """
    if specs is None or not inputs:
        return
    if not isinstance(specs, (list, tuple)):
        specs, inputs = [specs], inputs[:1]
    if len(specs) != len(inputs):
        raise ValueError(
            f"Layer {layer} expects {len(specs)} inputs, but it received {len(inputs)} input "
            f"tensors. Inputs received: {list(inputs)}"
        )
    for spec, tensor in zip(specs, inputs):
        if spec is not None:
            InputSpec.check(InputSpec(**vars(spec)), tensor, layer)
