"""`Estimator`: a model function with its trainings, evaluations and predictions."""

from __future__ import annotations

import contextlib
import copy
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from troupe._src.replicas.contexts import replica_of
from troupe._src.estimator.evaluation import StopAfterStepsHook, evaluation_of
from troupe._src.estimator.exports import Export, export_model
from troupe._src.estimator.input_fns import Inputs, checked_hooks
from troupe._src.estimator.model_dirs import (
    checkpoint_for, eval_dir, require_checkpoint, step_of_latest, with_model_dir, write_results,
)  # fmt: skip
from troupe._src.estimator.model_function import ModelFunction
from troupe._src.estimator.predictions import examples_of, wanted_predictions
from troupe._src.estimator.run_config import RunConfig, session_config_of
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator.distributed_training import alone, trained_by, training_spec
from troupe._src.estimator.training import default_device_fn, train_with_spec
from troupe._src.estimator.warm_start_settings import checked_settings, warm_start_checkpoint
from troupe._src.graph.graph import Graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.random_seed import set_random_seed
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.checkpoints.checkpoint_reader import load_checkpoint
from troupe._src.train.global_step import create_global_step
from troupe._src.train.hooks.native_hooks import StopAtStepHook
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.train.scaffold import ChiefSessionCreator
from troupe._src.types.paths import PathLike
from troupe._src.warm_starting.warm_start import warm_start


@set_module("troupe.estimator")
class Estimator:
    """Trains, evaluates and uses a model, which a function makes anew in a graph for each.

    Args:
        model_fn: Called with `features`, and as far as it has such arguments `labels`, `mode`,
            `params` and `config`; returns an EstimatorSpec.
        model_dir: The folder of checkpoints and summaries, by default that of `config`, or a new
            temporary one. A training goes on from its latest checkpoint.
        config: A RunConfig.
        params: A dict of hyperparameters.
        warm_start_from: A checkpoint, or a WarmStartSettings, whose values variables begin with.

    Raises:
        ValueError: model_fn has not the arguments that it needs, or the folders differ.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: Optional[PathLike] = None,
        config: Optional[RunConfig] = None,
        params: Optional[Dict[str, Any]] = None,
        warm_start_from: Any = None,
    ) -> None:
        self._config = with_model_dir(config, model_dir)
        self._model_dir = str(self._config.model_dir)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        self._model = ModelFunction(model_fn, params)
        self._session_config = self._config.session_config  # which libraries read
        self._device_fn = self._config.device_fn or default_device_fn(self._config)
        self._warm_start_settings = checked_settings(warm_start_from)
        logging.info("Using config: %s", {key[1:]: v for key, v in vars(self._config).items()})

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of the configuration."""
        return copy.copy(self._config)

    @property
    def params(self) -> Dict[str, Any]:
        """A copy of the hyperparameters."""
        params: Dict[str, Any] = self._model.params
        return params

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model function as one of `features, labels, mode, config`."""

        def public(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
            return self._model.spec(Inputs(features, labels), mode, config)

        return public

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint.

        Args:
            name: The name of the variable.

        Returns:
            The value as an array.

        Raises:
            ValueError: There is no checkpoint.
        """
        return load_checkpoint(require_checkpoint(self._model_dir)).get_tensor(name)

    def get_variable_names(self) -> List[str]:
        """The names of the variables in the latest checkpoint.

        Returns:
            The names, sorted.

        Raises:
            ValueError: There is no checkpoint.
        """
        reader = load_checkpoint(require_checkpoint(self._model_dir))
        return sorted(reader.get_variable_to_shape_map())

    def latest_checkpoint(self) -> Optional[str]:
        """The latest checkpoint of the folder, or None."""
        return latest_checkpoint(self._model_dir)

    def eval_dir(self, name: Optional[str] = None) -> str:
        """The folder of the summaries of evaluations of that name."""
        return eval_dir(self._model_dir, name)

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Optional[Sequence[SessionRunHook]] = None,
        steps: Optional[int] = None,
        max_steps: Optional[int] = None,
        saving_listeners: Optional[Sequence[CheckpointSaverListener]] = None,
    ) -> Estimator:
        """Trains the model, from the latest checkpoint on.

        Args:
            input_fn: Returns a dataset of `(features, labels)`, or such tensors.
            hooks: Hooks of the session.
            steps: How many more steps, at most.
            max_steps: The global step at which it stops; one of `steps` and `max_steps` is given,
                or the input ends it.
            saving_listeners: Called before and after checkpoints are saved.

        Returns:
            Itself.

        Raises:
            ValueError: Both numbers are given, or one is not positive.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, number in (("steps", steps), ("max_steps", max_steps)):
            if number is not None and number <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {number}")
        if max_steps is not None and max_steps <= step_of_latest(self._model_dir):
            logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = checked_hooks(hooks, SessionRunHook, "Hooks")
        if steps is not None or max_steps is not None:
            all_hooks.append(StopAtStepHook(steps, max_steps))
        listeners = checked_hooks(saving_listeners, CheckpointSaverListener, "saving_listeners")
        loss = self._train_model(input_fn, all_hooks, listeners)
        logging.info("Loss for final step: %s.", loss)
        return self

    def _train_model(
        self, input_fn: Callable[..., Any], hooks: List[Any], listeners: List[Any]
    ) -> Any:
        strategy = self._config.train_distribute
        with self._new_graph() as graph, trained_by(strategy, self._device_fn):
            self._create_global_step(graph)
            spec = training_spec(strategy, self._model, input_fn, self.config)
            self._warm_start(None)
            return train_with_spec(spec, self._config, hooks, listeners)

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: Optional[int] = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        checkpoint_path: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Evaluates the model of a checkpoint, and writes the results as summaries.

        Args:
            input_fn: Returns a dataset of `(features, labels)`, or such tensors.
            steps: How many steps, at most; else the input ends the evaluation.
            hooks: Hooks of the session.
            checkpoint_path: The checkpoint, by default the latest one; where there is none,
                variables have their initial values.
            name: The name of the evaluation, for one of several.

        Returns:
            The value of each metric, `loss` and `global_step`.

        Raises:
            ValueError: The number of steps is not positive.
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        all_hooks = checked_hooks(hooks, SessionRunHook, "Hooks")
        if steps is not None:
            all_hooks.append(StopAfterStepsHook(steps))
        path = checkpoint_for(checkpoint_path, self._model_dir, "evaluate")
        strategy = alone(self._config.eval_distribute)
        with self._new_graph() as graph, graph.device(self._device_fn), replica_of(strategy):
            self._create_global_step(graph)
            evaluation = evaluation_of(self._model, input_fn, self.config)
            self._warm_start(path)
            results = evaluation.run(
                path,
                self._config.evaluation_master,
                all_hooks,
                session_config_of(self._config),
            )
        write_results(self.eval_dir(name), results, int(results[GraphKeys.GLOBAL_STEP]))
        return results

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        checkpoint_path: Optional[str] = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields the predictions of the model of a checkpoint.

        Args:
            input_fn: Returns a dataset of features, or such tensors; labels are left out.
            predict_keys: The names of the wanted predictions, by default all.
            hooks: Hooks of the session.
            checkpoint_path: The checkpoint, by default the latest one; where there is none,
                variables have their initial values.
            yield_single_examples: False for the predictions of whole batches.

        Yields:
            The predictions of an example: an array, or a dict of arrays.

        Raises:
            ValueError: The predictions have batches of different sizes, or no such key.
        """
        all_hooks = checked_hooks(hooks, SessionRunHook, "Hooks")
        path = checkpoint_for(checkpoint_path, self._model_dir, "predict")
        with self._new_graph() as graph, graph.device(self._device_fn):
            self._create_global_step(graph)
            features = self._model.inputs(input_fn, ModeKeys.PREDICT, self.config).features
            spec = self._model.spec(Inputs(features, None), ModeKeys.PREDICT, self.config)
            predictions = wanted_predictions(spec.predictions, predict_keys)
            self._warm_start(path)
            creator = ChiefSessionCreator(
                spec.scaffold,
                self._config.master,
                session_config_of(self._config),
                checkpoint_filename_with_path=path,
            )
            with MonitoredSession(creator, [*all_hooks, *spec.prediction_hooks]) as session:
                while not session.should_stop():
                    values = session.run(predictions)
                    yield from examples_of(values) if yield_single_examples else [values]

    def _new_graph(self) -> Any:
        graph = Graph()
        if self._config.tf_random_seed is not None:
            with graph.as_default():
                set_random_seed(self._config.tf_random_seed)
        return graph.as_default()

    def _warm_start(self, checkpoint_path: Optional[str]) -> None:
        """Lets variables begin with other values, unless they are those of a checkpoint."""
        if self._warm_start_settings is not None and checkpoint_path is None:
            warm_start(*self._warm_start_settings)

    def _create_global_step(self, graph: Graph) -> Any:
        step = create_global_step(graph)
        if not step.dtype.base_dtype.is_integer:
            raise ValueError("the global step must be an integer")
        return step

    def export_saved_model(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Exports the model of a checkpoint as a SavedModel.

        Args:
            export_dir_base: The folder of the new one, which is named by the time.
            serving_input_receiver_fn: Returns a ServingInputReceiver, or one of the others.
            assets_extra: Files that are copied, by their paths in "assets.extra".
            as_text: Writes protobuf's text form.
            checkpoint_path: The checkpoint, by default the latest one.
            experimental_mode: The mode of the model.

        Returns:
            The path of the new folder.

        Raises:
            ValueError: There is no input function, no such mode, no checkpoint, or it lacks a
                variable.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        input_fns = {experimental_mode: serving_input_receiver_fn}
        return self.experimental_export_all_saved_models(
            export_dir_base, input_fns, assets_extra, as_text, checkpoint_path
        )

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """As `export_saved_model`, for predictions.

        Args:
            export_dir_base: The folder of the new one, which is named by the time.
            serving_input_receiver_fn: Returns a ServingInputReceiver, or one of the others.
            assets_extra: Files that are copied, by their paths in "assets.extra".
            as_text: Writes protobuf's text form.
            checkpoint_path: The checkpoint, by default the latest one.
            strip_default_attrs: It has no effect.

        Returns:
            The path of the new folder.

        Raises:
            ValueError: As of `export_saved_model`.
        """
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: Any,
        input_receiver_fn_map: Dict[str, Callable[[], Any]],
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
    ) -> bytes:
        """As `export_saved_model`, with a graph for each of some modes.

        Args:
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
        path = checkpoint_path or latest_checkpoint(self._model_dir)
        path = path or warm_start_checkpoint(self._warm_start_settings)
        if path is None:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        config = session_config_of(self._config)
        export = Export(dict(input_receiver_fn_map), path, assets_extra, as_text, config)
        made = export_model(
            export_dir_base,
            export,
            self._new_graph_with_step,
            lambda inputs, mode: self._model.spec(inputs, mode, self.config, is_export=True),
        )
        return os.fsencode(made)

    @contextlib.contextmanager
    def _new_graph_with_step(self) -> Iterator[None]:
        with self._new_graph() as graph:
            self._create_global_step(graph)
            yield
