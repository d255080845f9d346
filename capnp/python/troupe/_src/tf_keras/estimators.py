"""Estimators of models of `tf.keras`."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.keras.sessions import assignments, kept_session, set_learning_phase
from troupe._src.keras_optimizers.wrapped_optimizer import TFOptimizer
from troupe._src.ops.array_ops import identity
from troupe._src.ops.grouping_ops import group
from troupe._src.replicas.contexts import strategy_of_many
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.scaffold import Scaffold
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable import Variable


@set_module("troupe.keras.estimator")
def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: Optional[PathLike] = None,
    custom_objects: Optional[Mapping[str, Any]] = None,
    model_dir: Optional[PathLike] = None,
    config: Optional[RunConfig] = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """An estimator that trains copies of a compiled model, beginning with the weights that it has.

    The features are a tensor, a list, or a dict by the names of the model's inputs; the labels are
    such by those of its outputs. The predictions are a dict by the names of the outputs.

    Args:
        keras_model: The model, of layers that are called on others.
        keras_model_path: Or its file, which `save` has written.
        custom_objects: Classes of the program that the file names.
        model_dir: As of Estimator.
        config: As of Estimator.
        checkpoint_format: "saver": checkpoints have the names of variables.

    Returns:
        The estimator.

    Raises:
        ValueError: There is neither a model nor a file, or both; or it is not compiled.
        NotImplementedError: The model has a function `call`, or checkpoints are to be of objects.
    """
    if (keras_model is None) == (keras_model_path is None):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if checkpoint_format not in (None, "saver"):
        raise NotImplementedError(f"checkpoint_format='{checkpoint_format}': only 'saver' is here")
    model = keras_model
    if model is None:
        path = os.fspath(keras_model_path)  # type: ignore[arg-type]
        model = keras_module("models").load_model(path, custom_objects)
    if not getattr(model, "optimizer", None):
        raise ValueError("The given keras model has not been compiled yet: call `compile` first.")
    if not model._is_graph_network:
        raise NotImplementedError("models with a function `call` cannot be copied")
    return Estimator(_model_fn(model), os.fspath(model_dir) if model_dir else None, config)


def _model_fn(model: Any) -> Callable[..., EstimatorSpec]:
    weights, make_optimizer = model.get_weights(), optimizers_like(model.optimizer)

    @kept_session()
    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        set_learning_phase(int(mode == ModeKeys.TRAIN))
        step = get_or_create_global_step()
        inputs = _in_order(features, model.input_names)
        clone = keras_module("models").clone_model(model, input_tensors=inputs)
        predictions = dict(zip(clone.output_names, map(identity, clone.outputs)))
        if mode == ModeKeys.PREDICT:
            outputs = {"serving_default": PredictOutput(predictions)}
            return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
        compile_like(clone, model, make_optimizer(step), _in_order(labels, model.output_names))
        measured = clone._get_training_eval_metrics()
        make_local([weight for metric in measured for weight in metric.weights])
        if mode == ModeKeys.EVAL:
            clone._make_test_function()
            metrics = _metrics(clone)
            return EstimatorSpec(
                mode, predictions=predictions, loss=clone.total_loss, eval_metric_ops=metrics
            )
        strategy = strategy_of_many()
        if strategy is not None:  # the losses of replicas add up to that of all their batches
            clone.total_loss = clone.total_loss * (1.0 / strategy.num_replicas_in_sync)
        clone._make_train_function()
        train_op = clone.train_function.updates_op
        given = _if_new(config, clone, weights)
        return EstimatorSpec(
            mode, predictions=predictions, loss=clone.total_loss, train_op=train_op, scaffold=given
        )

    return model_fn


def optimizers_like(optimizer: Any) -> Callable[[Optional[Variable]], Any]:
    """What makes such optimizers for other graphs.

    Args:
        optimizer: That of a compiled model.

    Returns:
        A function of the variable that counts the steps; None for one of the optimizer's own.
    """
    optimizers = keras_module("optimizers")
    try:
        told = optimizers.serialize(optimizer)
    except NotImplementedError:  # one of tf.train has no configuration, and a state for each graph
        return lambda step: TFOptimizer(optimizer.optimizer, step)

    def make(step: Optional[Variable]) -> Any:
        made = optimizers.deserialize(told)
        if step is not None:
            made.iterations = step
        return made

    return make


def compile_like(clone: Any, model: Any, optimizer: Any, targets: Any = None) -> None:
    """Compiles a copy of a model in another graph as that was.

    Args:
        clone: The copy.
        model: The model.
        optimizer: That of the copy.
        targets: The labels, as tensors; None for those that are fed.
    """
    clone.compile(
        optimizer, model.loss, model._compile_metrics, model.loss_weights,
        sample_weight_mode=model.sample_weight_mode,
        weighted_metrics=model._compile_weighted_metrics, target_tensors=targets,
    )  # fmt: skip


def make_local(variables: List[Variable]) -> None:
    """Keeps variables out of checkpoints: each evaluation begins them anew.

    Args:
        variables: Global variables of the default graph.
    """
    graph = get_default_graph()
    everywhere = graph.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
    for variable in variables:
        everywhere[:] = [each for each in everywhere if each is not variable]
        graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, variable)


def _in_order(given: Any, names: List[str]) -> List[Any]:
    """The tensors of a structure by those names, one after the other."""
    if isinstance(given, dict):
        missing = [name for name in names if name not in given]
        if missing:
            raise KeyError(f"the model has no values for {missing}: there are {sorted(given)}")
        return [given[name] for name in names]
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _metrics(model: Any) -> Optional[Dict[str, Any]]:
    found = {each.name: (each.result(), group(*each.updates)) for each in model.metrics}
    return found or None


def _if_new(config: RunConfig, model: Any, weights: List[Any]) -> Optional[Scaffold]:
    """Gives the variables the weights, unless there is a checkpoint."""
    if config.model_dir and latest_checkpoint(config.model_dir):
        return None
    placed, feeds = assignments(list(zip(_ordered_weights(model), weights)))
    return Scaffold(init_fn=lambda _, session: session.run(placed, feed_dict=feeds))


def _ordered_weights(model: Any) -> List[Any]:
    """The variables in the order of `get_weights`."""
    return [weight for layer in model.layers for weight in layer.weights]
