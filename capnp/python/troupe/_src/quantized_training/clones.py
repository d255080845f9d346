"""Layers with other weights."""

from __future__ import annotations

from typing import Any, Dict

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.nn import conv_ops, depthwise_ops
from troupe._src.ops import math_ops

LAYERS = ("Conv2D", "MatMul", "DepthwiseConv2dNative")


def cloned_layer(op: Operation, inputs: Any, weights: Any, name: str) -> Tensor:
    """What a layer gives for other inputs and weights.

    Args:
        op: A convolution or a product of matrices.
        inputs: Its inputs.
        weights: Its weights.
        name: Of the new node.

    Raises:
        ValueError: It is another op.
    """
    if op.type == "MatMul":
        return math_ops.matmul(
            inputs,
            weights,
            transpose_a=op.get_attr("transpose_a"),
            transpose_b=op.get_attr("transpose_b"),
            name=name,
        )
    if op.type not in LAYERS:
        raise ValueError(f"Cannot handle operation of type: {op.type}")
    shared: Dict[str, Any] = {
        "strides": op.get_attr("strides"),
        "padding": _text(op.get_attr("padding")),
        "data_format": _text(op.get_attr("data_format")),
        "dilations": op.get_attr("dilations"),
        "name": name,
    }
    if op.type == "DepthwiseConv2dNative":
        return depthwise_ops.depthwise_conv2d_native(inputs, weights, **shared)
    if shared["padding"] == "EXPLICIT":
        zeros = op.get_attr("explicit_paddings")
        shared["padding"] = [zeros[index : index + 2] for index in range(0, len(zeros), 2)]
    return conv_ops.conv2d(inputs, weights, **shared)


def check_layer_shapes(op: Operation, weights: Tensor) -> None:
    """Raises a ValueError unless weights fit the inputs of a layer."""
    inputs, is_matrix = op.inputs[0], op.type == "MatMul"
    rank, axis = (2, 0) if is_matrix else (4, 2)
    channels = inputs.shape[-1] if inputs.shape.rank == rank else None
    if channels is None or weights.shape.rank != rank or channels != weights.shape[axis]:
        raise ValueError(
            f"Incompatible shapes for op {op.name} inputs: {inputs.shape} and {weights.shape}"
        )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
