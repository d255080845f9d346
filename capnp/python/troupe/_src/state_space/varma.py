"""A state space model of noise that depends on values and noise before it."""

from __future__ import annotations

from typing import Any

from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.rearrange_ops import eye
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.model import StateSpaceModel
from troupe._src.timeseries.matrices import variable_covariance_matrix
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import variable_scope


class VARMA(StateSpaceModel):
    """A vector autoregressive model of a moving average.

    Args:
        autoregressive_order: On how many values before it a value depends.
        moving_average_order: On how many noises before it a value depends.
        configuration: The options.
    """

    def __init__(
        self, autoregressive_order: int, moving_average_order: int,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),
    ) -> None:  # fmt: skip
        self.ar_order = autoregressive_order
        self.ma_order = moving_average_order
        self.state_num_blocks = max(autoregressive_order, moving_average_order + 1)
        self.ar_coefs: Any = None
        self.ma_coefs: Any = None
        super().__init__(configuration)
        self.state_dimension = self.state_num_blocks * self.num_features

    def _eye(self, n_blocks: int = 1) -> Any:
        return eye(n_blocks * self.num_features, dtype=self.dtype)

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        size = self.num_features
        with variable_scope(self._variable_scope):
            self.ar_coefs = get_variable(
                "ar_coefs", [size, size, self.ar_order], self.dtype, Zeros()
            )
            one = array_ops.expand_dims(self._eye(), 0)
            self.ma_coefs = get_variable(
                "ma_coefs", dtype=self.dtype, initializer=gen_ops.tile(one, [self.ma_order, 1, 1])
            )
        super()._define_parameters(observation_transition_tradeoff_log)

    def get_state_transition(self) -> Any:
        more = self.state_num_blocks - self.ar_order
        rows = creation_ops.pad(self.ar_coefs, [[0, 0], [0, 0], [0, more]])
        rows = array_ops.reshape(rows, [self.num_features, self.state_dimension])
        identity = self._eye(self.state_num_blocks - 1)
        moved = creation_ops.pad(identity, [[0, 0], [0, self.num_features]])
        return array_ops.concat([rows, moved], axis=0)

    def get_noise_transform(self) -> Any:
        more = self.state_num_blocks - 1 - self.ma_order
        rows = creation_ops.pad(self.ma_coefs, [[more, 0], [0, 0], [0, 0]])
        sizes = [(self.state_num_blocks - 1) * self.num_features, self.num_features]
        rows = array_ops.reshape(rows, sizes, name="noise_transform")
        return array_ops.concat([rows, self._eye()], axis=0)

    def get_observation_model(self, times: Any) -> Any:
        def first(n_more: int) -> Any:
            return creation_ops.pad(self._eye(), [[0, 0], [0, self.num_features * n_more]])

        if self.ar_order > self.ma_order or self.state_num_blocks < 2:
            return first(self.state_num_blocks - 1)
        # The noise of a value is observed with it.
        return array_ops.concat([first(self.state_num_blocks - 2), self._eye()], axis=1)

    def get_state_transition_noise_covariance(
        self, minimum_initial_variance: float = 1e-05
    ) -> Any:
        variance = self._start_variance()
        scale: Any = 0.0
        if variance is not None:
            mean = math_ops.reduce_mean(variance)
            scale = gen_ops.log(gen_ops.maximum(mean, minimum_initial_variance))
        return variable_covariance_matrix(
            self._noise_size(), "state_transition_noise", self.dtype,
            initial_overall_scale_log=scale,
        )  # fmt: skip
