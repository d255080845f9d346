"""Autoregressive models: windows of times of windows before them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from troupe._src.estimator.spec import ModeKeys
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module
from troupe._src.timeseries.ar_windows import evaluated_windows, predicted_windows
from troupe._src.timeseries.feature_keys import PredictionFeatures, TrainEvalFeatures
from troupe._src.timeseries.matrices import cauchy_log_prob, normal_log_prob
from troupe._src.timeseries.model import ModelOutputs, TimeSeriesModel
from troupe._src.timeseries.networks import FlatPredictionModel
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES
_SMALLEST_VARIANCE = 1e-05
_PERIODS = Union[int, Sequence[int], None]


@set_module("troupe.contrib.timeseries")
class ARModel(TimeSeriesModel):
    """The next window of values by the last one, by where times are in periods, and other features.

    Args:
        periodicities: The periods of the series, integers.
        input_window_size: Of how many values before it a window depends.
        output_window_size: The size of a window.
        num_features: Of the series.
        prediction_model_factory: Makes the network: a function of `num_features`,
            `input_window_size` and `output_window_size`.
        num_time_buckets: Into how many buckets a period is divided.
        loss: `NORMAL_LIKELIHOOD_LOSS` or `SQUARED_LOSS`.
        exogenous_feature_columns: The columns of other features of times.
    """

    SQUARED_LOSS = "squared_loss"
    NORMAL_LIKELIHOOD_LOSS = "normal_likelihood_loss"

    def __init__(
        self,
        periodicities: _PERIODS,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        num_time_buckets: int = 10,
        loss: str = NORMAL_LIKELIHOOD_LOSS,
        exogenous_feature_columns: Optional[Sequence[Any]] = None,
    ) -> None:
        self._model_factory = prediction_model_factory
        self.input_window_size = input_window_size
        self.output_window_size = output_window_size
        self.window_size = input_window_size + output_window_size
        self.loss = loss
        super().__init__(num_features, exogenous_feature_columns)
        self.exogenous_size = 0
        if exogenous_feature_columns is not None:
            self.exogenous_size = self._get_exogenous_embedding_shape()[-1]
        assert num_time_buckets > 0
        self._buckets = int(num_time_buckets)
        if not isinstance(periodicities, (list, tuple)):
            periodicities = [periodicities] if periodicities else []  # type: ignore[list-item]
        self._periodicities = [int(period) for period in periodicities]
        assert all(period > 0 for period in self._periodicities)
        assert self._periodicities or input_window_size
        assert output_window_size > 0
        self._model_instance: Any = None

    def initialize_graph(self, input_statistics: Any = None) -> None:
        super().initialize_graph(input_statistics)
        self._model_instance = self._model_factory(
            num_features=self.num_features,
            input_window_size=self.input_window_size,
            output_window_size=self.output_window_size,
        )

    def get_start_state(self) -> Any:
        size = self.input_window_size
        return (
            creation_ops.zeros([size], dtypes.int64),
            creation_ops.zeros([size, self.num_features], self.dtype),
            creation_ops.zeros([size, self.exogenous_size], self.dtype),
        )

    def random_model_parameters(self, seed: Optional[int] = None) -> None:
        """None: the model makes no samples.

        Args:
            seed: Ignored.
        """

    def generate(
        self, number_of_series: int, series_length: int, model_parameters: Any = None,
        seed: Optional[int] = None,
    ) -> None:  # fmt: skip
        """None: the model makes no samples.

        Args:
            number_of_series: Ignored.
            series_length: Ignored.
            model_parameters: Ignored.
            seed: Ignored.
        """

    def prediction_ops(self, times: Any, values: Any, exogenous_regressors: Any) -> Dict[str, Any]:
        """Predictions of the last times of windows.

        Args:
            times: [batch, window].
            values: The scaled values of the first times, [batch, input window, features].
            exogenous_regressors: Other features, [batch, window, size].

        Returns:
            `mean` and `covariance`, [batch, output window, features].
        """
        times.shape.assert_is_compatible_with([None, self.window_size])
        batch_size = array_ops.shape(times)[0]
        inputs: List[Any] = []
        outputs: List[Any] = []
        n_inputs = self.input_window_size
        if self._periodicities:
            in_periods = self._compute_time_features(times)
            inputs.append(in_periods[:, :n_inputs])
            outputs.append(in_periods[:, n_inputs:])
        if n_inputs:
            values.shape.assert_is_compatible_with([None, n_inputs, self.num_features])
            inputs.append(values[:, :n_inputs])
        if self.exogenous_size:
            sizes = [None, self.window_size, self.exogenous_size]
            exogenous_regressors.shape.assert_is_compatible_with(sizes)
            inputs.append(exogenous_regressors[:, :n_inputs])
            outputs.append(exogenous_regressors[:, n_inputs:])
        n_outputs = self.output_window_size
        if not outputs:
            outputs = [
                creation_ops.zeros(array_ops.stack([batch_size, n_outputs, 0]), self.dtype)
            ]
        n_more = self._buckets * len(self._periodicities) + self.exogenous_size
        n_own = self.num_features if n_inputs else 0
        input_features, output_features = array_ops.concat(inputs, 2), array_ops.concat(outputs, 2)
        input_features.set_shape([times.shape[0], n_inputs, n_own + n_more])
        output_features.set_shape([times.shape[0], n_outputs, n_more])
        predictions: Dict[str, Any] = self._model_instance(input_features, output_features)
        for value in predictions.values():
            value.set_shape([None, n_outputs, self.num_features])
        return predictions

    def loss_op(self, targets: Any, prediction_ops: Dict[str, Any]) -> Any:
        """The mean loss of values.

        Args:
            targets: The values, [batch, output window, features].
            prediction_ops: What `prediction_ops` gave.

        Returns:
            A scalar.
        """
        mean = prediction_ops["mean"]
        if self.loss == ARModel.NORMAL_LIKELIHOOD_LOSS:
            sigma = gen_ops.sqrt(gen_ops.maximum(prediction_ops["covariance"], _SMALLEST_VARIANCE))
            total = -math_ops.reduce_sum(normal_log_prob(targets, sigma, mean))
        else:
            assert self.loss == ARModel.SQUARED_LOSS, self.loss
            total = math_ops.reduce_sum(gen_ops.squared_difference(mean, targets))
        return total / math_ops.cast(array_ops.size(targets), total.dtype)

    def _exogenous(self, times: Any, features: Dict[str, Any]) -> Any:
        """Other features of times, [batch, times, size]; of size 0 where there are none."""
        keys = (_TIMES, _VALUES, PredictionFeatures.STATE_TUPLE)
        others = {key: value for key, value in features.items() if key not in keys}
        made = self._process_exogenous_features(times=times, features=others)
        if made is not None:
            return made
        assert self.exogenous_size == 0
        return creation_ops.zeros(array_ops.concat([array_ops.shape(times), [0]], 0), self.dtype)

    def predict(self, features: Dict[str, Any]) -> Dict[str, Any]:
        if not self._graph_initialized:
            self.initialize_graph()
        times = math_ops.cast(convert_to_tensor(features[_TIMES]), dtypes.int32)
        exogenous = self._exogenous(times, features)
        state = features[PredictionFeatures.STATE_TUPLE]
        predictions = predicted_windows(self, times, exogenous, state)
        mean = predictions["mean"]
        covariance = predictions.get("covariance")
        if covariance is None:
            covariance = creation_ops.ones_like(mean)
        return {
            "mean": self._scale_back_data(mean),
            "covariance": self._scale_back_variance(covariance),
        }

    def process_window(
        self, features: Dict[str, Any], mode: str, exogenous_regressors: Any
    ) -> ModelOutputs:
        """The loss of one window, with the predictions of its last times.

        Args:
            features: Times and values, by key, of the size of a window.
            mode: One of `ModeKeys`.
            exogenous_regressors: Other features, [batch, window, size].

        Returns:
            The loss, with what else the model gives.

        Raises:
            ValueError: The windows have another size.
        """
        times = math_ops.cast(features[_TIMES], dtypes.int64)
        original = math_ops.cast(features[_VALUES], self.dtype)
        self._check_window(times)
        values = self._scale_data(original)
        size = self.input_window_size
        made = self.prediction_ops(
            times, values[:, :size, :] if size else None, exogenous_regressors
        )
        mean, covariance = made["mean"], made["covariance"]
        targets = values[:, size:, :]
        targets.shape.assert_is_compatible_with(mean.shape)
        if mode == ModeKeys.EVAL and self.loss == ARModel.SQUARED_LOSS:
            # Losses of an evaluation are in the units of the series.
            loss = self.loss_op(
                self._scale_back_data(targets), {"mean": self._scale_back_data(mean)}
            )
        else:
            loss = self.loss_op(targets, made)
        state = (times[:, -size:], values[:, -size:, :], exogenous_regressors[:, -size:, :])
        n_outputs = self.output_window_size
        predictions = {
            "mean": self._scale_back_data(mean),
            "covariance": self._scale_back_variance(covariance),
            "observed": original[:, -n_outputs:],
        }
        return ModelOutputs(loss, state, predictions, times[:, -n_outputs:])

    def _check_window(self, times: Any) -> None:
        if not times.shape.is_compatible_with([None, self.window_size]):
            raise ValueError(
                f"ARModel with input_window_size={self.input_window_size} and output_window_size="
                f"{self.output_window_size} expects feature '{_TIMES}' to have shape (batch_size, "
                f"{self.window_size}) (for any batch_size), but got shape {times.shape}. If you "
                f"are using RandomWindowInputFn, set window_size={self.window_size} or adjust the "
                "input_window_size and output_window_size arguments to ARModel."
            )

    def get_batch_loss(self, features: Dict[str, Any], mode: str, state: Any) -> ModelOutputs:
        tensors = {key: convert_to_tensor(value) for key, value in features.items()}
        exogenous = self._exogenous(tensors[_TIMES], tensors)
        if mode == ModeKeys.TRAIN:
            return self.process_window(tensors, mode, exogenous)
        if mode != ModeKeys.EVAL:
            raise ValueError(f"Unknown mode '{mode}' passed to get_batch_loss.")
        return evaluated_windows(self, tensors, exogenous, state)

    def _compute_time_features(self, times: Any) -> Any:
        """Where times are in periods: 0 to 1 in the bucket of each, [batch, window, buckets]."""
        n_periods = len(self._periodicities)
        periods = constant(self._periodicities, times.dtype, [1, 1, n_periods, 1])
        by_period = array_ops.expand_dims(array_ops.expand_dims(times, -1), -1) % periods
        position = math_ops.cast(by_period, self.dtype) * self._buckets
        position = position / math_ops.cast(periods, self.dtype)
        numbers = math_ops.range(self._buckets, dtype=self.dtype)
        position = gen_ops.relu(position - array_ops.reshape(numbers, [1, 1, 1, -1]))
        inside = where_v2(position < 1.0, position, creation_ops.zeros_like(position))
        sizes = array_ops.shape(times)
        size = self._buckets * n_periods
        return array_ops.reshape(inside, array_ops.stack([sizes[0], sizes[1], size]))


class AnomalyMixtureARModel(ARModel):
    """An autoregressive model in which values may be anomalies, of a wider distribution.

    Args:
        periodicities: As of `ARModel`.
        anomaly_prior_probability: That of an anomaly.
        input_window_size: As of `ARModel`.
        output_window_size: As of `ARModel`.
        num_features: As of `ARModel`.
        prediction_model_factory: As of `ARModel`.
        anomaly_distribution: `GAUSSIAN_ANOMALY` or `CAUCHY_ANOMALY`, around the prediction.
        num_time_buckets: As of `ARModel`.
        exogenous_feature_columns: As of `ARModel`.
    """

    GAUSSIAN_ANOMALY = "gaussian"
    CAUCHY_ANOMALY = "cauchy"

    def __init__(
        self,
        periodicities: _PERIODS,
        anomaly_prior_probability: float,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        anomaly_distribution: str = GAUSSIAN_ANOMALY,
        num_time_buckets: int = 10,
        exogenous_feature_columns: Optional[Sequence[Any]] = None,
    ) -> None:
        assert 0.0 < anomaly_prior_probability < 1.0
        assert anomaly_distribution in (self.GAUSSIAN_ANOMALY, self.CAUCHY_ANOMALY)
        self._anomaly_prior_probability = anomaly_prior_probability
        self._anomaly_distribution = anomaly_distribution
        super().__init__(
            periodicities, input_window_size, output_window_size, num_features,
            prediction_model_factory, num_time_buckets, ARModel.NORMAL_LIKELIHOOD_LOSS,
            exogenous_feature_columns,
        )  # fmt: skip

    def prediction_ops(self, times: Any, values: Any, exogenous_regressors: Any) -> Dict[str, Any]:
        predictions = super().prediction_ops(times, values, exogenous_regressors)
        log_scale = get_variable("anomaly_log_param", [], self.dtype, Zeros())
        return {**predictions, "anomaly_params": gen_ops.exp(log_scale)}

    def _anomaly_log_prob(self, targets: Any, predictions: Dict[str, Any]) -> Any:
        mean, scale = predictions["mean"], predictions["anomaly_params"]
        if self._anomaly_distribution == self.CAUCHY_ANOMALY:
            return cauchy_log_prob(targets, scale, mean)
        sigma = gen_ops.sqrt(gen_ops.maximum(scale, _SMALLEST_VARIANCE))
        return normal_log_prob(targets, sigma, mean)

    def loss_op(self, targets: Any, prediction_ops: Dict[str, Any]) -> Any:
        prior = constant(self._anomaly_prior_probability)
        sigma = gen_ops.sqrt(gen_ops.maximum(prediction_ops["covariance"], _SMALLEST_VARIANCE))
        usual = normal_log_prob(targets, sigma, prediction_ops["mean"])
        usual += gen_ops.log(1 - prior)
        unusual = self._anomaly_log_prob(targets, prediction_ops) + gen_ops.log(prior)
        less, more = gen_ops.minimum(usual, unusual), gen_ops.maximum(usual, unusual)
        mixed = more + gen_ops.log(1 + gen_ops.exp(less - more))
        count = math_ops.cast(array_ops.size(targets), self.dtype)
        return -math_ops.reduce_sum(mixed) / count
