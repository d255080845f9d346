"""Optimizers of models that are on several devices of a process at once: `TowerOptimizer`."""

from __future__ import annotations

import collections
import contextlib
from typing import Any, DefaultDict, Dict, Iterator, List, Optional, Tuple

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.grouping_ops import no_op
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable_store import variable_scope

_Pairs = List[Tuple[Any, Any]]


class TowerState:
    """How far a graph has got with its towers, and the gradients of those so far."""

    def __init__(self) -> None:
        self.loss_reduction: Optional[str] = None
        self.tower_count = 1
        self.has_optimizer = False
        self._tower = 0
        self._first_scopes: Tuple[Any, str] = (None, "")
        self._gradients: DefaultDict[int, List[_Pairs]] = collections.defaultdict(list)

    @contextlib.contextmanager
    def tower(self, index: int, scope: Any, name_scope: str) -> Iterator[None]:
        """Within it, gradients are those of that tower."""
        if index == 0:
            self._first_scopes = scope, name_scope
        self._tower = index
        yield

    @property
    def first_scopes(self) -> Tuple[Any, str]:
        """The variable scope and the name scope of the first tower."""
        return self._first_scopes

    @property
    def is_last_tower(self) -> bool:
        """Whether the gradients of all others are there."""
        return self._tower == self.tower_count - 1

    def collect(self, pairs: _Pairs) -> None:
        """Keeps the gradients of one call of an optimizer in the current tower."""
        self._gradients[self._tower].append(pairs)

    def latest(self) -> _Pairs:
        """Those of the current call, of all towers."""
        call = len(self._gradients[self._tower]) - 1
        return [
            pair
            for tower in range(self._tower + 1)
            for pair in self._gradients[tower][call]
        ]

    def is_balanced(self) -> bool:
        """Whether all towers have called as many optimizers."""
        return sum(map(len, self._gradients.values())) % self.tower_count == 0

    def scaled(self, loss: Any) -> Any:
        """The part of a tower in the loss of all."""
        if loss is None or self.tower_count == 1 or self.loss_reduction == Reduction.SUM:
            return loss
        with get_default_graph().name_scope("averaged_loss"):
            return loss / (1.0 * self.tower_count)


@set_module("troupe.contrib.estimator")
class TowerOptimizer(Optimizer):
    """An optimizer in a model function that `replicate_model_fn` calls for several devices.

    It keeps the gradients of each device; with those of the last one, it applies the sums of all.

    Args:
        optimizer_or_optimizer_fn: The optimizer, or a function that makes it.
    """

    COLLECTION_FOR_GRAPH_STATES = "replicate_model_fn_graph_states"

    def __init__(self, optimizer_or_optimizer_fn: Any) -> None:
        self._optimizer_or_optimizer_fn = optimizer_or_optimizer_fn

    @staticmethod
    def has_been_used() -> bool:
        """Whether the graph has such an optimizer that has trained."""
        return tower_state().has_optimizer

    def get_slot(self, var: Any, name: str) -> Any:
        """As of the optimizer."""
        return self._optimizer().get_slot(var, name)

    def get_slot_names(self) -> List[str]:
        """As of the optimizer."""
        return list(self._optimizer().get_slot_names())

    def get_name(self) -> str:
        """As of the optimizer."""
        return str(self._optimizer().get_name())

    def variables(self) -> List[Any]:
        """As of the optimizer."""
        return list(self._optimizer().variables())

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> _Pairs:
        """The gradients of the part of this device in the loss.

        Args:
            loss: The loss of this device.
            *args: As of the optimizer.
            **kwargs: As of the optimizer.

        Returns:
            A list of (gradient, variable).
        """
        pairs: _Pairs = self._optimizer().compute_gradients(
            tower_state().scaled(loss), *args, **kwargs
        )
        return pairs

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None
    ) -> Any:
        """Keeps gradients; with those of the last device, updates the variables by the sums.

        Args:
            grads_and_vars: A list of (gradient, variable).
            global_step: A variable that is incremented.
            name: The name of the operation.

        Returns:
            The operation.
        """
        state, pairs = tower_state(), list(grads_and_vars)
        if state.tower_count == 1:
            return self._optimizer().apply_gradients(pairs, global_step, name)
        state.collect(pairs)
        if not state.is_last_tower:
            with get_default_graph().control_dependencies(_tensors(pairs)):
                return no_op(name="train_op_placeholder")
        scope, name_scope = state.first_scopes
        with variable_scope(scope), get_default_graph().name_scope(name_scope or None):
            with get_default_graph().name_scope("gradient_aggregating"):
                summed = _summed(state.latest())
            return self._optimizer().apply_gradients(summed, global_step, name)

    def _optimizer(self) -> Any:
        if callable(self._optimizer_or_optimizer_fn):
            self._optimizer_or_optimizer_fn = self._optimizer_or_optimizer_fn()
        tower_state().has_optimizer = True
        return self._optimizer_or_optimizer_fn


def tower_state() -> TowerState:
    """The state of the default graph."""
    states = get_default_graph().get_collection_ref(TowerOptimizer.COLLECTION_FOR_GRAPH_STATES)
    if not states:
        states.append(TowerState())
    found: TowerState = states[-1]
    return found


def clear_tower_state() -> None:
    """Lets the default graph have none."""
    states = get_default_graph().get_collection_ref(TowerOptimizer.COLLECTION_FOR_GRAPH_STATES)
    states[:] = []


def _tensors(pairs: _Pairs) -> List[Any]:
    found = [each for each, _ in pairs if each is not None]
    return [each.values if isinstance(each, IndexedSlices) else each for each in found]


def _summed(pairs: _Pairs) -> _Pairs:
    """The sum of the gradients of each variable, where that is."""
    by_variable: Dict[Any, List[Any]] = {}
    for gradient, variable in pairs:
        if gradient is not None:
            by_variable.setdefault(variable, []).append(gradient)
    return [
        (sum_on(gradients, variable.device), variable)
        for variable, gradients in by_variable.items()
    ]


def sum_on(values: List[Any], device: Any, name: Optional[str] = None) -> Any:
    """The sum of tensors, or of slices, on a device.

    Args:
        values: The tensors.
        device: The device, or None.
        name: The name of the sum.
    """
    with get_default_graph().device(device):
        if isinstance(values[0], IndexedSlices):
            return IndexedSlices(
                array_ops.concat([each.values for each in values], axis=0),
                array_ops.concat([each.indices for each in values], axis=0),
                values[0].dense_shape,
            )
        return add_n(values, name=name)
