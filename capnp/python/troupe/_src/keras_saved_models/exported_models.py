"""Models as SavedModels of graphs: one that trains, one that evaluates, one that predicts."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from troupe._src.checkpoints.saver import Saver
from troupe._src.control_flow.structure import flatten
from troupe._src.estimator.export_outputs import EvalOutput, PredictOutput, TrainOutput
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.keras.sessions import get_session, kept_session, learning_phase_scope
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer as OptimizerV2
from troupe._src.keras_optimizers.wrapped_optimizer import TFOptimizer
from troupe._src.object_checkpoints.object_view import ObjectView
from troupe._src.object_saved_models.save import save
from troupe._src.ops.creation_ops import placeholder
from troupe._src.ops.grouping_ops import group
from troupe._src.platform import logging
from troupe._src.saved_model import constants
from troupe._src.saved_model.builder import Builder
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.tf_keras.estimators import compile_like, make_local, optimizers_like
from troupe._src.keras_saved_models.layer_functions import default_signature, input_specs
from troupe._src.keras.loaded import keras_module
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_sets import local_variables_initializer

_JSON = "saved_model.json"
_TAGS = {"train": constants.TRAINING, "eval": constants.EVAL, "predict": constants.SERVING}


@set_module("troupe.keras.experimental")
def export_saved_model(
    model: Any, saved_model_path: PathLike,
    custom_objects: Optional[Mapping[str, Any]] = None, as_text: bool = False,
    input_signature: Any = None, serving_only: bool = False,
) -> None:  # fmt: skip
    """Saves a model as a SavedModel of graphs, beside its configuration and its weights.

    A compiled model has a graph that trains, with the tag "train", and one that evaluates, "eval";
    the tag of the graph that is served is "serve". As TensorFlow 1.15's function of the name.

    Args:
        model: The model.
        saved_model_path: The folder, which does not exist or is empty.
        custom_objects: Classes and functions of the program that the configuration names.
        as_text: Writes protobuf's text form.
        input_signature: The `tf.TensorSpec`s of the inputs, by default those of the model.
        serving_only: Saves what is served alone, with functions as of `tf.saved_model.save`.

    Raises:
        NotImplementedError: The model has a function `call`, and is not for serving only.
        ValueError: The model has no weights yet.
        AssertionError: The folder has files.
    """
    path = os.fspath(saved_model_path)
    if serving_only:
        specs = input_signature or input_specs(model.inputs, model.input_names)
        session = get_session()
        with session.graph.as_default(), learning_phase_scope(0):
            save(model, path, signatures=default_signature(model, specs))
    else:
        _check(model)
        _export_graphs(model, path, custom_objects, as_text, input_signature)
    try:
        text = model.to_json()
    except NotImplementedError:
        logging.warning(
            "Skipped saving model JSON, subclassed model does not have get_config() defined."
        )
        return
    folder = os.path.join(path, constants.ASSETS_DIRECTORY)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, _JSON), "w", encoding="utf-8") as file:
        file.write(text)


@set_module("troupe.keras.experimental")
def load_from_saved_model(
    saved_model_path: PathLike, custom_objects: Optional[Mapping[str, Any]] = None
) -> Any:
    """The model that `export_saved_model` has saved, which is not compiled.

    Args:
        saved_model_path: The folder.
        custom_objects: Classes and functions of the program that the configuration names.

    Returns:
        The model, with its weights.
    """
    path = os.fspath(saved_model_path)
    with open(os.path.join(path, constants.ASSETS_DIRECTORY, _JSON), encoding="utf-8") as file:
        text = file.read()
    model = keras_module("models").model_from_json(text, custom_objects=custom_objects)
    model.load_weights(constants.variables_path(path))
    return model


def _check(model: Any) -> None:
    if isinstance(model, keras_module("models").Sequential):
        if not model.built:
            raise ValueError(
                "Weights for sequential model have not yet been created. Weights are created when "
                "the Model is first called on inputs or `build()` is called with an `input_shape`, "
                "or the first layer in the model has `input_shape` during construction."
            )
    elif not model._is_graph_network:
        raise NotImplementedError(
            "Subclassed models can only be exported for serving. Please set argument "
            "serving_only=True."
        )


def _export_graphs(
    model: Any, path: str, custom_objects: Any, as_text: bool, input_signature: Any
) -> None:
    builder = Builder(path)
    checkpoint = constants.variables_path(path)
    os.makedirs(os.path.dirname(checkpoint), exist_ok=True)
    model.save_weights(checkpoint, save_format="tf", overwrite=True)
    builder._has_saved_variables = True
    optimizer = getattr(model, "optimizer", None)
    modes = ["predict"]
    if isinstance(optimizer, (OptimizerV2, TFOptimizer)):
        modes = ["train", "eval", "predict"]
    elif optimizer:
        logging.warning(
            "Model was compiled with an optimizer, but the optimizer is not from `tf.train` (e.g. "
            "`tf.train.AdagradOptimizer`). Only the serving graph was exported. The train and "
            "evaluate graphs were not added to the SavedModel."
        )
    scope = keras_module("utils").custom_object_scope
    make_optimizer = optimizers_like(optimizer) if len(modes) > 1 else None
    for mode in modes:
        with kept_session(), Graph().as_default(), scope(dict(custom_objects or {})):
            with learning_phase_scope(int(mode == "train")):
                _export_mode(builder, model, checkpoint, mode, make_optimizer, input_signature)
    builder.save(as_text)


def _export_mode(
    builder: Builder, model: Any, checkpoint: str, mode: str,
    make_optimizer: Any, input_signature: Any,
) -> None:  # fmt: skip
    specs = [] if input_signature is None else flatten(input_signature)
    given = [placeholder(each.dtype, each.shape, name=each.name) for each in specs]
    clone = keras_module("models").clone_model(model, input_tensors=given or None)
    graph, train_op = get_default_graph(), None
    if mode != "predict":
        compile_like(clone, model, make_optimizer(None))
        metrics = clone._get_training_eval_metrics()
        make_local([weight for metric in metrics for weight in metric.weights])
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, clone.optimizer.iterations)
    if mode == "train":
        clone._make_train_function()
        train_op = clone.train_function.updates_op
    elif mode == "eval":
        clone._make_test_function()
    with Session().as_default():
        if mode == "train":  # the state of the optimizer comes with it
            clone.load_weights(checkpoint).initialize_or_restore()
            clone.save_weights(checkpoint, save_format="tf", overwrite=True)
        signatures = _signatures(clone, mode)
        saver = Saver(_by_keys(clone), allow_empty=True)
        begin = local_variables_initializer()  # the metrics, in each session
        builder.add_meta_graph([_TAGS[mode]], signatures, main_op=begin, saver=saver)
    message = builder._saved_model.meta_graphs[-1]
    _add_operation(message, constants.INIT_OP_SIGNATURE_KEY, begin)
    if train_op is not None:
        _add_operation(message, constants.TRAIN_OP_SIGNATURE_KEY, train_op)


def _by_keys(model: Any) -> Dict[str, Any]:
    """The variables of a model by their keys in a checkpoint of it."""
    view = ObjectView(model)
    message, _ = view.serialize()
    return {
        attribute.checkpoint_key: value
        for value, node in zip(view.objects, message.nodes)
        for attribute in node.attributes
        if attribute.name == "VARIABLE_VALUE"
    }


def _add_operation(message: Any, key: str, operation: Any) -> None:
    """Names an operation that loaders look for."""
    held = message.signature_def[key].outputs[key]
    held.name = operation.name
    held.tensor_shape.unknown_rank = True


def _signatures(model: Any, mode: str) -> Dict[str, Any]:
    inputs = dict(zip(model.input_names, model.inputs))
    outputs = dict(zip(model.output_names, model.outputs))
    if mode == "predict":
        key = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        return {key: PredictOutput(outputs).as_signature_def(inputs)}
    targets: List[Any] = [each for each in model.targets if each is not None]
    inputs.update({each.op.name: each for each in targets})
    metrics: Dict[str, Tuple[Any, Any]] = {
        each.name: (each.result(), group(*each.updates)) for each in model._compile_metric_functions
    }
    kind: Callable[..., Any] = TrainOutput if mode == "train" else EvalOutput
    made = kind(loss=model.total_loss, predictions=outputs, metrics=metrics or None)
    return {mode: made.as_signature_def(inputs)}
