"""Estimators of time series."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Optional, Sequence, Union

from troupe._src.canned.optimizers import optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.set_module import set_module
from troupe._src.state_space.anomalies import StateInterpolatingAnomalyDetector
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.model import StateSpaceModel
from troupe._src.state_space.structural import MultiResolutionStructuralEnsemble
from troupe._src.timeseries.ar_model import AnomalyMixtureARModel, ARModel
from troupe._src.series_estimators.head import OneShotPredictionHead, TimeSeriesRegressionHead
from troupe._src.timeseries.networks import FlatPredictionModel, LSTMPredictionModel
from troupe._src.series_estimators.serving_inputs import one_shot_receiver_fn, raw_receiver_fn
from troupe._src.timeseries.state_managers import (
    ChainingStateManager, FilteringOnlyStateManager, PassthroughStateManager,
)  # fmt: skip
from troupe._src.timeseries.statistics import InputStatisticsFromMiniBatch
from troupe._src.train.adaptive_optimizers import AdagradOptimizer, AdamOptimizer
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike


@set_module("troupe.contrib.timeseries")
class TimeSeriesRegressor(Estimator):
    """An estimator of a model of time series.

    `evaluate` gives the predictions of all times beside the loss, and the state from which
    `predict_continuation_input_fn` goes on.

    Args:
        model: The model.
        state_manager: Which state the windows of a training begin with; by default that of the
            model.
        optimizer: By default Adam at a rate of 0.02.
        model_dir: As of Estimator.
        config: As of Estimator.
        head_type: The class of the ops; `OneShotPredictionHead` for exports without a state.
    """

    def __init__(
        self,
        model: Any,
        state_manager: Any = None,
        optimizer: Any = None,
        model_dir: Optional[PathLike] = None,
        config: Optional[RunConfig] = None,
        head_type: Any = TimeSeriesRegressionHead,
    ) -> None:
        if state_manager is None:
            is_filtered = isinstance(model, ARModel)
            state_manager = (
                FilteringOnlyStateManager() if is_filtered else PassthroughStateManager()
            )
        self._series_model = model
        head = head_type(
            model=model,
            state_manager=state_manager,
            optimizer=optimizer or AdamOptimizer(0.02),
            input_statistics_generator=InputStatisticsFromMiniBatch(
                model.num_features, model.dtype
            ),
        )
        super().__init__(head.create_estimator_spec, model_dir, config)

    def build_one_shot_parsing_serving_input_receiver_fn(
        self,
        filtering_length: int,
        prediction_length: int,
        default_batch_size: Optional[int] = None,
        values_input_dtype: Any = None,
        truncate_values: bool = False,
    ) -> Callable[[], Any]:
        """The inputs of an exported model that reads serialized examples, a series each.

        Args:
            filtering_length: Of how many times there are values.
            prediction_length: How many times after these are predicted.
            default_batch_size: The number of series, where it is fixed.
            values_input_dtype: The dtype of values in examples, by default float32.
            truncate_values: Whether examples have values of all times, which are ignored.

        Returns:
            A function for `export_saved_model`, for a head of `OneShotPredictionHead`.
        """
        return one_shot_receiver_fn(
            self._series_model, (filtering_length, prediction_length), default_batch_size,
            values_input_dtype or dtypes.float32, truncate_values,
        )  # fmt: skip

    def build_raw_serving_input_receiver_fn(
        self,
        default_batch_size: Optional[int] = None,
        default_series_length: Optional[int] = None,
    ) -> Callable[[], Any]:
        """The inputs of an exported model that is fed, as `saved_model_utils` does.

        Args:
            default_batch_size: The number of series, where it is fixed.
            default_series_length: The number of times, where it is fixed.

        Returns:
            A function for `export_saved_model`.
        """
        return raw_receiver_fn(self._series_model, default_batch_size, default_series_length)


@set_module("troupe.contrib.timeseries")
class ARRegressor(TimeSeriesRegressor):
    """An estimator of an autoregressive model: windows of values by the values before them.

    Args:
        periodicities: The periods of the series, integers.
        input_window_size: Of how many values before it a window depends.
        output_window_size: The size of a window.
        num_features: Of the series.
        exogenous_feature_columns: The columns of other features of times.
        num_time_buckets: Into how many buckets a period is divided.
        loss: One of `ARModel`'s losses.
        hidden_layer_sizes: The sizes of layers of its network.
        anomaly_prior_probability: Makes it a mixture with anomalies, of this probability.
        anomaly_distribution: `"gaussian"`, the default, or `"cauchy"`.
        optimizer: By default Adagrad at a rate of 0.1.
        model_dir: As of Estimator.
        config: As of Estimator.

    Raises:
        ValueError: There is a distribution of anomalies without their probability, or anomalies
            with another loss than that of likelihoods.
    """

    def __init__(
        self,
        periodicities: Any,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        exogenous_feature_columns: Optional[Sequence[Any]] = None,
        num_time_buckets: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        hidden_layer_sizes: Optional[Sequence[int]] = None,
        anomaly_prior_probability: Optional[float] = None,
        anomaly_distribution: Optional[str] = None,
        optimizer: Any = None,
        model_dir: Optional[PathLike] = None,
        config: Optional[RunConfig] = None,
    ) -> None:
        options: Dict[str, Any] = {
            "periodicities": periodicities,
            "input_window_size": input_window_size,
            "output_window_size": output_window_size,
            "num_features": num_features,
            "prediction_model_factory": functools.partial(
                FlatPredictionModel, hidden_layer_sizes=hidden_layer_sizes
            ),
            "exogenous_feature_columns": exogenous_feature_columns,
            "num_time_buckets": num_time_buckets,
        }
        model: ARModel
        if anomaly_prior_probability is None:
            if anomaly_distribution is not None:
                raise ValueError(
                    "anomaly_prior_probability is required if anomaly_distribution is specified."
                )
            model = ARModel(loss=loss, **options)
        else:
            if loss != ARModel.NORMAL_LIKELIHOOD_LOSS:
                raise ValueError(
                    "AnomalyMixtureARModel only supports ar_model.ARModel.NORMAL_LIKELIHOOD_LOSS "
                    "for its loss argument."
                )
            model = AnomalyMixtureARModel(
                anomaly_prior_probability=anomaly_prior_probability,
                anomaly_distribution=anomaly_distribution
                or AnomalyMixtureARModel.GAUSSIAN_ANOMALY,
                **options,
            )
        super().__init__(
            model, FilteringOnlyStateManager(), optimizer or AdagradOptimizer(0.1), model_dir,
            config,
        )  # fmt: skip


class LSTMAutoRegressor(TimeSeriesRegressor):
    """An estimator of an autoregressive model of memory cells, which is exported without a state.

    Args:
        periodicities: As of `ARRegressor`.
        input_window_size: As of `ARRegressor`.
        output_window_size: As of `ARRegressor`.
        model_dir: As of Estimator.
        num_features: As of `ARRegressor`.
        extra_feature_columns: The columns of other features of times.
        num_timesteps: Into how many buckets a period is divided.
        loss: One of `ARModel`'s losses.
        num_units: The size of the memory.
        optimizer: An optimizer, or the name of one at a rate of 0.01.
        config: As of Estimator.
    """

    def __init__(
        self,
        periodicities: Any,
        input_window_size: int,
        output_window_size: int,
        model_dir: Optional[PathLike] = None,
        num_features: int = 1,
        extra_feature_columns: Optional[Sequence[Any]] = None,
        num_timesteps: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        num_units: int = 128,
        optimizer: Any = "Adam",
        config: Optional[RunConfig] = None,
    ) -> None:
        network = functools.partial(LSTMPredictionModel, num_units=num_units)
        model = ARModel(
            periodicities, input_window_size, output_window_size, num_features, network,
            num_timesteps, loss, extra_feature_columns,
        )  # fmt: skip
        super().__init__(
            model, FilteringOnlyStateManager(), optimizer_of(optimizer, 0.01), model_dir, config,
            OneShotPredictionHead,
        )  # fmt: skip


class StateSpaceRegressor(TimeSeriesRegressor):
    """An estimator of a state space model, whose windows begin with states of others.

    Args:
        model: The model.
        state_manager: By default a `ChainingStateManager`.
        optimizer: As of `TimeSeriesRegressor`.
        model_dir: As of Estimator.
        config: As of Estimator.
        head_type: As of `TimeSeriesRegressor`.

    Raises:
        ValueError: It is another model.
    """

    def __init__(
        self,
        model: StateSpaceModel,
        state_manager: Any = None,
        optimizer: Any = None,
        model_dir: Optional[PathLike] = None,
        config: Optional[RunConfig] = None,
        head_type: Any = TimeSeriesRegressionHead,
    ) -> None:
        if not isinstance(model, StateSpaceModel):
            raise ValueError(
                "StateSpaceRegressor only supports state space models (children of "
                f"StateSpaceModel) in its `model` argument, got {model}."
            )
        super().__init__(
            model, state_manager or ChainingStateManager(), optimizer, model_dir, config, head_type
        )


@set_module("troupe.contrib.timeseries")
class StructuralEnsembleRegressor(StateSpaceRegressor):
    """An estimator of a series as the sum of a level with a trend, of periods, and of noise.

    Args:
        periodicities: The periods of the series, also broken numbers.
        num_features: Of the series.
        cycle_num_latent_values: Of how many values a period is made, an odd number; or one for
            each.
        moving_average_order: Of the noise.
        autoregressive_order: Of the noise.
        exogenous_feature_columns: The columns of other features of times.
        exogenous_update_condition: A function of times and of their other features that says for
            which of them these count; by default for all.
        dtype: Of its computation.
        anomaly_prior_probability: Makes values count less that are anomalies, of this probability.
        optimizer: As of `TimeSeriesRegressor`.
        model_dir: As of Estimator.
        config: As of Estimator.
        head_type: As of `TimeSeriesRegressor`.
    """

    def __init__(
        self,
        periodicities: Any,
        num_features: int,
        cycle_num_latent_values: Union[int, Sequence[int]] = 11,
        moving_average_order: int = 4,
        autoregressive_order: int = 0,
        exogenous_feature_columns: Optional[Sequence[Any]] = None,
        exogenous_update_condition: Optional[Callable[..., Any]] = None,
        dtype: Any = dtypes.float64,
        anomaly_prior_probability: Optional[float] = None,
        optimizer: Any = None,
        model_dir: Optional[PathLike] = None,
        config: Optional[RunConfig] = None,
        head_type: Any = TimeSeriesRegressionHead,
    ) -> None:
        postprocessor = None
        if anomaly_prior_probability is not None:
            postprocessor = StateInterpolatingAnomalyDetector(
                anomaly_prior_probability=anomaly_prior_probability
            )
        configuration = StateSpaceModelConfiguration(
            num_features=num_features,
            dtype=dtype,
            filtering_postprocessor=postprocessor,
            exogenous_feature_columns=exogenous_feature_columns or [],
            exogenous_update_condition=exogenous_update_condition,
        )
        model = MultiResolutionStructuralEnsemble(
            cycle_num_latent_values, moving_average_order, autoregressive_order, periodicities,
            configuration=configuration,
        )  # fmt: skip
        super().__init__(model, None, optimizer, model_dir, config, head_type)
