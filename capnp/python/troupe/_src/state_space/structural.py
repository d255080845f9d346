"""Ensembles of a level with a trend, of periods, and of noise."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Union

from troupe._src.control_flow import nest
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.ensembles import (
    StateSpaceCorrelatedFeaturesEnsemble, StateSpaceIndependentEnsemble,
)  # fmt: skip
from troupe._src.state_space.level_trend import AdderStateSpaceModel
from troupe._src.state_space.periodic import CycleStateSpaceModel
from troupe._src.state_space.resolution import ResolutionCycleModel
from troupe._src.state_space.varma import VARMA
from troupe._src.variables.variable_store import variable_scope

_DEFAULT = StateSpaceModelConfiguration()


class _StructuralEnsemble(StateSpaceIndependentEnsemble):
    """The parts of a series, each in a variable scope of its own.

    Args:
        cycles: What makes the model of a feature of each period, of options.
        orders: Of the noise: autoregressive, and of the moving average.
        configuration: The options.
    """

    def __init__(
        self, cycles: Sequence[Callable[[Any], Any]], orders: Sequence[int],
        configuration: StateSpaceModelConfiguration,
    ) -> None:  # fmt: skip
        # Observations have noise once.
        options = configuration._replace(use_observation_noise=False)
        univariate = options._replace(num_features=1)

        def of_features(name: str, make: Callable[[Any], Any]) -> Any:
            with variable_scope(name):
                features = []
                for number in range(configuration.num_features):
                    with variable_scope(f"feature{number}"):
                        features.append(make(univariate))
                return StateSpaceCorrelatedFeaturesEnsemble(features, options)

        members = [
            of_features("adder", lambda options: AdderStateSpaceModel(configuration=options))
        ]
        with variable_scope("varma"):
            members.append(VARMA(orders[0], orders[1], options))
        for number, make in enumerate(cycles):
            members.append(of_features(f"cycle{number}", make))
        super().__init__(members, configuration)


class StructuralEnsemble(_StructuralEnsemble):
    """The sum of a level with a trend, of periods of as many values as times, and of noise.

    Args:
        periodicities: The periods, integers.
        moving_average_order: Of the noise.
        autoregressive_order: Of the noise.
        use_level_noise: Ignored: the level has noise.
        configuration: The options.
    """

    def __init__(
        self, periodicities: Any, moving_average_order: int, autoregressive_order: int,
        use_level_noise: bool = True, configuration: StateSpaceModelConfiguration = _DEFAULT,
    ) -> None:  # fmt: skip
        def cycle(period: int) -> Callable[[Any], Any]:
            return lambda options: CycleStateSpaceModel(period, options)

        cycles = [cycle(period) for period in nest.flatten(periodicities)]
        super().__init__(cycles, (autoregressive_order, moving_average_order), configuration)


class MultiResolutionStructuralEnsemble(_StructuralEnsemble):
    """The sum of a level with a trend, of periods of few values, and of noise.

    Args:
        cycle_num_latent_values: The number of values of each period, odd; or one for all.
        moving_average_order: Of the noise.
        autoregressive_order: Of the noise.
        periodicities: The periods, also broken numbers.
        use_level_noise: Ignored: the level has noise.
        configuration: The options.

    Raises:
        ValueError: There are several numbers of values, but not one for each period; or an even
            one.
    """

    def __init__(
        self, cycle_num_latent_values: Union[int, Sequence[int]], moving_average_order: int,
        autoregressive_order: int, periodicities: Any, use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = _DEFAULT,
    ) -> None:  # fmt: skip
        periods = nest.flatten([] if periodicities is None else periodicities)
        counts = nest.flatten(cycle_num_latent_values)
        if len(counts) == 1:
            counts = counts * len(periods)
        if len(periods) != len(counts):
            raise ValueError(
                "`cycle_num_latent_values` must either be a list with the same size as "
                f"`periodicity` or a scalar. Received length {len(counts)} "
                f"`cycle_num_latent_values`, while `periodicities` has length {len(periods)}."
            )

        def cycle(count: int, period: Any) -> Callable[[Any], Any]:
            return lambda options: ResolutionCycleModel(count, period, configuration=options)

        cycles = [cycle(count, period) for count, period in zip(counts, periods)]
        super().__init__(cycles, (autoregressive_order, moving_average_order), configuration)
