"""What starts and stops the growth of trees."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.train.hooks.session_run_hook import SessionRunArgs, SessionRunHook


class StopAtAttemptsHook(SessionRunHook):
    """Stops a training that has all its trees, or has tried twice as many layers as they have.

    Args:
        num_finalized_trees: How many trees are complete.
        num_attempted_layers: How many layers were tried.
        max_trees: How many trees there are to be.
        max_depth: How many layers each of them has.
    """

    def __init__(
        self,
        num_finalized_trees: Tensor,
        num_attempted_layers: Tensor,
        max_trees: int,
        max_depth: int,
    ) -> None:
        self._counts = [num_finalized_trees, num_attempted_layers]
        self._trees_max, self._layers_max = max_trees, 2 * max_trees * max_depth

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._counts)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        trees, layers = run_values.results
        if trees >= self._trees_max - 1 or layers > self._layers_max - 1:
            # As they are once the step has grown the ensemble.
            trees, layers = run_context.session.run(self._counts)
        if trees >= self._trees_max or layers > self._layers_max:
            run_context.request_stop()


class GrowerInitializationHook(SessionRunHook):
    """Lets a grower begin at the stamp of the ensemble.

    Args:
        initializer: What each session of the chief runs first.
    """

    def __init__(self, initializer: Operation) -> None:
        self._initializer = initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)
