"""Exports of estimators, for one mode or for several."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.input_fns import inputs_of
from troupe._src.estimator.serving_inputs import (
    SupervisedInputReceiver,
    build_raw_supervised_input_receiver_fn,
)
from troupe._src.estimator.spec import ModeKeys
from troupe._src.graph.graph import Graph
from troupe._src.set_module import set_module


@set_module("troupe.contrib.estimator")
def export_saved_model_for_mode(
    estimator: Estimator,
    export_dir_base: Any,
    input_receiver_fn: Callable[[], Any],
    assets_extra: Optional[Dict[str, Any]] = None,
    as_text: bool = False,
    checkpoint_path: Optional[str] = None,
    mode: str = ModeKeys.PREDICT,
) -> bytes:
    """Exports the model of a checkpoint as a SavedModel, for one mode.

    Args:
        estimator: The estimator.
        export_dir_base: The folder of the new one, which is named by the time.
        input_receiver_fn: Returns a ServingInputReceiver, or one of the others.
        assets_extra: Files that are copied, by their paths in "assets.extra".
        as_text: Writes protobuf's text form.
        checkpoint_path: The checkpoint, by default the latest one.
        mode: The mode of the model.

    Returns:
        The path of the new folder.

    Raises:
        ValueError: There is no input function, no such mode, no checkpoint, or it lacks a
            variable.
    """
    return estimator.export_saved_model(
        export_dir_base, input_receiver_fn, assets_extra, as_text, checkpoint_path, mode
    )


@set_module("troupe.contrib.estimator")
def export_all_saved_models(
    estimator: Estimator,
    export_dir_base: Any,
    input_receiver_fn_map: Dict[str, Callable[[], Any]],
    assets_extra: Optional[Dict[str, Any]] = None,
    as_text: bool = False,
    checkpoint_path: Optional[str] = None,
) -> bytes:
    """As `export_saved_model_for_mode`, with a graph for each of some modes.

    Args:
        estimator: The estimator.
        export_dir_base: The folder of the new one, which is named by the time.
        input_receiver_fn_map: The input function of each mode of `tf.estimator.ModeKeys`.
        assets_extra: Files that are copied, by their paths in "assets.extra".
        as_text: Writes protobuf's text form.
        checkpoint_path: The checkpoint, by default the latest one.

    Returns:
        The path of the new folder.

    Raises:
        ValueError: There is no such mode, no checkpoint, or it lacks a variable.
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
    )


@set_module("troupe.contrib.estimator")
def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable[..., Any], **input_fn_args: Any
) -> Callable[[], SupervisedInputReceiver]:
    """A function whose features and labels are fed, and are like those of an input function.

    Args:
        input_fn: Returns a dataset of `(features, labels)`, or such tensors. It is called in a
            graph of its own.
        **input_fn_args: Its arguments.

    Returns:
        A function without arguments that returns a SupervisedInputReceiver.

    Raises:
        ValueError: A feature and a label have the same name.
    """
    with Graph().as_default():
        features, labels = inputs_of(lambda: input_fn(**input_fn_args))
    return build_raw_supervised_input_receiver_fn(features, labels)
