"""Summaries named after their tensors."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.nn.nn_ops import zero_fraction
from troupe._src.ops.assert_ops import Print
from troupe._src.summary import summary_ops


def _named(tensor: Any, name: Optional[str], prefix: Optional[str], last: str = "") -> str:
    parts = [prefix, name or tensor.op.name, last]
    return "/".join(part for part in parts if part)


def _added(
    make: Callable[..., Tensor], tensor: Any, name: str, print_summary: bool
) -> Tensor:
    """A summary, which prints the tensor where it is computed."""
    summary = make(name, tensor, collections=[] if print_summary else None)
    if print_summary:
        summary = Print(summary, [tensor], name)
        get_default_graph().add_to_collection(GraphKeys.SUMMARIES, summary)
    return summary


def add_histogram_summary(
    tensor: Any, name: Optional[str] = None, prefix: Optional[str] = None
) -> Tensor:
    """A histogram.

    Args:
        tensor: A tensor or variable.
        name: The name of the summary, by default that of the node.
        prefix: What is before the name, with a "/".

    Returns:
        The summary.
    """
    return summary_ops.histogram(_named(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any,
    name: Optional[str] = None,
    prefix: Optional[str] = None,
    print_summary: bool = False,
) -> Tensor:
    """A summary of images.

    Args:
        tensor: The images.
        name: The name of the summary, by default that of the node.
        prefix: What is before the name, with a "/".
        print_summary: Whether the tensor is printed where the summary is computed.

    Returns:
        The summary.
    """
    return _added(summary_ops.image, tensor, _named(tensor, name, prefix), print_summary)


def add_scalar_summary(
    tensor: Any,
    name: Optional[str] = None,
    prefix: Optional[str] = None,
    print_summary: bool = False,
) -> Tensor:
    """A summary of a number.

    Args:
        tensor: A scalar.
        name: The name of the summary, by default that of the node.
        prefix: What is before the name, with a "/".
        print_summary: Whether the number is printed where the summary is computed.

    Returns:
        The summary.
    """
    return _added(summary_ops.scalar, tensor, _named(tensor, name, prefix), print_summary)


def add_zero_fraction_summary(
    tensor: Any,
    name: Optional[str] = None,
    prefix: Optional[str] = None,
    print_summary: bool = False,
) -> Tensor:
    """A summary of how much of a tensor is zero.

    Args:
        tensor: A tensor.
        name: What its name begins with, by default that of the node.
        prefix: What is before the name, with a "/".
        print_summary: Whether the number is printed where the summary is computed.

    Returns:
        The summary.
    """
    name = _named(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors: Sequence[Any], prefix: Optional[str] = None) -> List[Tensor]:
    """A histogram of each tensor.

    Args:
        tensors: The tensors.
        prefix: What is before their names, with a "/".

    Returns:
        The summaries.
    """
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Sequence[Any], prefix: Optional[str] = None) -> List[Tensor]:
    """A summary of images of each tensor.

    Args:
        tensors: The tensors.
        prefix: What is before their names, with a "/".

    Returns:
        The summaries.
    """
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(
    tensors: Sequence[Any], prefix: Optional[str] = None, print_summary: bool = False
) -> List[Tensor]:
    """A summary of each number.

    Args:
        tensors: Scalars.
        prefix: What is before their names, with a "/".
        print_summary: Whether the numbers are printed where the summaries are computed.

    Returns:
        The summaries.
    """
    return [add_scalar_summary(tensor, None, prefix, print_summary) for tensor in tensors]


def add_zero_fraction_summaries(
    tensors: Sequence[Any], prefix: Optional[str] = None
) -> List[Tensor]:
    """A summary of how much of each tensor is zero.

    Args:
        tensors: The tensors.
        prefix: What is before their names, with a "/".

    Returns:
        The summaries.
    """
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
