"""Losses and updates of layers, and the inputs that they depend on."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, NamedTuple, Sequence, Set, TypeVar

from troupe._src.control_flow.structure import flatten
from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.convert import is_tensor
from troupe._src.variables.variable_store import VariableScope

L = TypeVar("L")


class Belonging(NamedTuple):
    """A loss or update, and what it was said to depend on: nothing where there are no inputs."""

    value: Any
    inputs: List[Any]


class Owner:
    """A layer with losses of its variables and results, and with updates."""

    trainable: bool
    _losses: List[Belonging]
    _updates: List[Belonging]

    @property
    def losses(self) -> List[Any]:
        """The losses of its variables and results."""
        return [each.value for each in self._losses]

    @property
    def updates(self) -> List[Any]:
        """The updates that a step of training has to run, such as those of moving averages."""
        return [each.value for each in self._updates] if self.trainable else []

    def get_losses_for(self, inputs: Any) -> List[Any]:
        """The losses that depend on some inputs.

        Args:
            inputs: The inputs; None for the losses of variables alone.

        Returns:
            Scalars.
        """
        return for_inputs(self._losses, inputs)

    def get_updates_for(self, inputs: Any) -> List[Any]:
        """The updates that depend on some inputs.

        Args:
            inputs: The inputs; None for the unconditional ones.

        Returns:
            Operations; none for a layer that is not trained.
        """
        return for_inputs(self._updates, inputs) if self.trainable else []

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses, also to the collection REGULARIZATION_LOSSES.

        Args:
            losses: A scalar, a function that makes one, or a list of them; None is left out.
            inputs: What they depend on; None for variables alone.
        """
        add_to(self._losses, losses, inputs, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds updates, also to the collection UPDATE_OPS.

        Args:
            updates: An operation, a function that makes one, or a list of them.
            inputs: What they depend on; None for nothing.
        """
        add_to(self._updates, updates, inputs, GraphKeys.UPDATE_OPS)


def add_to(belongings: List[Belonging], values: Any, inputs: Any, collection: str) -> None:
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    graph = get_default_graph()
    for each in listed:
        value = each() if callable(each) and not is_tensor(each) else each
        if value is None:
            continue
        belongings.append(Belonging(value, flatten(inputs) if inputs is not None else []))
        if all(value is not known for known in graph.get_collection(collection)):
            graph.add_to_collection(collection, value)


def for_inputs(belongings: Sequence[Belonging], inputs: Any) -> List[Any]:
    """Those that depend on one of the inputs; without inputs, those that depend on none."""
    if inputs is None:
        return [each.value for each in belongings if not each.inputs]
    wanted = set(filter(is_tensor, flatten(inputs)))
    return [each.value for each in belongings if each.inputs and _depends(each, wanted)]


def _depends(belonging: Belonging, wanted: Set[Any]) -> bool:
    if wanted & set(filter(is_tensor, [belonging.value, *belonging.inputs])):
        return True
    waiting: List[Any] = [getattr(belonging.value, "op", belonging.value)]
    seen: Set[Any] = set()
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if wanted & set(op.inputs):
            return True
        waiting += [*(tensor.op for tensor in op.inputs), *op.control_inputs]
    return False


def copy_without_nodes(layer: L, memo: Dict[int, Any]) -> L:
    """A copy of a layer that has its nodes, variables and scope in common with it."""
    copied = type(layer).__new__(type(layer))
    memo[id(layer)] = copied
    for name, value in vars(layer).items():
        is_shared = isinstance(value, (Graph, VariableScope)) or _has_nodes(value)
        vars(copied)[name] = value if is_shared else copy.deepcopy(value, memo)
    for name in ("_weights", "_losses", "_updates"):
        if name in vars(layer):
            vars(copied)[name] = list(vars(layer)[name])
    return copied


def _has_nodes(value: Any) -> bool:
    leaves = flatten(value)
    kinds = (Belonging, Operation)
    return any(isinstance(leaf, kinds) or is_tensor(leaf) for leaf in [value, *leaves])
