"""What programs import from `tensorflow.python.keras` that Keras has not, or by another name."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, Dict, Optional

from troupe._src.control_flow.smart_cond import smart_cond as smart_cond
from troupe._src.control_flow.smart_cond import smart_constant_value
from troupe._src.graph.elements import Tensor
from troupe._src.ops.convert import is_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.keras_layers.layer_shapes import as_tuples
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable import Variable


def constant_value(pred: Any) -> Optional[bool]:
    """A condition as a bool; None where a step alone knows it.

    Args:
        pred: A bool, 0 or 1, or a tensor.

    Returns:
        The bool, or None.
    """
    found: Optional[bool] = smart_constant_value(pred)
    return found


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether it is a tensor or a variable of a graph."""
    return isinstance(tensor, (Tensor, SparseTensor, Variable))


def is_tensor_or_variable(x: Any) -> bool:
    """Whether it is a tensor or a variable."""
    return bool(is_tensor(x)) or isinstance(x, Variable)


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of methods that are told shapes as tuples, and whose result is a `TensorShape`.

    Args:
        fn: The method, of the object and the shapes.

    Returns:
        The method.
    """

    @functools.wraps(fn)
    def convert(instance: Any, input_shape: Any) -> Any:
        given = None if input_shape is None else as_tuples(input_shape)
        found = fn(instance, given)
        return TensorShape(found) if isinstance(found, tuple) else found

    return convert


def default(method: Any) -> Any:
    """The method, which is marked as that of the base of layers."""
    method._is_default = True
    return method


def to_snake_case(name: str) -> str:
    """A name of a class in small letters with underscores.

    Args:
        name: The name.

    Returns:
        The other one, with `private` in front if it began with an underscore.
    """
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    found = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{found}" if found.startswith("_") else found


def convert_data_format(data_format: str, ndim: int) -> str:
    """The format of data as ops name it.

    Args:
        data_format: "channels_last" or "channels_first".
        ndim: The rank, from 3 to 5.

    Returns:
        Such as "NHWC".

    Raises:
        ValueError: There is no such format or rank.
    """
    sizes = {3: "W", 4: "HW", 5: "DHW"}
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Invalid data_format:", data_format)
    if ndim not in sizes:
        raise ValueError("Input rank not supported:", ndim)
    return f"N{sizes[ndim]}C" if data_format == "channels_last" else f"NC{sizes[ndim]}"


def _add_to_conv_utils(module: Any) -> None:
    def deconv_output_length(
        input_length: Any, filter_size: int, padding: str, output_padding: Any = None,
        stride: int = 0, dilation: int = 1,
    ) -> Any:  # fmt: skip
        """The length of the result of a transposed convolution; None where it is not known."""
        return module.deconv_length(
            input_length, stride, filter_size, padding, output_padding, dilation
        )

    module.deconv_output_length = deconv_output_length
    module.convert_data_format = convert_data_format
    module.normalize_data_format = module.K.normalize_data_format


def _add_public(*names: str) -> Callable[[Any], None]:
    """A function that gives classes of a module their names without an underscore."""

    def add(module: Any) -> None:
        for name in names:
            setattr(module, name, getattr(module, f"_{name}"))

    return add


def _add_snake_case(module: Any) -> None:
    module.to_snake_case = to_snake_case


ADDITIONS: Dict[str, Callable[[Any], None]] = {
    "layers.convolutional": _add_public("Conv", "SeparableConv"),
    "layers.pooling": _add_public(
        "Pooling1D", "Pooling2D", "Pooling3D", "GlobalPooling1D", "GlobalPooling2D",
        "GlobalPooling3D",
    ),
    "utils.conv_utils": _add_to_conv_utils,
    "utils.generic_utils": _add_snake_case,
}  # fmt: skip
