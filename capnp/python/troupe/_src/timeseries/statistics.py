"""Statistics of a series that a training collects, by which models scale their inputs."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow import nest
from troupe._src.graph.scopes import control_dependencies
from troupe._src.nn.norm_ops import moments
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.ops.reduction_ops import argmin
from troupe._src.timeseries.feature_keys import TrainEvalFeatures
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign, assign_add
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import variable_scope


class Moments(NamedTuple):
    """Of each feature."""

    mean: Any
    variance: Any


class InputStatistics(NamedTuple):
    """Of a series."""

    series_start_moments: Moments  # of its first values
    overall_feature_moments: Moments
    start_time: Any
    total_observation_count: Any


class _Sums(NamedTuple):
    """What statistics are computed of."""

    max_time_seen: Any
    chunk_count: Any
    inter_observation_duration_sum: Any
    example_count: Any
    overall_feature_sum: Any
    overall_feature_sum_of_squares: Any


def _fixed(name: str, shape: Any, dtype: Any, initializer: Any) -> Any:
    return get_variable(name, shape, dtype, initializer, trainable=False)


class InputStatisticsFromMiniBatch:
    """Statistics of a series, updated by each batch of windows of it.

    Args:
        num_features: Of the series.
        dtype: Of its values, floating point.
        starting_variance_window_size: Of how many values at the start of the earliest window the
            moments of the series' start are.
    """

    def __init__(
        self, num_features: int, dtype: Any, starting_variance_window_size: int = 16
    ) -> None:
        self._starting_variance_window_size = starting_variance_window_size
        self._num_features = num_features
        self._dtype = dtype

    def initialize_graph(
        self, features: Dict[str, Any], update_statistics: bool = True
    ) -> InputStatistics:
        """Makes the variables.

        Args:
            features: A batch: times and values, by key.
            update_statistics: Whether the statistics are those after an update by it.

        Returns:
            The statistics.
        """
        times = features.get(TrainEvalFeatures.TIMES)
        values = features.get(TrainEvalFeatures.VALUES)
        with variable_scope("input_statistics", use_resource=True):
            statistics = self._statistics()
        with variable_scope("input_statistics_auxiliary", use_resource=True):
            sums = self._sums()
        if not update_statistics or times is None or values is None:
            return statistics
        update = self._update(statistics, sums, times, values)
        with control_dependencies([update]):
            updated: InputStatistics = nest.map_structure(array_ops.identity, statistics)
            earliest = gen_ops.minimum(updated.start_time, math_ops.reduce_min(times))
        return updated._replace(start_time=earliest)

    def _statistics(self) -> InputStatistics:
        shape, dtype = [self._num_features], self._dtype
        start = Moments(
            _fixed("series_start_mean", shape, dtype, Zeros()),
            _fixed("series_start_variance", shape, dtype, Ones()),
        )
        overall = Moments(
            _fixed("overall_feature_mean", shape, dtype, Zeros()),
            _fixed("overall_feature_var", shape, dtype, Ones()),
        )
        start_time = _fixed("start_time", None, dtypes.int64, dtypes.int64.max)
        count = _fixed("total_observation_count", [], dtypes.int64, Ones())
        return InputStatistics(start, overall, start_time, count)

    def _sums(self) -> _Sums:
        shape, dtype, whole = [self._num_features], self._dtype, dtypes.int64
        return _Sums(
            _fixed("max_time_seen", None, whole, whole.min),
            _fixed("chunk_count", [], whole, Zeros()),
            _fixed("inter_observation_duration_sum", [], dtype, Zeros()),
            _fixed("example_count", [], whole, Zeros()),
            _fixed("overall_feature_sum", shape, dtype, Zeros()),
            _fixed("overall_feature_sum_of_squares", shape, dtype, Zeros()),
        )

    def _update(self, statistics: InputStatistics, sums: _Sums, times: Any, values: Any) -> Any:
        """Updates sums, then the statistics of them."""
        values = math_ops.cast(values, self._dtype)
        durations = math_ops.reduce_max(times, axis=1) - math_ops.reduce_min(times, axis=1)
        gaps = math_ops.cast(array_ops.shape(times)[1] - 1, self._dtype)
        latest = assign(
            sums.max_time_seen, gen_ops.maximum(sums.max_time_seen, math_ops.reduce_max(times))
        )
        added = {
            "chunk_count": array_ops.shape(times, out_type=dtypes.int64)[0],
            "inter_observation_duration_sum": math_ops.reduce_sum(
                math_ops.cast(durations, self._dtype) / gaps
            ),
            "example_count": array_ops.size(times, out_type=dtypes.int64),
            "overall_feature_sum": math_ops.reduce_sum(values, axis=[0, 1]),
            "overall_feature_sum_of_squares": math_ops.reduce_sum(values**2, axis=[0, 1]),
        }
        adding = [assign_add(getattr(sums, name), term) for name, term in added.items()]
        with control_dependencies([group(latest, *adding)]):
            count = math_ops.cast(array_ops.identity(sums.example_count), self._dtype)
            mean = sums.overall_feature_sum / count
            squares = sums.overall_feature_sum_of_squares / count
            overall = statistics.overall_feature_moments
            mean_update = assign(overall.mean, mean)
            variance_update = assign(overall.variance, count / (count - 1.0) * (squares - mean**2))
            start_update, earliest = self._update_start(statistics, times, values)
            spacing = sums.inter_observation_duration_sum / math_ops.cast(
                array_ops.identity(sums.chunk_count), self._dtype
            )
            duration = math_ops.cast(latest - earliest + 1, self._dtype)
            count_update = assign(
                statistics.total_observation_count,
                math_ops.cast(gen_ops.round(duration / spacing), dtypes.int64),
            )
        return group(mean_update, variance_update, start_update, earliest, count_update)

    def _update_start(self, statistics: InputStatistics, times: Any, values: Any) -> Any:
        """Updates what the start of the series is, where a window begins as early; and when."""
        first = math_ops.cast(argmin(times[:, 0]), dtypes.int32)
        start = statistics.series_start_moments
        window = self._starting_variance_window_size

        def update() -> Any:
            mean, variance = moments(values[first, :window], axes=[0])
            return group(assign(start.mean, mean), assign(start.variance, variance))

        is_earliest = gen_ops.less_equal(times[first, 0], statistics.start_time)
        update_op = cond(is_earliest, update, no_op)
        with control_dependencies([update_op]):
            earliest = gen_ops.minimum(statistics.start_time, math_ops.reduce_min(times))
            return update_op, assign(statistics.start_time, earliest)
