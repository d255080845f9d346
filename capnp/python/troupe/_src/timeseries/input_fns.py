"""Inputs of estimators of time series: random windows, whole series, and what continues one."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.inputs.batching import batch
from troupe._src.inputs.producers import limit_epochs
from troupe._src.inputs.shuffling import maybe_shuffle_batch
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.order_ops import top_k
from troupe._src.ops.rearrange_ops import batch_gather, reverse
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module
from troupe._src.timeseries.arrays import times_after
from troupe._src.timeseries.feature_keys import (
    FilteringResults, PredictionFeatures, TrainEvalFeatures,
)  # fmt: skip
from troupe._src.timeseries.readers import TimeSeriesReader
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import is_variable_initialized

Features = Tuple[Dict[str, Any], None]


@set_module("troupe.contrib.timeseries")
def predict_continuation_input_fn(
    evaluation: Dict[str, Any],
    steps: Optional[int] = None,
    times: Any = None,
    exogenous_features: Optional[Dict[str, Any]] = None,
) -> Callable[[], Features]:
    """The input of a prediction that continues an evaluation.

    Args:
        evaluation: What `evaluate` gave.
        steps: Of how many times after the last one.
        times: The times instead, [window] or [batch, window].
        exogenous_features: Other features of these times, by key.

    Returns:
        A function for `predict`.

    Raises:
        ValueError: Both of `steps` and `times` are given or none, or times are not after those of
            the evaluation.
    """
    predicted = times_after(times, steps, evaluation)
    features = {
        PredictionFeatures.STATE_TUPLE: evaluation[FilteringResults.STATE_TUPLE],
        PredictionFeatures.TIMES: predicted,
        **(exogenous_features or {}),
    }

    def input_fn() -> Features:
        def once(value: Any) -> Any:
            return limit_epochs(value, num_epochs=1)

        return {key: nest.map_structure(once, value) for key, value in features.items()}, None

    return input_fn


class TimeSeriesInputFn:
    """A function of windows of a series, as an estimator calls it."""

    def create_batch(self) -> Features:
        """Features by key, [batch, window, ...], and no labels."""
        raise NotImplementedError("Abstract method")

    def __call__(self) -> Features:
        return self.create_batch()


@set_module("troupe.contrib.timeseries")
class WholeDatasetInputFn(TimeSeriesInputFn):
    """The whole series as one window, to evaluate it.

    Args:
        time_series_reader: Reads the series.
    """

    def __init__(self, time_series_reader: TimeSeriesReader) -> None:
        self._reader = time_series_reader

    def create_batch(self) -> Features:
        """Features by key, [1, series length, ...], and no labels."""
        features = self._reader.read_full()
        return {key: array_ops.expand_dims(value, 0) for key, value in features.items()}, None


@set_module("troupe.contrib.timeseries")
class RandomWindowInputFn(TimeSeriesInputFn):
    """Windows of a series in random order, to train on them.

    Args:
        time_series_reader: Reads the series.
        window_size: The number of times of a window.
        batch_size: The number of windows of a batch.
        queue_capacity_multiplier: How many batches queues hold at most.
        shuffle_min_after_dequeue_multiplier: How many batches are chosen from at least.
        discard_out_of_order: Whether windows are left out in which times go back, as where a
            reader begins the series again; else their times are sorted.
        discard_consecutive_batches_limit: After how many batches without a window a step fails.
        jitter: Whether windows begin at any time, rather than at multiples of their size.
        num_threads: How many threads fill the queues; None for as many as windows in a batch.
        shuffle_seed: Makes the order repeatable.

    Raises:
        ValueError: The series is known to be shorter than a window.
    """

    def __init__(
        self,
        time_series_reader: TimeSeriesReader,
        window_size: int,
        batch_size: int,
        queue_capacity_multiplier: int = 1000,
        shuffle_min_after_dequeue_multiplier: int = 2,
        discard_out_of_order: bool = True,
        discard_consecutive_batches_limit: int = 1000,
        jitter: bool = True,
        num_threads: Optional[int] = 2,
        shuffle_seed: Optional[int] = None,
    ) -> None:
        time_series_reader.check_dataset_size(minimum_dataset_size=window_size)
        self._reader = time_series_reader
        self._window_size = window_size
        self._batch_size = batch_size
        self._capacity = queue_capacity_multiplier * batch_size
        self._min_after_dequeue = shuffle_min_after_dequeue_multiplier * batch_size
        self._discard_out_of_order = discard_out_of_order
        self._discard_limit = discard_consecutive_batches_limit
        self._jitter = jitter
        self._num_threads = batch_size if num_threads is None else num_threads
        self._shuffle_seed = shuffle_seed

    def create_batch(self) -> Features:
        """Features by key, [batch size, window size, ...], and no labels."""
        windows = self._windows()
        keep: Any = True
        if self._discard_out_of_order:
            keep = self._in_order(windows[TrainEvalFeatures.TIMES])
        else:
            windows = _sorted(windows)
        batched = maybe_shuffle_batch(
            windows, self._batch_size, self._capacity, self._min_after_dequeue, keep,
            num_threads=self._num_threads, seed=self._shuffle_seed, enqueue_many=True,
        )  # fmt: skip
        return batched, None

    def _windows(self) -> Dict[str, Any]:
        """As many consecutive windows as a batch has, by key."""
        # A record more, now and then, moves where windows begin.
        skipped: Any = 0
        if self._jitter:
            skipped = random_uniform(shape=[], maxval=2, dtype=dtypes.int32)
        sizes = [self._batch_size, self._window_size]
        records = batch(
            self._reader.read(), sizes[0] * sizes[1] + skipped, enqueue_many=True,
            capacity=self._capacity * self._window_size, num_threads=self._num_threads,
        )  # fmt: skip
        windows = {}
        for key, value in records.items():
            rest = array_ops.shape(value)[1:]
            whole = value[skipped:] if self._jitter else value
            windows[key] = array_ops.reshape(whole, array_ops.concat([sizes, rest], 0))
            windows[key].set_shape(TensorShape(sizes).concatenate(value.shape[1:]))
        return windows

    def _in_order(self, times: Any) -> Any:
        """Whether the times of each window do not go back."""
        is_kept = math_ops.reduce_all(gen_ops.greater_equal(times[:, 1:], times[:, :-1]), axis=1)
        count = Variable(
            constant(0, dtypes.int64), name="discarded_windows_limiter", trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip

        def counted() -> Any:
            return cond(
                math_ops.reduce_any(is_kept),
                lambda: array_ops.identity(assign(count, 0)),
                lambda: count.count_up_to(self._discard_limit),
            )

        # Queues are filled before the variable is initialized, too.
        limited = cond(is_variable_initialized(count), counted, lambda: constant(0, dtypes.int64))
        with control_dependencies([limited]):
            return array_ops.identity(is_kept)


def _sorted(windows: Dict[str, Any]) -> Dict[str, Any]:
    """The windows with times in ascending order."""
    times = windows[TrainEvalFeatures.TIMES]
    _, descending = top_k(times, k=array_ops.shape(times)[-1], sorted=True)
    order = reverse(descending, axis=[1])
    return {key: batch_gather(value, order) for key, value in windows.items()}
