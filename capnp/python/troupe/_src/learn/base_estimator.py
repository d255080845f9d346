"""What trains, evaluates and uses a model of `tf.contrib.learn`."""

from __future__ import annotations

import contextlib
import copy
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from troupe._src.checkpoints.checkpoint_reader import load_checkpoint
from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.estimator.evaluation import StopAfterStepsHook, evaluate_once
from troupe._src.estimator.exports import Export, export_model
from troupe._src.estimator.input_fns import inputs_of
from troupe._src.estimator.model_dirs import step_of_latest, with_model_dir, write_results
from troupe._src.estimator.predictions import examples_of, wanted_predictions
from troupe._src.estimator.run_config import session_config_of
from troupe._src.estimator.training import default_device_fn, train_with_spec
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.random_seed import set_random_seed
from troupe._src.learn.export_inputs import as_receiver, export_spec
from troupe._src.learn.feeding import check_inputs, fed_inputs, together
from troupe._src.learn.interfaces import Evaluable, Trainable
from troupe._src.learn.keys import MetricKey
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn.monitors import replace_monitors_with_hooks
from troupe._src.learn.run_config import RunConfig
from troupe._src.learn.signatures import all_fit, placeholders_of, signatures_of
from troupe._src.learn_inputs.parameters import Parameterized
from troupe._src.metrics.means import mean
from troupe._src.ops.grouping_ops import group
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.global_step import create_global_step
from troupe._src.train.hooks.native_hooks import StopAtStepHook
from troupe._src.train.hooks.python_hooks import FeedFnHook
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.train.scaffold import ChiefSessionCreator, Scaffold
from troupe._src.types.paths import PathLike


@set_module("troupe.contrib.learn")
class NotFittedError(ValueError, AttributeError):
    """A model is used that has not been trained."""


@set_module("troupe.contrib.learn")
class BaseEstimator(Parameterized, Evaluable, Trainable):
    """What trains, evaluates and uses a model; `Estimator` is that of a model function.

    Args:
        model_dir: The folder of checkpoints and summaries, by default that of `config`, or a new
            temporary one. A training goes on from its latest checkpoint.
        config: A RunConfig.

    Raises:
        ValueError: The folders differ.
    """

    def __init__(self, model_dir: Optional[PathLike] = None, config: Any = None) -> None:
        self._config: Any = with_model_dir(RunConfig() if config is None else config, model_dir)
        self._model_dir = str(self._config.model_dir)
        self._device_fn = default_device_fn(self._config)
        self._features_info: Any = None
        self._labels_info: Any = None

    @property
    def config(self) -> Any:
        """A copy of the configuration."""
        return copy.copy(self._config)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def model_fn(self) -> Callable[..., ModelFnOps]:
        """The model function as one of `features, labels, mode, config`."""

        def public(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            return self._call_model_fn(features, labels, mode, config=config)

        return public

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        """Makes the model in the default graph."""
        raise NotImplementedError("a BaseEstimator has no model")

    def get_variable_names(self) -> List[str]:
        """The names of the variables in the latest checkpoint.

        Returns:
            The names, sorted.

        Raises:
            NotFittedError: There is no checkpoint.
        """
        return sorted(load_checkpoint(self._checkpoint()).get_variable_to_shape_map())

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint.

        Args:
            name: The name of the variable.

        Returns:
            The value as an array.

        Raises:
            NotFittedError: There is no checkpoint.
        """
        return load_checkpoint(self._checkpoint()).get_tensor(name)

    def _checkpoint(self, given: Optional[str] = None) -> str:
        path = given or latest_checkpoint(self._model_dir)
        if path is None:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        return str(path)

    def fit(
        self, x: Any = None, y: Any = None, input_fn: Optional[Callable[[], Any]] = None,
        steps: Optional[int] = None, batch_size: Optional[int] = None,
        monitors: Optional[Sequence[Any]] = None, max_steps: Optional[int] = None,
    ) -> Any:  # fmt: skip
        """Trains the model, from the latest checkpoint on.

        Args:
            x: An array of features, or a dict of them; their examples are in random order.
            y: Labels, likewise.
            input_fn: Instead of arrays: returns tensors of features and labels, or a dataset of
                such.
            steps: How many more steps, at most.
            batch_size: How many examples of arrays are in a step, by default all.
            monitors: Hooks, and monitors of `tf.contrib.learn.monitors`.
            max_steps: The global step at which it stops, at most.

        Returns:
            Itself.

        Raises:
            ValueError: Both numbers are given, or both or neither of arrays and a function.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        check_inputs(x, y, input_fn, None, batch_size)
        if max_steps is not None and max_steps <= step_of_latest(self._model_dir):
            logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = replace_monitors_with_hooks(monitors, self)
        if x is not None:
            input_fn, feed_fn = fed_inputs(x, y, batch_size, shuffle=True, epochs=None)
            assert feed_fn is not None
            hooks.append(FeedFnHook(feed_fn))
        if steps is not None or max_steps is not None:
            hooks.append(StopAtStepHook(steps, max_steps))
        assert input_fn is not None
        loss = self._train_model(input_fn, hooks)
        logging.info("Loss for final step: %s.", loss)
        return self

    def partial_fit(
        self, x: Any = None, y: Any = None, input_fn: Optional[Callable[[], Any]] = None,
        steps: Optional[int] = 1, batch_size: Optional[int] = None,
        monitors: Optional[Sequence[Any]] = None,
    ) -> Any:  # fmt: skip
        """`fit` for one step.

        Args:
            x: As of `fit`.
            y: As of `fit`.
            input_fn: As of `fit`.
            steps: As of `fit`, but 1.
            batch_size: As of `fit`.
            monitors: As of `fit`.

        Returns:
            Itself.

        Raises:
            ValueError: As of `fit`.
        """
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def _train_model(self, input_fn: Callable[[], Any], hooks: List[Any]) -> Any:
        with self._new_graph() as graph, graph.device(self._device_fn):
            features, labels = inputs_of(input_fn)
            self._check_inputs(features, labels)
            made = self._call_model_fn(features, labels, ModeKeys.TRAIN)
            # What a metric must be in a spec, it need not be here.
            spec = made._replace(eval_metric_ops={}).estimator_spec()
            return train_with_spec(spec, self._config, hooks, [])

    def evaluate(
        self, x: Any = None, y: Any = None, input_fn: Optional[Callable[[], Any]] = None,
        feed_fn: Optional[Callable[[], Any]] = None, batch_size: Optional[int] = None,
        steps: Optional[int] = None, metrics: Optional[Dict[Any, Any]] = None,
        name: Optional[str] = None, checkpoint_path: Optional[str] = None,
        hooks: Optional[Sequence[Any]] = None, log_progress: bool = True,
    ) -> Dict[str, Any]:  # fmt: skip
        """Evaluates the model of a checkpoint, and writes the results as summaries.

        Args:
            x: An array of features, or a dict of them.
            y: Labels, likewise.
            input_fn: Instead of arrays: as of `fit`.
            feed_fn: Gives what is fed in each step; it ends the evaluation by StopIteration.
            batch_size: How many examples of arrays are in a step, by default all.
            steps: How many steps, at most; else the input ends the evaluation.
            metrics: More metrics: a dict of `MetricSpec` by their names.
            name: The name of the evaluation, for one of several.
            checkpoint_path: The checkpoint, by default the latest one.
            hooks: Hooks of the session.
            log_progress: Has no effect: the log says how far it is.

        Returns:
            The value of each metric, `loss` and `global_step`.

        Raises:
            ValueError: Both or neither of arrays and a function are given, or metrics are no dict.
            NotFittedError: There is no checkpoint.
        """
        check_inputs(x, y, input_fn, feed_fn, batch_size)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        if x is not None:
            input_fn, feed_fn = fed_inputs(x, y, batch_size)
        assert input_fn is not None
        all_hooks = [*(hooks or []), *([FeedFnHook(feed_fn)] if feed_fn else [])]
        if steps:
            all_hooks.append(StopAfterStepsHook(steps))
        path = self._checkpoint(checkpoint_path)
        with self._new_graph() as graph, graph.device(self._device_fn):
            features, labels = inputs_of(input_fn)
            self._check_inputs(features, labels)
            made = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)
            results = self._evaluated(made, path, all_hooks)
        folder = os.path.join(self._model_dir, f"eval_{name}" if name else "eval")
        write_results(folder, results, int(results[GraphKeys.GLOBAL_STEP]))
        return results

    def _evaluated(self, made: ModelFnOps, path: str, hooks: List[Any]) -> Dict[str, Any]:
        assert made.loss is not None
        metrics = dict(made.eval_metric_ops)
        metrics.setdefault(MetricKey.LOSS, mean(made.loss))
        final, updates = {}, []
        for key, metric in metrics.items():
            is_pair = isinstance(metric, (list, tuple)) and len(metric) == 2
            final[key] = metric[0] if is_pair else metric
            updates += [metric[1]] if is_pair else []
        graph = get_default_graph()
        final[GraphKeys.GLOBAL_STEP] = graph.get_collection(GraphKeys.GLOBAL_STEP)[0]
        config, master = session_config_of(self._config), self._config.evaluation_master
        scaffold = made.scaffold or Scaffold()
        return evaluate_once(path, master, scaffold, group(*updates), final, hooks, config)

    def predict(
        self, x: Any = None, input_fn: Optional[Callable[[], Any]] = None,
        batch_size: Optional[int] = None, outputs: Optional[Sequence[str]] = None,
        as_iterable: bool = True, iterate_batches: bool = False,
    ) -> Any:  # fmt: skip
        """The predictions of the model of the latest checkpoint.

        Args:
            x: An array of features, or a dict of them.
            input_fn: Instead of an array: returns tensors of features; labels are left out.
                Without queues it gives one batch.
            batch_size: How many examples of arrays are in a step, by default all.
            outputs: The names of the wanted predictions, by default all.
            as_iterable: False for the predictions of one batch instead of an iterator, or of all
                of an array.
            iterate_batches: Whether the iterator is of whole batches.

        Returns:
            An iterator of the predictions of each example: arrays, or dicts of arrays.

        Raises:
            ValueError: Both or neither of an array and a function are given, or no such output is
                there.
            NotFittedError: There is no checkpoint.
        """
        check_inputs(x, None, input_fn, None, batch_size)
        path, feed_fn = self._checkpoint(), None
        if x is not None:
            input_fn, feed_fn = fed_inputs(x, None, batch_size)
        assert input_fn is not None
        if as_iterable:
            return self._predictions(input_fn, feed_fn, path, outputs, iterate_batches)
        batches = self._predictions(input_fn, feed_fn, path, outputs, True)
        return next(batches) if x is None else together(list(batches))

    def _predictions(
        self, input_fn: Any, feed_fn: Any, path: str, outputs: Any, in_batches: bool
    ) -> Iterator[Any]:
        with self._new_graph() as graph:
            features = inputs_of(input_fn).features
            labels = placeholders_of(self._labels_info)
            made = self._call_model_fn(features, labels, ModeKeys.INFER)
            wanted = wanted_predictions(made.predictions, outputs)
            config = session_config_of(self._config)
            scaffold = made.scaffold or Scaffold()
            creator = ChiefSessionCreator(scaffold, "", config, checkpoint_filename_with_path=path)
            is_constant = not feed_fn and not graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        batches = _batches(graph, creator, wanted, feed_fn, is_constant)
        return batches if in_batches else _examples(batches)

    def export_savedmodel(
        self, export_dir_base: Any, serving_input_fn: Callable[[], Any],
        default_output_alternative_key: Optional[str] = None,
        assets_extra: Optional[Dict[str, Any]] = None, as_text: bool = False,
        checkpoint_path: Optional[str] = None, graph_rewrite_specs: Any = None,
        strip_default_attrs: bool = False,
    ) -> bytes:  # fmt: skip
        """Exports the model of a checkpoint as a SavedModel.

        Args:
            export_dir_base: The folder of the new one, which is named by the time.
            serving_input_fn: Returns an `InputFnOps`, as one of
                `tf.contrib.learn.build_parsing_serving_input_fn`.
            default_output_alternative_key: The output of the default signature, where there are
                several.
            assets_extra: Files that are copied, by their paths in "assets.extra".
            as_text: Writes protobuf's text form.
            checkpoint_path: The checkpoint, by default the latest one.
            graph_rewrite_specs: Must be None: there are no transforms of graphs.
            strip_default_attrs: Has no effect.

        Returns:
            The path of the new folder.

        Raises:
            ValueError: There is no input function, no such output, or the checkpoint lacks a
                variable.
            NotFittedError: There is no checkpoint.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        if graph_rewrite_specs is not None:
            raise ValueError("graph_rewrite_specs must be None: graphs are exported as they are")
        path = self._checkpoint(checkpoint_path)
        config = session_config_of(self._config)
        receivers = {ModeKeys.INFER: lambda: as_receiver(serving_input_fn())}
        export = Export(receivers, path, assets_extra, as_text, config)

        def make(inputs: Any, mode: str) -> Any:
            made = self._call_model_fn(inputs.features, None, mode)
            return export_spec(made, default_output_alternative_key)

        return os.fsencode(export_model(export_dir_base, export, self._new_graph, make))

    @contextlib.contextmanager
    def _new_graph(self) -> Iterator[Graph]:
        with Graph().as_default() as graph:
            if self._config.tf_random_seed is not None:
                set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
            yield graph

    def _check_inputs(self, features: Any, labels: Any) -> None:
        """Features and labels are as those of trainings and evaluations before."""
        if self._features_info is None:
            self._features_info = signatures_of(features)
        elif not all_fit(features, self._features_info):
            raise ValueError(
                "Features are incompatible with given information. Given features: "
                f"{features}, required signatures: {self._features_info}."
            )
        if labels is None:
            return
        if self._labels_info is None:
            self._labels_info = signatures_of(labels)
        elif not all_fit(labels, self._labels_info):
            raise ValueError(
                "Labels are incompatible with given information. Given labels: "
                f"{labels}, required signatures: {self._labels_info}."
            )


def _batches(
    graph: Graph, creator: Any, wanted: Any, feed_fn: Any, is_constant: bool
) -> Iterator[Any]:
    """The predictions of each batch, of one where the input is constant."""
    with graph.as_default():
        session = MonitoredSession(creator)
    with session:
        while not session.should_stop():
            yield session.run(wanted, feed_fn() if feed_fn else None)
            if is_constant:
                return


def _examples(batches: Iterator[Any]) -> Iterator[Any]:
    for values in batches:
        yield from examples_of(values)
