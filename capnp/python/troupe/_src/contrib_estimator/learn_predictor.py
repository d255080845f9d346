"""Functions of arrays, made of estimators of `tf.contrib.learn`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.predictors import Predictor
from troupe._src.graph.graph import Graph
from troupe._src.learn.export_inputs import InputFnOps, output_alternatives
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.messages.config import ConfigProto
from troupe._src.set_module import set_module
from troupe._src.train.global_step import create_global_step
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.train.scaffold import ChiefSessionCreator, Scaffold

_DEFAULT_INPUT = "default_input_alternative"


@set_module("troupe.contrib.predictor")
def from_contrib_estimator(
    estimator: Any,
    prediction_input_fn: Callable[[], Any],
    input_alternative_key: Optional[str] = None,
    output_alternative_key: Optional[str] = None,
    graph: Optional[Graph] = None,
    config: Optional[ConfigProto] = None,
) -> Predictor:
    """A function of arrays, made of an estimator of `tf.contrib.learn` with its latest checkpoint.

    Args:
        estimator: The estimator.
        prediction_input_fn: Returns an `InputFnOps`, as one of
            `tf.contrib.learn.build_parsing_serving_input_fn`.
        input_alternative_key: The name of the inputs, by default "default_input_alternative",
            which is the only one.
        output_alternative_key: The name of the head, where there are several.
        graph: The graph of the model, by default a new one.
        config: The options of the session.

    Returns:
        The function, which has a session.

    Raises:
        TypeError: It is an estimator of `tf.estimator`.
        KeyError: There are no such inputs.
        ValueError: There are no features, no such head, or several and no name.
    """
    if isinstance(estimator, Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type "
            "tf.python.estimator.Estimator. You likely want to use from_estimator instead."
        )
    graph = graph or Graph()
    with graph.as_default():
        create_global_step(graph)
        inputs = prediction_input_fn()
        features = inputs[0]
        if not features:
            raise ValueError("Features must be defined.")
        feeds = {_DEFAULT_INPUT: inputs.default_inputs} if isinstance(inputs, InputFnOps) else {}
        made = estimator._call_model_fn(features, None, ModeKeys.INFER)
        fed = _names(feeds[input_alternative_key or _DEFAULT_INPUT])
        heads, served = output_alternatives(made, output_alternative_key)
        fetched = _names(heads[served][1])
        creator = ChiefSessionCreator(
            made.scaffold or Scaffold(),
            config=config,
            checkpoint_filename_with_path=latest_checkpoint(estimator.model_dir),
        )
        session = MonitoredSession(creator)
    return Predictor(graph, session, fed, fetched)


def _names(tensors: Dict[str, Any]) -> Dict[str, str]:
    return {key: tensor.name for key, tensor in tensors.items()}
