"""What a graph computes, as messages."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.messages.meta_graph_messages import SignatureDef, TensorInfo
from troupe._src.saved_model import constants
from troupe._src.saved_model.tensor_infos import build_tensor_info
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType


def build_signature_def(
    inputs: Optional[Dict[str, TensorInfo]] = None,
    outputs: Optional[Dict[str, TensorInfo]] = None,
    method_name: Optional[str] = None,
) -> SignatureDef:
    """A signature of tensors that are messages already.

    Args:
        inputs: By names for users.
        outputs: By names for users.
        method_name: What it is for.

    Returns:
        A SignatureDef.
    """
    signature = SignatureDef()
    for key, info in (inputs or {}).items():
        signature.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        signature.outputs[key].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def _info(what: str, tensor: Any, dtype: DType) -> TensorInfo:
    """The message of a tensor of that dtype; ValueError for others."""
    if not isinstance(tensor, Tensor) or tensor.dtype.base_dtype != dtype:
        kind = "string" if dtype == dtypes.string else "float"
        raise ValueError(f"{what} must be a {kind} Tensor.")
    return build_tensor_info(tensor)


def regression_signature_def(examples: Tensor, predictions: Tensor) -> SignatureDef:
    """The signature of a regression of serialized examples.

    Args:
        examples: A tensor of strings.
        predictions: A tensor of float32.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: One of them is None or of another type.
    """
    if examples is None:
        raise ValueError("Regression examples cannot be None.")
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    return build_signature_def(
        {constants.REGRESS_INPUTS: _info("Regression examples", examples, dtypes.string)},
        {constants.REGRESS_OUTPUTS: _info("Regression output", predictions, dtypes.float32)},
        constants.REGRESS_METHOD_NAME,
    )


def classification_signature_def(
    examples: Tensor, classes: Optional[Tensor], scores: Optional[Tensor]
) -> SignatureDef:
    """The signature of a classification of serialized examples.

    Args:
        examples: A tensor of strings.
        classes: A tensor of strings, or None.
        scores: A tensor of float32, or None.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: There is neither of the two, or one is of another type.
    """
    if examples is None:
        raise ValueError("Classification examples cannot be None.")
    inputs = {
        constants.CLASSIFY_INPUTS: _info("Classification examples", examples, dtypes.string)
    }
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    outputs = {}
    if classes is not None:
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = _info(
            "Classification classes", classes, dtypes.string
        )
    if scores is not None:
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = _info(
            "Classification scores", scores, dtypes.float32
        )
    return build_signature_def(inputs, outputs, constants.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs: Dict[str, Any], outputs: Dict[str, Any]) -> SignatureDef:
    """The signature of a prediction.

    Args:
        inputs: Tensors by names for users.
        outputs: Tensors by names for users.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: There are no inputs, or no outputs.
    """
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), constants.PREDICT_METHOD_NAME)


def _infos(tensors: Dict[str, Any]) -> Dict[str, TensorInfo]:
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


def supervised_train_signature_def(
    inputs: Dict[str, Any], loss: Any, predictions: Any = None, metrics: Any = None
) -> SignatureDef:
    """The signature of a training's step: tensors by name for each of the arguments."""
    return _supervised(constants.SUPERVISED_TRAIN_METHOD_NAME, inputs, loss, predictions, metrics)


def supervised_eval_signature_def(
    inputs: Dict[str, Any], loss: Any, predictions: Any = None, metrics: Any = None
) -> SignatureDef:
    """The signature of an evaluation's step: tensors by name for each of the arguments."""
    return _supervised(constants.SUPERVISED_EVAL_METHOD_NAME, inputs, loss, predictions, metrics)


def _supervised(method_name: str, inputs: Dict[str, Any], *outputs: Any) -> SignatureDef:
    if not inputs:
        raise ValueError(f"{method_name} inputs cannot be None or empty.")
    named: Dict[str, Any] = {}
    for each in outputs:
        named.update(each or {})
    return build_signature_def(_infos(inputs), _infos(named), method_name)


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature is of one of the three kinds that can be served.

    Args:
        signature_def: A SignatureDef, or None.

    Returns:
        True or false.
    """
    if signature_def is None:
        return False
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if signature_def.method_name == constants.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if signature_def.method_name == constants.REGRESS_METHOD_NAME:
        names = {constants.REGRESS_OUTPUTS: dtypes.float32}
        return _has(inputs, constants.REGRESS_INPUTS) and _are(outputs, names, all_of_them=True)
    if signature_def.method_name == constants.CLASSIFY_METHOD_NAME:
        names = {
            constants.CLASSIFY_OUTPUT_CLASSES: dtypes.string,
            constants.CLASSIFY_OUTPUT_SCORES: dtypes.float32,
        }
        return _has(inputs, constants.CLASSIFY_INPUTS) and _are(outputs, names, all_of_them=False)
    return False


def _has(inputs: Any, key: str) -> bool:
    """Whether strings of that name are the only input."""
    return set(inputs) == {key} and inputs[key].dtype == dtypes.string.as_datatype_enum


def _are(outputs: Any, names: Dict[str, DType], all_of_them: bool) -> bool:
    """Whether the outputs are some of those, of these dtypes."""
    if not outputs or not set(outputs) <= set(names) or all_of_them and len(outputs) < len(names):
        return False
    return all(outputs[key].dtype == names[key].as_datatype_enum for key in outputs)
