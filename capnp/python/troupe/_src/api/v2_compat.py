"""Switches between TensorFlow's two versions: there is graph mode only."""

from __future__ import annotations

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph


def disable_v2_behavior() -> None:
    """Does nothing: there is graph mode only."""


def disable_eager_execution() -> None:
    """Does nothing: there is graph mode only."""


def disable_control_flow_v2() -> None:
    """Does nothing: branches and loops are those of TensorFlow 1."""


def disable_tensor_equality() -> None:
    """Does nothing: tensors are compared by identity."""


def disable_v2_tensorshape() -> None:
    """Does nothing: the sizes of a shape are Dimensions."""


def control_flow_v2_enabled() -> bool:
    """False."""
    return False


def executing_eagerly() -> bool:
    """Whether tensors have values: in functions of `tf.py_function` alone."""
    return get_default_graph()._tensor_class is not Tensor


def executing_eagerly_outside_functions() -> bool:
    """False."""
    return False
