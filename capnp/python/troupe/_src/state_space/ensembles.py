"""State space models of several others, whose states are side by side."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.state_space.model import StateSpaceModel
from troupe._src.timeseries.matrices import block_diagonal
from troupe._src.variables.variable_store import variable_scope


class StateSpaceEnsemble(StateSpaceModel):
    """A model whose values are the sums of those of its members.

    Args:
        ensemble_members: The members.
        configuration: The options.
    """

    def __init__(self, ensemble_members: Sequence[Any], configuration: Any) -> None:
        self._ensemble_members = ensemble_members
        super().__init__(configuration)

    def _set_input_statistics(self, input_statistics: Any = None) -> None:
        super()._set_input_statistics(input_statistics)
        for member in self._ensemble_members:
            member._set_input_statistics(input_statistics)

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        own = super()._loss_additions(times, values, mode)
        members = [
            member._loss_additions(times, values, mode) for member in self._ensemble_members
        ]
        return own + gen_ops.add_n(members)

    def _blocks(self, function: Callable[[Any], Any], name: str) -> Any:
        """The matrices of members along a diagonal."""
        with variable_scope(self._variable_scope):
            matrices = [function(member) for member in self._ensemble_members]
            return block_diagonal(matrices, self.dtype, name=name)

    def transition_to_powers(self, powers: Any) -> Any:
        return self._blocks(
            lambda member: member.transition_to_powers(powers), "ensemble_transition_to_powers"
        )

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        tradeoff = observation_transition_tradeoff_log
        with variable_scope(self._variable_scope):
            if tradeoff is None:
                tradeoff = self._tradeoff_variable()
            for member in self._ensemble_members:
                member._define_parameters(observation_transition_tradeoff_log=tradeoff)
            super()._define_parameters(observation_transition_tradeoff_log=tradeoff)

    def random_model_parameters(self, seed: Optional[int] = None) -> Dict[Any, Any]:
        found: Dict[Any, Any] = {}
        for number, member in enumerate(self._ensemble_members):
            found.update(member.random_model_parameters(seed=seed + number if seed else None))
        found.update(super().random_model_parameters(seed=seed))
        return found

    def get_prior_mean(self) -> Any:
        means = [member.get_prior_mean() for member in self._ensemble_members]
        return array_ops.concat(means, 0, name="ensemble_prior_state_mean")

    def get_state_transition(self) -> Any:
        return self._blocks(
            lambda member: member.get_state_transition(), "ensemble_state_transition"
        )

    def get_noise_transform(self) -> Any:
        return self._blocks(lambda member: member.get_noise_transform(), "ensemble_noise_transform")

    def get_observation_model(self, times: Any) -> Any:
        raise NotImplementedError("No un-broadcasted observation model defined for ensembles.")

    def get_broadcasted_observation_model(self, times: Any) -> Any:
        models = [
            convert_to_tensor(member.get_broadcasted_observation_model(times), self.dtype)
            for member in self._ensemble_members
        ]
        return array_ops.concat(models, 2)


class StateSpaceIndependentEnsemble(StateSpaceEnsemble):
    """Members whose noises are independent.

    Args:
        ensemble_members: The members.
        configuration: The options.
    """

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        return self._blocks(
            lambda member: member.transition_power_noise_accumulator(num_steps),
            "ensemble_power_noise_accumulator",
        )

    def get_prior_covariance(self) -> Any:
        return self._blocks(
            lambda member: member.get_prior_covariance(), "ensemble_prior_state_covariance"
        )

    def get_state_transition_noise_covariance(
        self, minimum_initial_variance: float = 1e-05
    ) -> Any:
        return self._blocks(
            lambda member: member.state_transition_noise_covariance,
            "ensemble_state_transition_noise",
        )


class StateSpaceCorrelatedFeaturesEnsemble(StateSpaceEnsemble):
    """A member for each feature of a series, whose noises are correlated.

    Args:
        ensemble_members: The members, of one feature each.
        configuration: The options.

    Raises:
        ValueError: There is not one member for each feature.
    """

    def __init__(self, ensemble_members: Sequence[Any], configuration: Any) -> None:
        if len(ensemble_members) != configuration.num_features:
            raise ValueError(
                "The number of members in a StateSpaceCorrelatedFeaturesEnsemble must equal the "
                "number of features in the time series."
            )
        if any(member.num_features != 1 for member in ensemble_members):
            raise ValueError(
                "StateSpaceCorrelatedFeaturesEnsemble components must be univariate."
            )
        super().__init__(ensemble_members, configuration)

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        if len(self._ensemble_members) == 1:
            # That of the member may be faster than powers of any matrix.
            return self._ensemble_members[0].transition_power_noise_accumulator(num_steps)
        return super().transition_power_noise_accumulator(num_steps)

    def get_broadcasted_observation_model(self, times: Any) -> Any:
        return self._blocks(
            lambda member: member.get_broadcasted_observation_model(times),
            "feature_ensemble_observation_model",
        )
