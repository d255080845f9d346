"""The windows, strides and paddings of the layers of a graph."""

from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

from troupe._src.graph_defs.tensor_protos import make_ndarray
from troupe._src.platform import logging

# What one element of a result of these depends on is one of each input.
_ELEMENTWISE = frozenset(
    "Add AddV2 BiasAdd Cast Ceil ConcatV2 Const Floor FusedBatchNorm Identity Log Mul Pow RealDiv "
    "Relu Relu6 Round Rsqrt Softplus Sub VariableV2 LRN GreaterEqual "
    # Of this package: what reads variables, and the op of batches that are normalized.
    "FusedBatchNormV3 VarHandleOp ReadVariableOp".split()
)
_POOLS = ("MaxPool", "MaxPoolV2", "AvgPool")
_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")


class LayerParams(NamedTuple):
    """Of a layer, along each axis; None where it is not known."""

    kernel_size_x: Optional[int]
    kernel_size_y: Optional[int]
    stride_x: Optional[int]
    stride_y: Optional[int]
    padding_x: Optional[int]
    padding_y: Optional[int]
    total_padding_x: Optional[int]
    total_padding_y: Optional[int]


def _input_value(node: Any, name_to_node: Dict[str, Any], index: int) -> Any:
    source = name_to_node[node.input[index]]
    if source.op != "Const":
        raise ValueError(f"Input {index} of {node.name} is not Const")
    return make_ndarray(source.attr["value"].tensor)


def _stride(node: Any, name_to_node: Dict[str, Any]) -> Tuple[int, int]:
    if node.op == "MaxPoolV2":
        sizes = _input_value(node, name_to_node, 2)
    else:
        sizes = node.attr["strides"].list.i
    return int(sizes[2]), int(sizes[1])


def _kernel_size(node: Any, name_to_node: Dict[str, Any]) -> Tuple[int, int]:
    name = node.input[1]
    weights = name_to_node[name]
    if weights.op == "ReadVariableOp":
        weights = name_to_node[weights.input[0]]
    elif name.endswith("/read"):
        weights = name_to_node[name[: -len("/read")]]
    else:
        raise ValueError("Weight layer's name input to conv layer does not end with '/read'")
    if weights.op in ("VariableV2", "VarHandleOp"):
        dims = weights.attr["shape"].shape.dim
    elif weights.op == "Const":
        dims = weights.attr["value"].tensor.tensor_shape.dim
    else:
        raise ValueError(
            f"Weight layer {weights.name} is not of type VariableV2 or Const: {weights.op}"
        )
    if len(dims) != 4:
        raise ValueError(
            f"Weight layer {weights.name} does not have rank 4. Instead, it has: {len(dims)}"
        )
    return int(dims[1].size), int(dims[0].size)


def _pool_size(node: Any, name_to_node: Dict[str, Any]) -> Tuple[int, int]:
    if node.op == "MaxPoolV2":
        sizes = _input_value(node, name_to_node, 1)
    else:
        sizes = node.attr["ksize"].list.i
    for index, which in ((0, "first"), (3, "last")):
        if sizes[index] != 1:
            raise ValueError(f"pool ksize for {which} dim is not 1")
    return int(sizes[2]), int(sizes[1])


def _padding(
    node: Any, kernel_size: int, stride: int, size: Optional[int]
) -> Tuple[Optional[int], Optional[int]]:
    """All padding of a window along an axis, and that before it."""
    kind = node.attr["padding"].s
    if kind in ("VALID", b"VALID"):
        return 0, 0
    if kind not in ("SAME", b"SAME"):
        raise ValueError(f"Invalid padding operation {kind}")
    if size is not None:
        covered = size % stride or stride
        total = max(kernel_size - covered, 0)
        return total, total // 2
    if kernel_size == 1:
        return 0, 0
    if stride == 1:
        return kernel_size - 1, (kernel_size - 1) // 2
    if stride == 2 and kernel_size % 2 == 0:
        return None, (kernel_size - 1) // 2
    logging.warning(
        "Padding depends on input size, which means that the effective padding may be different "
        "depending on the input image dimensionality. In this case, alignment check will be "
        "skipped. If you know the input resolution, please set it."
    )
    return None, None


def _pad_layer(node: Any, name_to_node: Dict[str, Any]) -> LayerParams:
    paddings = _input_value(node, name_to_node, 1)
    for index, which in ((0, "first"), (3, "last")):
        if paddings[index][0] != 0 or paddings[index][1] != 0:
            raise ValueError(f"padding is not zero for {which} tensor dim")
    (y, after_y), (x, after_x) = paddings[1].tolist(), paddings[2].tolist()
    return LayerParams(1, 1, 1, 1, x, y, x + after_x, y + after_y)


def get_layer_params(
    node: Any,
    name_to_node: Dict[str, Any],
    input_resolution: Optional[Sequence[int]] = None,
    force: bool = False,
) -> LayerParams:
    """The window of a layer, its stride and its padding.

    Args:
        node: The NodeDef of the layer.
        name_to_node: All nodes by name.
        input_resolution: The height and the width of its input, where they are known.
        force: Whether the layer may be of any op; nothing is known of others.

    Returns:
        The numbers.

    Raises:
        ValueError: The layer is of another op, or not as it can be analyzed.
    """
    if node.op == "Pad":
        return _pad_layer(node, name_to_node)
    if node.op in _CONVOLUTIONS or node.op in _POOLS:
        stride_x, stride_y = _stride(node, name_to_node)
        window = _pool_size if node.op in _POOLS else _kernel_size
        size_x, size_y = window(node, name_to_node)
        height, width = input_resolution if input_resolution is not None else (None, None)
        total_x, x = _padding(node, size_x, stride_x, width)
        total_y, y = _padding(node, size_y, stride_y, height)
        return LayerParams(size_x, size_y, stride_x, stride_y, x, y, total_x, total_y)
    if node.op in _ELEMENTWISE:
        return LayerParams(1, 1, 1, 1, 0, 0, 0, 0)
    if force:
        return LayerParams(None, None, None, None, None, None, None, None)
    raise ValueError(f"Unknown layer for operation '{node.name}': {node.op}")


def output_size(size: Optional[int], kernel_size: Any, stride: Any, padding: Any) -> Any:
    """The size of what a layer makes of an axis, None where it is not known.

    Args:
        size: Of the axis.
        kernel_size: Of the layer.
        stride: Of the layer.
        padding: All of it.

    Returns:
        The size.
    """
    if size is None or kernel_size is None or stride is None or padding is None:
        return None
    return int(math.ceil((size + padding - kernel_size + 1) / stride))
