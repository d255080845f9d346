"""Estimators of models that others have exported."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional

from troupe._src.checkpoints.checkpoint_reader import list_variables
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.exports import TAGS
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator.warm_start_settings import WarmStartSettings
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.grouping_ops import group
from troupe._src.platform import logging
from troupe._src.saved_model import constants
from troupe._src.saved_model.loader import SavedModelLoader, get_init_op
from troupe._src.set_module import set_module
from troupe._src.train.global_step import assert_global_step, get_global_step
from troupe._src.train.scaffold import Scaffold
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.paths import PathLike
from troupe._src.types.shapes import TensorShape

_METHODS = {
    ModeKeys.TRAIN: constants.SUPERVISED_TRAIN_METHOD_NAME,
    ModeKeys.EVAL: constants.SUPERVISED_EVAL_METHOD_NAME,
}
_SIGNATURES = {
    ModeKeys.TRAIN: constants.DEFAULT_TRAIN_SIGNATURE_DEF_KEY,
    ModeKeys.EVAL: constants.DEFAULT_EVAL_SIGNATURE_DEF_KEY,
    ModeKeys.PREDICT: constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
}


class _Outputs(NamedTuple):
    loss: Any = None
    predictions: Any = None
    metrics: Optional[Dict[str, Any]] = None


@set_module("troupe.contrib.estimator")
class SavedModelEstimator(Estimator):
    """An estimator of a SavedModel, which goes on from the values that its variables have there.

    It trains, evaluates and predicts as far as the model was exported for that, by
    `experimental_export_all_saved_models`. Input functions give features and labels by the names
    of the signatures' inputs.

    Args:
        saved_model_dir: The folder of the SavedModel.
        model_dir: As of Estimator.

    Raises:
        OSError: The folder has no SavedModel.
        ValueError: It has no variables.
    """

    def __init__(self, saved_model_dir: PathLike, model_dir: Optional[PathLike] = None) -> None:
        folder = os.fsdecode(saved_model_dir)
        checkpoint = constants.variables_path(folder)
        if not os.path.exists(f"{checkpoint}.index"):
            raise ValueError(f"Directory provided has an invalid SavedModel format: {folder}")
        self.saved_model_dir = saved_model_dir
        self.saved_model_loader = SavedModelLoader(folder)
        self._modes = [mode for mode in TAGS if self._signature(mode) is not None]
        logging.info("Available modes for Estimator: %s", self._modes)
        names = [name for name, _ in list_variables(checkpoint)]
        settings = WarmStartSettings(checkpoint, names)
        super().__init__(self._loaded_model_fn, model_dir, warm_start_from=settings)

    def _signature(self, mode: str) -> Any:
        """The signature of a mode; None where the model was not exported for it."""
        try:
            message = self.saved_model_loader.get_meta_graph_def_from_tags([TAGS[mode]])
        except RuntimeError:
            logging.warning("%s mode not found in SavedModel.", mode)
            return None
        key = _SIGNATURES[mode]
        return message.signature_def[key] if key in message.signature_def else None

    def _create_global_step(self, graph: Graph) -> Any:
        return None  # the model has one

    def _loaded_model_fn(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        if mode not in self._modes:
            raise RuntimeError(
                f"{mode} mode is not available in the SavedModel. Use saved_model_cli to check "
                "that the Metagraph for this mode has been exported."
            )
        graph = get_default_graph()
        if get_global_step(graph) is not None:
            raise RuntimeError(
                "Graph must not contain a global step tensor before the SavedModel is loaded. "
                "Please make sure that the input function does not create a global step."
            )
        signature, tags = self._signature(mode), [TAGS[mode]]
        names = [info.name for info in signature.outputs.values()]
        _, tensors = self.saved_model_loader.load_graph(
            graph, tags, input_map=_input_map(signature, features, labels), return_elements=names
        )
        assert_global_step(get_global_step(graph))
        message = self.saved_model_loader.get_meta_graph_def_from_tags(tags)
        found = _outputs(mode, dict(zip(signature.outputs, tensors)), signature.method_name)
        steps = _taken_collection(graph, constants.TRAIN_OP_KEY)
        if len(steps) > 1:
            raise RuntimeError("Multiple ops found in the train_op collection.")
        # What was exported initializes its own; the iterators of inputs are here, too.
        begins = graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
        saved = get_init_op(message)
        scaffold = Scaffold(local_init_op=group(*([] if saved is None else [saved]), *begins))
        for key in (
            constants.ASSETS_KEY, constants.LEGACY_INIT_OP_KEY, constants.MAIN_OP_KEY
        ):  # fmt: skip
            _taken_collection(graph, key)
        return EstimatorSpec(
            mode,
            predictions=found.predictions,
            loss=found.loss,
            train_op=steps[0] if steps else None,
            eval_metric_ops=found.metrics,
            scaffold=scaffold,
        )


def _taken_collection(graph: Graph, key: str) -> List[Any]:
    """What is in a collection, in which it is no more."""
    kept = graph.get_collection_ref(key)
    found = list(kept)
    kept[:] = []
    return found


def _input_map(signature: Any, features: Any, labels: Any) -> Dict[str, Any]:
    """What inputs of the model become: features and labels by their names."""
    given = features if isinstance(features, dict) else {"feature": features}
    if labels is not None:
        named = labels if isinstance(labels, dict) else {"label": labels}
        given = {**named, **given}
    found = {}
    for key, info in signature.inputs.items():
        if key not in given:
            raise ValueError(
                f'Key "{key}" not found in features or labels passed in to the model function. '
                f"All required keys: {list(signature.inputs)}"
            )
        _check_input(key, given[key], info)
        name = info.name.partition(":")[0]
        found[name] = found[f"^{name}"] = given[key]
    return found


def _check_input(key: str, tensor: Any, info: Any) -> None:
    dtype, shape = as_dtype(info.dtype), TensorShape(info.tensor_shape)
    faults = ""
    if tensor.dtype != dtype:
        faults += f"\n\tExpected dtype: {dtype}, Got: {tensor.dtype}"
    if not tensor.shape.is_compatible_with(shape):
        faults += f"\n\tExpected shape: {shape}, Got: {tensor.shape}"
    if faults:
        raise ValueError(f"Tensor shape and/or dtype validation failed for input {key}:{faults}")


def _outputs(mode: str, named: Dict[str, Any], method: str) -> _Outputs:
    if mode == ModeKeys.PREDICT:
        return _Outputs(predictions=named)
    if method != _METHODS[mode]:
        raise RuntimeError(
            f"Invalid SignatureDef method name for mode {mode}.\n\tExpected: {_METHODS[mode]}\n\t"
            f"Got: {method}\nPlease ensure that the SavedModel was exported with "
            "`tf.estimator.experimental_export_all_saved_models()`."
        )
    predictions = {
        key: tensor for key, tensor in named.items() if key.split("/")[0] == "predictions"
    }
    metrics = {}
    for key, value in named.items():
        name, _, kind = key.rpartition("/")
        if key.split("/")[0] == "metrics" and kind == "value" and f"{name}/update_op" in named:
            metrics[name] = value, named[f"{name}/update_op"]
    return _Outputs(named["loss"], predictions, metrics)
