"""Texts of structures of tensors, and operations that print them."""

from __future__ import annotations

import itertools
import logging
import pprint
import sys
from typing import Any, List, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.platform import logging as tf_logging
from troupe._src.types import dtypes

_LEVELS = {"info": "info", "warning": "warning", "warn": "warning", "error": "error"}


def string_format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: Optional[str] = None,
) -> Tensor:
    """The template with each placeholder replaced by the value of one of the tensors.

    As `tf.strings.format`.

    Args:
        template: The text.
        inputs: A tensor, or a list of as many as there are placeholders.
        placeholder: What is replaced.
        summarize: How many elements are shown at each end of an axis; -1 for all.

    Returns:
        A scalar, a string.

    Raises:
        ValueError: There is another number of placeholders than of tensors.
    """
    tensors = [convert_to_tensor(x) for x in nest.flatten(inputs)]
    count = template.count(placeholder)
    if count != len(tensors):
        raise ValueError(
            f"{count} placeholder(s) in template does not match {len(tensors)} tensor(s) provided "
            "as input"
        )
    return raw_ops.StringFormat(
        inputs=tensors,
        template=template,
        placeholder=placeholder,
        summarize=summarize,
        name=name,
    )


def print_v2(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that prints the inputs where it is computed, tensors by their values.

    As `tf.print`.

    Args:
        *inputs: Tensors, sparse tensors, nested structures of them, and what Python prints.
        **kwargs: output_stream (sys.stderr, sys.stdout, a level or function of a log, which goes to
            the standard error, or "file://" and the path of a file of the node that prints, which
            gets it at its end), summarize (elements shown at each end of an axis; 3, and -1 for
            all), sep (" "), end (a new line), name.

    Returns:
        The operation.

    Raises:
        ValueError: A keyword or the stream is another.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize, name = kwargs.pop("summarize", 3), kwargs.pop("name", None)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = _target(stream)
    if len(inputs) == 1 and _is_text(inputs[0]):
        text = convert_to_tensor(inputs[0])
    else:
        template, tensors, placeholder = _template(inputs, sep)
        format_name = f"{name}_format" if name else None
        text = string_format(template, tensors, placeholder, summarize, format_name)
    return raw_ops.PrintV2(input=text, output_stream=target, end=end, name=name)


def _target(stream: Any) -> str:
    """What the op calls a stream."""
    if isinstance(stream, str):
        return stream
    for streams, target in (
        ((sys.stderr, sys.__stderr__), "stderr"),
        ((sys.stdout, sys.__stdout__), "stdout"),
    ):
        if any(stream is each for each in streams):
            return target
    for name, level in _LEVELS.items():
        functions = [getattr(module, name, None) for module in (logging, tf_logging)]
        if stream in functions or stream == getattr(logging, name.upper()):
            return f"log({level})"
    raise ValueError(
        f"Unsupported output stream {stream!r}: it is none of sys.stdout, sys.stderr, "
        "tf.logging.info, tf.logging.warning and tf.logging.error"
    )


def _is_text(value: Any) -> bool:
    """Whether it is one string, which is printed without quotes."""
    return isinstance(value, Tensor) and value.dtype == dtypes.string and value.shape.rank == 0


def _template(inputs: Tuple[Any, ...], sep: str) -> Tuple[str, List[Any], str]:
    """(template, its tensors, what stands for each of them)."""
    others = [nest.map_structure(lambda x: "" if _is_printed(x) else x, each) for each in inputs]
    known = sep + " ".join(pprint.pformat(other) for other in others)
    placeholder = next(found for i in itertools.count() if (found := "{}" + "0" * i) not in known)
    texts, tensors = [], []
    for value in inputs:
        leaves: List[Any] = []
        for leaf in nest.flatten(value):
            if isinstance(leaf, SparseTensor):
                tensors += [leaf.indices, leaf.values, leaf.dense_shape]
                parts = (f"{part}={placeholder}" for part in ("indices", "values", "shape"))
                leaves.append(f"SparseTensor({', '.join(parts)})")
            elif _is_printed(leaf):
                tensors.append(convert_to_tensor(leaf))
                leaves.append(placeholder)
            else:
                leaves.append(leaf)
        is_text = isinstance(value, str)
        texts.append(value if is_text else pprint.pformat(nest.pack_sequence_as(value, leaves)))
    # In structures, what stands for a tensor has quotes.
    return sep.join(texts).replace(f"'{placeholder}'", placeholder), tensors, placeholder


def _is_printed(value: Any) -> bool:
    """Whether its value is known in a step only."""
    return isinstance(value, SparseTensor) or is_tensor(value)
