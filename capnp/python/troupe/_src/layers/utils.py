"""Arguments of layers in one form, and sizes along an axis.

They are at `tensorflow.python.layers.utils`, where programs with layers of their own find them.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

from troupe._src.control_flow import smart_cond as _choices
from troupe._src.control_flow.conditional import cond
from troupe._src.variables.variable import Variable

_AXES = {3: "W", 4: "HW", 5: "DHW"}


def convert_data_format(data_format: str, ndim: int) -> str:
    """The order of axes as ops call it.

    Args:
        data_format: "channels_last" or "channels_first".
        ndim: The rank: 3, 4 or 5.

    Returns:
        Such as "NHWC".

    Raises:
        ValueError: The order or the rank is another one.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Invalid data_format: {data_format}")
    if ndim not in _AXES:
        raise ValueError(f"Input rank not supported: {ndim}")
    axes = _AXES[ndim]
    return f"N{axes}C" if data_format == "channels_last" else f"NC{axes}"


def normalize_tuple(value: Any, n: int, name: str) -> Tuple[int, ...]:
    """One number for each axis.

    Args:
        value: A number for all axes, or one for each.
        n: How many axes there are.
        name: What the argument is called in errors.

    Returns:
        As many numbers.

    Raises:
        ValueError: It is no number, or there are more or fewer.
    """
    if isinstance(value, int):
        return (value,) * n
    try:
        found = tuple(value)
        for each in found:
            int(each)
    except (TypeError, ValueError):
        found = ()
    if len(found) != n:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
        )
    return found


def normalize_data_format(value: str) -> str:
    """The order of axes in lower case.

    Args:
        value: "channels_last" or "channels_first", in any case.

    Returns:
        The order.

    Raises:
        ValueError: It is another one.
    """
    return _one_of("data_format", value, ("channels_first", "channels_last"))


def normalize_padding(value: str) -> str:
    """The kind of padding in lower case.

    Args:
        value: "valid" or "same", in any case.

    Returns:
        The kind.

    Raises:
        ValueError: It is another one.
    """
    return _one_of("padding", value, ("valid", "same"))


def _one_of(name: str, value: str, known: Tuple[str, ...]) -> str:
    if value.lower() not in known:
        listed = ", ".join(f'"{each}"' for each in known)
        raise ValueError(f"The `{name}` argument must be one of {listed}. Received: {value}")
    return value.lower()


def conv_output_length(
    input_length: Optional[int], filter_size: int, padding: str, stride: int, dilation: int = 1
) -> Optional[int]:
    """The size of what a convolution gives along an axis.

    Args:
        input_length: The size of its input there; None if it is not known.
        filter_size: That of the filter.
        padding: "same", "valid" or "full".
        stride: The stride.
        dilation: How far the taps of the filter are from each other.

    Returns:
        The size; None if that of the input is not known.
    """
    if input_length is None:
        return None
    reach = (filter_size - 1) * dilation
    places = input_length + {"same": 0, "valid": -reach, "full": reach}[padding]
    return (places + stride - 1) // stride


def conv_input_length(
    output_length: Optional[int], filter_size: int, padding: str, stride: int
) -> Optional[int]:
    """The size of the input of a convolution along an axis.

    Args:
        output_length: The size of what it gives there; None if it is not known.
        filter_size: That of the filter.
        padding: "same", "valid" or "full".
        stride: The stride.

    Returns:
        The size; None if that of the result is not known.
    """
    if output_length is None:
        return None
    added = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * added + filter_size


def deconv_output_length(
    input_length: Optional[int], filter_size: int, padding: str, stride: int
) -> Optional[int]:
    """The size of what a transposed convolution gives along an axis.

    Args:
        input_length: The size of its input there; None if it is not known.
        filter_size: That of the filter.
        padding: "same", "valid" or "full".
        stride: The stride.

    Returns:
        The size; None if that of the input is not known.
    """
    if input_length is None:
        return None
    added = {"same": 0, "valid": max(filter_size - stride, 0), "full": 2 - stride - filter_size}
    return input_length * stride + added[padding]


def smart_cond(
    pred: Any,
    true_fn: Optional[Callable[[], Any]] = None,
    false_fn: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """What one of two functions gives; a branch where the condition is not known.

    Args:
        pred: The condition: a bool, or a scalar tensor or variable.
        true_fn: The function for true.
        false_fn: The function for false.
        name: The name of the branch.

    Returns:
        The result.

    Raises:
        TypeError: One of them is no function.
    """
    if isinstance(pred, Variable):
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return _choices.smart_cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


def constant_value(pred: Any) -> Optional[bool]:
    """The value of a condition, where it is known.

    Args:
        pred: A bool, 0 or 1, or a scalar tensor or variable.

    Returns:
        The value; None where it is known in a step only.

    Raises:
        TypeError: It is something else.
    """
    return None if isinstance(pred, Variable) else _choices.smart_constant_value(pred)
