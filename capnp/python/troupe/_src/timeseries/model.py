"""What every model of time series has: scaling of values, and other features of times."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence

from troupe._src.feature_columns.layers import input_layer, make_parse_example_spec
from troupe._src.graph.graph import Graph
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.parsing.example_ops import parse_example
from troupe._src.timeseries.feature_keys import TrainEvalFeatures
from troupe._src.timeseries.state_tables import replicate_state
from troupe._src.types import dtypes


class ModelOutputs(NamedTuple):
    """What a model gives for a batch of windows."""

    loss: Any  # a scalar
    end_state: Any
    predictions: Any  # by name, [batch, times, ...]
    prediction_times: Any


def parsed_placeholders(columns: Sequence[Any]) -> Dict[str, Any]:
    """The features of columns, as they are parsed of examples in the default graph.

    Args:
        columns: The columns.

    Returns:
        Tensors by key.
    """
    serialized = creation_ops.placeholder(dtypes.string, [None])
    found: Dict[str, Any] = parse_example(serialized, make_parse_example_spec(columns))
    return found


class TimeSeriesModel:
    """A model of a series.

    Args:
        num_features: Of the series.
        exogenous_feature_columns: The columns of other features of times.
        dtype: Of its computation, floating point.
    """

    def __init__(
        self,
        num_features: int,
        exogenous_feature_columns: Optional[Sequence[Any]] = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        self._exogenous_feature_columns = exogenous_feature_columns or []
        self.num_features = num_features
        self.dtype = dtype
        self._input_statistics: Any = None
        self._graph_initialized = False
        self._stats_means: Any = None
        self._stats_sigmas: Any = None

    @property
    def exogenous_feature_columns(self) -> Sequence[Any]:
        """The columns of other features of times."""
        return self._exogenous_feature_columns

    def generate(
        self, number_of_series: int, series_length: int, model_parameters: Any = None,
        seed: Optional[int] = None,
    ) -> Any:  # fmt: skip
        """Samples of the model, where it can make some.

        Args:
            number_of_series: How many.
            series_length: Of how many times.
            model_parameters: Values instead of those of tensors, by tensor.
            seed: Makes them repeatable.

        Returns:
            Times and values, by key.

        Raises:
            NotImplementedError: It cannot.
        """
        raise NotImplementedError("This model does not support generation.")

    def initialize_graph(self, input_statistics: Any = None) -> None:
        """Makes what the model needs in the graph, before anything else is called.

        Args:
            input_statistics: Statistics of the series, by which values are scaled; or None.
        """
        self._graph_initialized = True
        self._input_statistics = input_statistics
        if input_statistics:
            self._stats_means, variances = input_statistics.overall_feature_moments
            self._stats_sigmas = gen_ops.sqrt(variances)

    def _scale_data(self, data: Any) -> Any:
        if self._input_statistics is None:
            return data
        return (data - self._stats_means) / self._stats_sigmas

    def _scale_variance(self, variance: Any) -> Any:
        if self._input_statistics is None:
            return variance
        return variance / self._input_statistics.overall_feature_moments.variance

    def _scale_back_data(self, data: Any) -> Any:
        if self._input_statistics is None:
            return data
        return data * self._stats_sigmas + self._stats_means

    def _scale_back_variance(self, variance: Any) -> Any:
        if self._input_statistics is None:
            return variance
        return variance * self._input_statistics.overall_feature_moments.variance

    def _check_graph_initialized(self) -> None:
        if not self._graph_initialized:
            raise ValueError(
                "TimeSeriesModels require initialize_graph() to be called before use. This "
                "defines variables and ops in the default graph, and allows Tensor-valued input "
                "statistics to be specified."
            )

    def define_loss(self, features: Dict[str, Any], mode: str) -> ModelOutputs:
        """The loss of windows that begin with the state that the model begins with.

        Args:
            features: Times, values, and others, by key.
            mode: One of `ModeKeys`.

        Returns:
            The loss, with what else the model gives.
        """
        self._check_graph_initialized()
        batch_size = array_ops.shape(features[TrainEvalFeatures.TIMES])[0]
        state = replicate_state(self.get_start_state(), batch_size)
        return self.get_batch_loss(features, mode, state)

    def get_start_state(self) -> Any:
        """The state that the model begins with: tensors without an axis of series."""
        raise NotImplementedError("Abstract method")

    def get_batch_loss(self, features: Dict[str, Any], mode: str, state: Any) -> ModelOutputs:
        """The loss of windows.

        Args:
            features: Times, values, and others, by key.
            mode: One of `ModeKeys`.
            state: The state before each window.

        Returns:
            The loss, with what else the model gives.
        """
        raise NotImplementedError("Abstract method")

    def predict(self, features: Dict[str, Any]) -> Dict[str, Any]:
        """Predictions.

        Args:
            features: Times, the state before them, and others, by key.

        Returns:
            Tensors by name, [batch, times, ...].
        """
        raise NotImplementedError("Abstract method")

    def _get_exogenous_embedding_shape(self) -> Sequence[int]:
        """The shape of other features of one time, as columns make it."""
        columns = self._exogenous_feature_columns
        if not columns:
            return (0,)
        with Graph().as_default():
            made = input_layer(parsed_placeholders(columns), columns)
        return [size or 0 for size in made.shape.as_list()[1:]]

    def _process_exogenous_features(self, times: Any, features: Dict[str, Any]) -> Any:
        """Other features of times as columns make them, [batch, times, size]; None without any."""
        if not self._exogenous_feature_columns:
            return None
        flat = {}
        for name, tensor in features.items():
            if tensor.shape.rank is None:
                raise ValueError(
                    "Features with unknown rank are not supported. Got shape "
                    f"{tensor.shape} for feature {name}."
                )
            sizes = array_ops.shape(tensor)
            count = array_ops.expand_dims(sizes[0] * sizes[1], 0)
            flat[name] = array_ops.reshape(tensor, array_ops.concat([count, sizes[2:]], 0))
            if flat[name].shape.rank == 1 and tensor.dtype != dtypes.string:
                flat[name] = array_ops.expand_dims(flat[name], 1)
        made = input_layer(flat, self._exogenous_feature_columns, trainable=True)
        sizes = array_ops.concat([array_ops.shape(times), array_ops.shape(made)[1:]], 0)
        result = array_ops.reshape(made, sizes)
        result.set_shape(times.shape.concatenate(made.shape[1:]))
        return math_ops.cast(result, self.dtype)
