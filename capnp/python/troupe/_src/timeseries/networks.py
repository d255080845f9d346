"""The networks of autoregressive models: dense layers, and memory cells."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from troupe._src.layers.core import Dense
from troupe._src.ops import array_ops, gen_ops
from troupe._src.rnn.fused_lstm import LSTMBlockFusedCell
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import VariableScope, variable_scope


class PredictionNetwork:
    """A function of the features of windows, whose variables its calls share.

    A class of them has `call`, and the prefix of the names of its variables.
    """

    SCOPE = ""

    def __init__(self) -> None:
        self.dtype = dtypes.float32
        # Variables are named as those of layers in the scope of the model.
        self._scope = VariableScope(f"model/{self.SCOPE}", use_resource=True)

    def __call__(self, input_window_features: Any, output_window_features: Any) -> Dict[str, Any]:
        with variable_scope(self._scope):
            return self.call(input_window_features, output_window_features)

    def call(self, input_window_features: Any, output_window_features: Any) -> Dict[str, Any]:
        """Predictions of windows.

        Args:
            input_window_features: [batch, input window, size].
            output_window_features: [batch, output window, size].

        Returns:
            `mean` and `covariance`, [batch, output window, features of the series].
        """
        raise NotImplementedError("Abstract method")


def _flat(tensor: Any) -> Any:
    sizes = tensor.shape.as_list()[1:]
    return array_ops.reshape(tensor, [-1, sizes[0] * sizes[1]])


class FlatPredictionModel(PredictionNetwork):
    """Dense layers of all features of a window.

    Args:
        num_features: Of the series.
        input_window_size: The number of times that are known.
        output_window_size: The number of times that are predicted.
        hidden_layer_sizes: The sizes of layers between, with `relu`.
    """

    SCOPE = "flat_prediction_model"

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        hidden_layer_sizes: Optional[Sequence[int]] = None,
    ) -> None:
        super().__init__()
        self._hidden: List[Dense] = [
            Dense(size, gen_ops.relu, name=f"sequential/dense{f'_{number}' if number else ''}")
            for number, size in enumerate(hidden_layer_sizes or [])
        ]
        self._mean = Dense(num_features * output_window_size, name="predicted_mean")
        self._log_variance = Dense(num_features * output_window_size, name="log_sigma_square")
        self._shape = [-1, output_window_size, num_features]

    def call(self, input_window_features: Any, output_window_features: Any) -> Dict[str, Any]:
        parts = [input_window_features, output_window_features]
        parts = [_flat(part) for part in parts if 0 not in part.shape.as_list()[1:]]
        activation = array_ops.concat(parts, axis=1)
        for layer in self._hidden:
            activation = layer(activation)
        mean = array_ops.reshape(self._mean(activation), self._shape)
        variance = gen_ops.exp(self._log_variance(activation))
        return {"mean": mean, "covariance": array_ops.reshape(variance, self._shape)}


class LSTMPredictionModel(PredictionNetwork):
    """Memory cells over the known times, and others that go on from these over the predicted ones.

    Args:
        num_features: Of the series.
        input_window_size: The number of times that are known.
        output_window_size: The number of times that are predicted.
        num_units: The size of the memory.
    """

    SCOPE = "lstm_prediction_model"

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        num_units: int = 128,
    ) -> None:
        super().__init__()
        self._encoder = LSTMBlockFusedCell(num_units, name="encoder")
        self._decoder = LSTMBlockFusedCell(num_units, name="decoder")
        self._mean = Dense(num_features, name="mean_transform")
        self._log_variance = Dense(num_features, name="covariance_transform")

    def call(self, input_window_features: Any, output_window_features: Any) -> Dict[str, Any]:
        by_time = [1, 0, 2]
        _, state = self._encoder(
            array_ops.transpose(input_window_features, by_time), dtype=self.dtype
        )
        decoded, _ = self._decoder(
            array_ops.transpose(output_window_features, by_time), dtype=self.dtype,
            initial_state=state,
        )  # fmt: skip
        decoded = array_ops.transpose(decoded, by_time)
        variance = gen_ops.exp(self._log_variance(decoded))
        return {"mean": self._mean(decoded), "covariance": variance}
