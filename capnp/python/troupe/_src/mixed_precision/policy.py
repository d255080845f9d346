"""Policies: in which dtypes layers of Keras compute and keep their variables."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional, Tuple

from troupe._src.keras.settings import floatx
from troupe._src.mixed_precision import loss_scale as loss_scales
from troupe._src.mixed_precision.loss_scale import LossScale
from troupe._src.platform import logging
from troupe._src.session.default_config import MixedPrecisionState
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype

_VARIABLES = "_with_float32_vars"
_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
_RENAMED = {"infer_float32_vars": f"infer{_VARIABLES}", f"float32{_VARIABLES}": "float32"}
_BY_NAME = "USE_DEFAULT"  # the loss scale that the name of a policy asks for


@set_module("troupe.keras.mixed_precision.experimental")
class Policy:
    """The dtypes of a layer: that of its computation, and that of its variables.

    A layer gets it as its `dtype`, or has that of `set_policy`. Where the dtypes differ, the layer
    reads its variables in the dtype of the computation.

    Args:
        name: The name of a dtype, for both; one with "_with_float32_vars" at its end, for
            computations alone; "mixed_float16" or "mixed_bfloat16", for these with variables of
            float32; "infer" or "infer_with_float32_vars", for the dtype of the first input.
        loss_scale: A `tf.train.experimental.LossScale`, a number, "dynamic" or None, by which the
            training of a model multiplies its loss; by default "dynamic" for "mixed_float16", and
            none for others.

    Raises:
        TypeError: The name is no string.
        ValueError: No policy has that name.
    """

    def __init__(self, name: str, loss_scale: Any = _BY_NAME) -> None:
        if isinstance(name, DType):
            raise TypeError(
                "'name' must be a string, not a DType. "
                f"Instead, pass DType.name. Got: {name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}")
        self._name = _RENAMED.get(name, name)
        self._compute_dtype, self._variable_dtype = _parsed(self._name)
        if isinstance(loss_scale, str) and loss_scale == _BY_NAME:
            loss_scale = "dynamic" if name == "mixed_float16" else None
        if loss_scale and self._compute_dtype not in (None, "float16"):
            logging.warning(
                "Creating a Policy with a loss scale is only useful for float16 policies. "
                f"You passed loss_scale={loss_scale!r} for policy {name}. "
                "Consider not passing any loss_scale instead."
            )
        self._loss_scale = loss_scales.get(loss_scale)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def variable_dtype(self) -> Optional[str]:
        """The name of the dtype of variables; None for that of the first input."""
        return self._variable_dtype

    @property
    def compute_dtype(self) -> Optional[str]:
        """The name of the dtype of computations; None for that of the first input."""
        return self._compute_dtype

    @property
    def should_cast_variables(self) -> bool:
        """Whether the dtypes differ."""
        return self._variable_dtype != self._compute_dtype

    @property
    def loss_scale(self) -> Optional[LossScale]:
        """What the loss of a model is multiplied by, or None."""
        return self._loss_scale

    def __repr__(self) -> str:
        return f'<Policy "{self._name}", loss_scale={self._loss_scale}>'


def _parsed(name: str) -> Tuple[Optional[str], Optional[str]]:
    """The dtypes of computations and of variables."""
    if name in _MIXED:
        return _MIXED[name], "float32"
    has_float32 = name.endswith(_VARIABLES)
    base = name[: -len(_VARIABLES)] if has_float32 else name
    try:
        dtype = None if base == "infer" else as_dtype(base).name
    except TypeError:
        text = (
            f"Cannot convert value {name} to a mixed precision Policy. Valid policies include "
            'include those in the form "<dtype>" and "<dtype>_with_float32_vars", where <dtype> '
            "is the name of a dtype."
        )
        if has_float32:
            text += (
                f" The value {name} ends with _with_float32_vars, but {base} cannot be converted "
                "to a DType"
            )
        raise ValueError(text) from None
    return dtype, "float32" if has_float32 else dtype


def with_input_dtype(policy: Policy, dtype: DTypeLike) -> Policy:
    """A policy that infers a dtype, once that is known.

    Args:
        policy: The policy.
        dtype: The dtype of the first input.

    Returns:
        The policy with that dtype.
    """
    name = as_dtype(dtype).name
    return Policy(name if policy.variable_dtype is None else name + _VARIABLES)


class _State:
    policy: Optional[Policy] = None  # None where the program has set none
    takes_floatx = False  # whether layers are of `floatx()`, and cast their inputs to that


def enable_v2_dtype_behavior() -> None:
    """Lets new layers of `tf.keras` compute in `floatx()` by default, and cast their inputs.

    A layer that is made with `autocast=False` does not cast.
    """
    _State.takes_floatx = True


def disable_v2_dtype_behavior() -> None:
    """Lets new layers of `tf.keras` have the dtype of their first input: the default."""
    _State.takes_floatx = False


def v2_dtype_behavior_enabled() -> bool:
    """Whether `enable_v2_dtype_behavior` was called last."""
    return _State.takes_floatx


@set_module("troupe.keras.mixed_precision.experimental")
def global_policy() -> Policy:
    """The policy of layers that are made without one: "infer", unless `set_policy` says other."""
    if _State.policy is None:
        return Policy(floatx() if _State.takes_floatx else "infer")
    return _State.policy


@set_module("troupe.keras.mixed_precision.experimental")
def set_policy(policy: Any) -> None:
    """Sets the policy of layers that are made without one.

    Args:
        policy: A `Policy`, its name, or None for the default.

    Raises:
        ValueError: It infers no dtype, and `enable_v2_dtype_behavior` of
            `tensorflow.python.keras.engine.base_layer_utils` was not called, or graphs are
            rewritten for mixed precision.
    """
    if MixedPrecisionState.is_enabled:
        raise ValueError(
            "The mixed precision policy cannot be set, because the mixed precision graph rewrite "
            "has already been enabled.\nAt most one of "
            "tf.train.experimental.enable_mixed_precision_graph_rewrite() and "
            "tf.keras.mixed_precision.experimental.set_policy() can be called."
        )
    if policy is not None and not isinstance(policy, Policy):
        policy = Policy(policy)
    if policy is not None and policy.compute_dtype and not _State.takes_floatx:
        raise ValueError(
            "The global policy can only be set to a non-infer policy in TensorFlow 2: "
            "tensorflow.python.keras.engine.base_layer_utils.enable_v2_dtype_behavior() lets "
            "layers have one"
        )
    _State.policy = policy


@contextlib.contextmanager
def policy_scope(policy: Any) -> Iterator[None]:
    """Sets the policy of layers that are made without one, for a time.

    Args:
        policy: A `Policy`, or its name.

    Yields:
        Nothing.
    """
    before = _State.policy
    try:
        set_policy(policy)
        yield
    finally:
        _State.policy = before


def policy_of(dtype: Any) -> Policy:
    """The policy of a layer.

    Args:
        dtype: What the layer was given: a `Policy`, a dtype or its name, or None.
    """
    if isinstance(dtype, Policy):
        return dtype
    return Policy(as_dtype(dtype).name) if dtype else global_policy()
