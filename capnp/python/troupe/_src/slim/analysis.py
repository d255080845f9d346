"""Sizes of the tensors and variables of a graph, as text."""

from __future__ import annotations

from typing import Any, Iterable, Tuple

from troupe._src.graph.graph import Graph


def tensor_description(var: Any) -> str:
    """The dtype and shape of a tensor or variable, such as "(float32 3x3x64)".

    Args:
        var: The tensor or variable.

    Returns:
        The text.
    """
    sizes = "x".join(str(size) for size in var.get_shape())
    return f"({var.dtype.base_dtype.name} {sizes})"


def _size(tensor: Any) -> int:
    """The number of elements; 0 where it is not known."""
    return tensor.get_shape().num_elements() or 0


def analyze_ops(graph: Graph, print_info: bool = False) -> int:
    """The number of elements that the outputs of all nodes have, as far as it is known.

    Args:
        graph: The graph.
        print_info: Whether each node is printed.

    Returns:
        The sum.
    """
    if print_info:
        print("---------", "Operations: name -> (type shapes) [size]", "---------", sep="\n")
    total = 0
    for op in graph.get_operations():
        size = sum(_size(output) for output in op.outputs)
        shown = [tensor_description(each) for each in op.outputs if each.get_shape()]
        if print_info:
            print(op.name, "\t->", ", ".join(shown), f"[{size}]")
        total += size
    return total


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> Tuple[int, int]:
    """The number of elements of variables, and of their bytes.

    Args:
        variables: The variables.
        print_info: Whether each one is printed, and both sums.

    Returns:
        Both sums.
    """
    if print_info:
        print("---------", "Variables: name (type shape) [size]", "---------", sep="\n")
    total_size = total_bytes = 0
    for each in variables:
        size = _size(each)
        count = size * each.dtype.size
        if print_info:
            print(each.name, tensor_description(each), f"[{size}, bytes: {count}]")
        total_size += size
        total_bytes += count
    if print_info:
        print(f"Total size of variables: {total_size}")
        print(f"Total bytes of variables: {total_bytes}")
    return total_size, total_bytes
