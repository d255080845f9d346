"""Summaries of tensors by their shape, and of activations."""

from __future__ import annotations

import re
from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import gen_ops, math_ops
from troupe._src.summary import summary_ops
from troupe._src.types import dtypes


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of a tensor; for a relu, softplus or relu6 also how much of it is cut off.

    Args:
        op: The output of an activation.

    Returns:
        The summary of the histogram; the others are in the collection of all.
    """
    kind, name = op.op.type, op.op.name
    bounds = {"Relu": (0.0, None), "Softplus": (0.0, None), "Relu6": (0.0, 6.0)}
    if kind in bounds:
        least, greatest = bounds[kind]
        given = op.op.inputs[0]
        below = gen_ops.less(given, math_ops.cast(least, given.dtype))
        summary_ops.scalar(
            f"{name}/zeros", math_ops.reduce_mean(math_ops.cast(below, dtypes.float32))
        )
        if greatest is not None:
            above = gen_ops.greater(given, math_ops.cast(greatest, given.dtype))
            summary_ops.scalar(
                f"{name}/sixes", math_ops.reduce_mean(math_ops.cast(above, dtypes.float32))
            )
    return summary_ops.histogram(f"{name}/activation", op)


def summarize_tensor(tensor: Any, tag: Optional[str] = None) -> Optional[Tensor]:
    """A summary of a tensor: of the number, or a histogram of several.

    Args:
        tensor: A tensor or variable.
        tag: The name of the summary; by default that of the node and `_summary`.

    Returns:
        The summary; None for strings and bools.
    """
    if tensor.dtype.base_dtype in (dtypes.string, dtypes.bool_):
        return None
    summarize = summary_ops.scalar if tensor.get_shape().ndims == 0 else summary_ops.histogram
    return summarize(tag or f"{tensor.op.name}_summary", tensor)


def summarize_tensors(
    tensors: Sequence[Any], summarizer: Callable[[Any], Any] = summarize_tensor
) -> List[Any]:
    """A summary of each tensor.

    Args:
        tensors: The tensors.
        summarizer: Called with each one.

    Returns:
        What it returned.
    """
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str,
    name_filter: Optional[str] = None,
    summarizer: Callable[[Any], Any] = summarize_tensor,
) -> List[Any]:
    """A summary of each tensor of a collection.

    Args:
        collection: The name of the collection.
        name_filter: A regular expression that the names of the nodes begin with; None for all.
        summarizer: Called with each one.

    Returns:
        What it returned.
    """
    found = get_default_graph().get_collection(collection)
    chosen = [each for each in found if name_filter is None or re.match(name_filter, each.op.name)]
    return summarize_tensors(chosen, summarizer)


def summarize_activations(
    name_filter: Optional[str] = None, summarizer: Callable[[Any], Any] = summarize_activation
) -> List[Any]:
    """A summary of each tensor of the collection ACTIVATIONS.

    Args:
        name_filter: A regular expression that the names of the nodes begin with; None for all.
        summarizer: Called with each one.

    Returns:
        What it returned.
    """
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


def summarize_variables(
    name_filter: Optional[str] = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> List[Any]:
    """A summary of each global variable.

    Args:
        name_filter: A regular expression that the names of the nodes begin with; None for all.
        summarizer: Called with each one.

    Returns:
        What it returned.
    """
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(
    name_filter: Optional[str] = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> List[Any]:
    """A summary of each tensor of the collection WEIGHTS.

    Args:
        name_filter: A regular expression that the names of the nodes begin with; None for all.
        summarizer: Called with each one.

    Returns:
        What it returned.
    """
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(
    name_filter: Optional[str] = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> List[Any]:
    """A summary of each tensor of the collection BIASES.

    Args:
        name_filter: A regular expression that the names of the nodes begin with; None for all.
        summarizer: Called with each one.

    Returns:
        What it returned.
    """
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)
