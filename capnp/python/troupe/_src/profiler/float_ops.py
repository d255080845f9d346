"""How many floating-point operations a node computes, where its shapes say it.

The numbers are those that `tf.profiler` of TensorFlow 1.15 counts.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

# Per element of the first input.
_UNARY = {
    "AssignAdd": 1, "AssignSub": 1, "Log": 1, "Neg": 1, "Reciprocal": 1, "Rsqrt": 2, "Softmax": 5,
    "Square": 1,
}  # fmt: skip
# Per element of the output.
_BINARY = {
    "Add": 1, "AddV2": 1, "BiasAdd": 1, "Equal": 1, "Greater": 1, "GreaterEqual": 1, "Less": 1,
    "LessEqual": 1, "Maximum": 1, "Minimum": 1, "Mul": 1, "NotEqual": 1, "Pow": 1, "RealDiv": 1,
    "RsqrtGrad": 4, "SquaredDifference": 2, "Sub": 1,
}  # fmt: skip
# Each reduced element is one operation; and per element of the output so many more.
_REDUCTIONS = {"ArgMax": 0, "ArgMin": 0, "BiasAddGrad": 0, "Mean": 1, "Sum": 0}


class _Unknown(Exception):
    """A size is not known before the step, or the layout is not NHWC."""


def _elements(tensor: Any) -> int:
    count = tensor.shape.num_elements()
    if count is None:
        raise _Unknown
    return int(count)


def _size(tensor: Any, axis: int) -> int:
    size = tensor.shape.as_list()[axis] if tensor.shape.rank else None
    if size is None:
        raise _Unknown
    return int(size)


def _check_layout(op: Any) -> None:
    if op.get_attr("data_format") not in (b"NHWC", b"NDHWC"):
        raise _Unknown


def _matmul(op: Any) -> int:
    inner = _size(op.inputs[0], 0 if op.get_attr("transpose_a") else 1)
    return 2 * inner * _elements(op.outputs[0])


def _batch_matmul(op: Any) -> int:
    return 2 * _size(op.inputs[0], -2 if op.get_attr("adj_x") else -1) * _elements(op.outputs[0])


def _convolution(op: Any) -> int:
    _check_layout(op)
    # Each element of the output is a sum over the filter of one channel.
    return 2 * _elements(op.inputs[1]) // _size(op.inputs[1], -1) * _elements(op.outputs[0])


def _depthwise(op: Any) -> int:
    _check_layout(op)
    return 2 * _size(op.inputs[1], 0) * _size(op.inputs[1], 1) * _elements(op.outputs[0])


def _backprop(op: Any, image: Any, filters: Any) -> int:
    _check_layout(op)
    strides = op.get_attr("strides")
    products = 2 * _elements(image) * _elements(filters)
    return int(products / (_size(image, -1) * strides[1] * strides[2]))


def _window(op: Any) -> int:
    _check_layout(op)
    area = 1
    for size in op.get_attr("ksize"):
        area *= int(size)
    return area


def _max_pool_grad(op: Any) -> int:
    return (_window(op) + 1) * _elements(op.inputs[1])


_OTHERS: Dict[str, Callable[[Any], int]] = {
    "AddN": lambda op: _elements(op.inputs[0]) * (len(op.inputs) - 1),
    "AvgPool": lambda op: _window(op) * _elements(op.outputs[0]),
    "AvgPoolGrad": lambda op: 2 * _window(op) * _elements(op.inputs[1]),
    "BatchMatMul": _batch_matmul,
    "BatchMatMulV2": _batch_matmul,
    "Conv2D": _convolution,
    "Conv2DBackpropFilter": lambda op: _backprop(op, op.inputs[0], op.outputs[0]),
    "Conv2DBackpropInput": lambda op: _backprop(op, op.outputs[0], op.inputs[1]),
    "Conv3D": _convolution,
    "DepthwiseConv2dNative": _depthwise,
    "L2Loss": lambda op: 3 * _elements(op.inputs[0]) - 1,
    "MatMul": _matmul,
    "MaxPool": lambda op: _window(op) * _elements(op.outputs[0]),
    "MaxPoolGrad": _max_pool_grad,
}


def float_ops(op: Any) -> Optional[int]:
    """The number of operations of a node in one step; None where it is not known."""
    try:
        if op.type in _UNARY:
            return _UNARY[op.type] * _elements(op.inputs[0])
        if op.type in _BINARY:
            return _BINARY[op.type] * _elements(op.outputs[0])
        if op.type in _REDUCTIONS:
            finished = _REDUCTIONS[op.type] - 1
            return _elements(op.inputs[0]) + finished * _elements(op.outputs[0])
        return _OTHERS[op.type](op) if op.type in _OTHERS else None
    except _Unknown:
        return None
