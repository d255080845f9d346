"""Sums of products by Einstein's notation."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, List, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor

_ELLIPSIS = "..."
_LABELS = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products of elements that the equation describes, such as "bij,bjk->bik".

    Without "->", the result has the axes whose labels are there once, in the order of the alphabet,
    after those of an ellipsis.

    Args:
        equation: The labels of the axes of each input and of the result.
        *inputs: As many tensors, of one dtype.
        **kwargs: `name`, that of the nodes.

    Returns:
        The result. More than two inputs are multiplied one after the other.

    Raises:
        TypeError: There is another argument by keyword.
        ValueError: The equation is none, is one of another number of inputs, or does not fit them.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(
            "invalid keyword arguments for this function: " + ", ".join(sorted(kwargs))
        )
    labels, result = _parse(equation)
    if len(labels) != len(inputs):
        raise ValueError(
            f"Got {len(inputs)} arguments for equation '{equation}', expecting {len(labels)}"
        )
    with get_default_graph().name_scope(name or "einsum"):
        dtype = next((value.dtype for value in inputs if is_tensor(value)), None)
        tensors = [
            convert_to_tensor(value, None if is_tensor(value) else dtype) for value in inputs
        ]
        while len(tensors) > 2:
            later = "".join(labels[2:]) + result
            both = _union(labels[0], labels[1], later)
            product = _einsum(labels[:2], both, tensors[:2])
            tensors, labels = [product, *tensors[2:]], [both, *labels[2:]]
        return _einsum(labels, result, tensors)


def _einsum(labels: List[str], result: str, tensors: List[Tensor]) -> Tensor:
    product: Tensor = raw_ops.Einsum(inputs=tensors, equation=f"{','.join(labels)}->{result}")
    return product


def _parse(equation: Any) -> Tuple[List[str], str]:
    """The labels of the inputs and of the result."""
    if not isinstance(equation, str):
        raise TypeError(f"equation must be a string, not {equation!r}")
    left, arrow, result = equation.replace(" ", "").partition("->")
    labels = left.split(",")
    if not all(_LABELS.fullmatch(part) for part in [*labels, result]):
        raise ValueError(f"Indices have incorrect format: {equation}")
    if not arrow:
        counts = Counter("".join(labels).replace(".", ""))
        once = sorted(label for label, count in counts.items() if count == 1)
        result = (_ELLIPSIS if _ELLIPSIS in left else "") + "".join(once)
    for label in set(result.replace(".", "")) - set(left):
        raise ValueError(f"Unknown subscripts in output: '{label}' of {equation}")
    return labels, result


def _union(first: str, second: str, later: str) -> str:
    """The labels of both that are there again, each once."""
    named = (first + second).replace(_ELLIPSIS, "")
    kept = [label for label in dict.fromkeys(named) if label in later]
    has_more = _ELLIPSIS in first + second
    return (_ELLIPSIS if has_more else "") + "".join(kept)
