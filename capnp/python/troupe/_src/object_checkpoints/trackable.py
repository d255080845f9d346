"""Objects that checkpoints know by their attributes, and which attributes these are."""

from __future__ import annotations

import collections
from typing import Any, Dict, Optional

from troupe._src.graph.graph import get_default_graph
from troupe._src.layers.base import Layer
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer as OptimizerV2
from troupe._src.module_scopes.checkpointable import CheckpointableBase, Dependencies
from troupe._src.object_checkpoints import keras_objects
from troupe._src.object_checkpoints.layer_container import LayerContainer
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


def _checked(value: Any, kind: str) -> Any:
    if isinstance(value, (list, dict)) or is_trackable(value):
        return value
    raise ValueError(
        "Only trackable objects (such as Layers or Optimizers) may be stored in a "
        f"{kind} object. Got {value!r}, which does not inherit from Trackable."
    )


@set_module("troupe.contrib.checkpoint")
class List(  # noqa: A001
    LayerContainer, CheckpointableBase, collections.UserList  # type: ignore[type-arg]
):
    """A list of objects that are saved by their positions.

    Args:
        *args: The objects, or one list of them.

    Raises:
        ValueError: Something cannot be saved.
    """

    def __init__(self, *args: Any) -> None:
        given = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple, List)) else args
        super().__init__(_checked(each, "List") for each in given)

    def append(self, item: Any) -> None:
        """Adds an object at the end.

        Args:
            item: The object.

        Raises:
            ValueError: It cannot be saved.
        """
        super().append(_checked(item, "List"))

    def extend(self, other: Any) -> None:
        """Adds objects at the end.

        Args:
            other: The objects.

        Raises:
            ValueError: One of them cannot be saved.
        """
        super().extend(_checked(each, "List") for each in other)

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return [(str(index), each) for index, each in enumerate(self.data)]


@set_module("troupe.contrib.checkpoint")
class Mapping(LayerContainer, CheckpointableBase, collections.UserDict):  # type: ignore[type-arg]
    """A dict of objects that are saved by their keys, which are strings.

    Args:
        *args: A dict, or pairs.
        **kwargs: Objects by their keys.

    Raises:
        ValueError: Something cannot be saved, or a key gets another object.
        TypeError: A key is no string.
    """

    def __setitem__(self, key: Any, item: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        if self.data.get(key, item) is not item:
            raise ValueError(f"Mappings are an append-only data structure: {key!r} is there.")
        self.data[key] = _checked(item, "Mapping")

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return list(self.data.items())


@set_module("troupe.contrib.checkpoint")
class UniqueNameTracker(LayerContainer, CheckpointableBase):
    """Objects that are saved by names, which are made unique in the order of their addition."""

    def __init__(self) -> None:
        self._tracked: Dict[str, Any] = {}

    def track(self, trackable: Any, base_name: str) -> Any:
        """Adds an object.

        Args:
            trackable: The object.
            base_name: Its name; where that is taken, it gets a number.

        Returns:
            The object.

        Raises:
            ValueError: It cannot be saved.
        """
        if not is_trackable(trackable):
            raise ValueError(f"Expected a trackable value, got {trackable!r} which is not.")
        name, suffix = base_name, 1
        while name in self._tracked:
            name, suffix = f"{base_name}_{suffix}", suffix + 1
        self._tracked[name] = trackable
        return trackable

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return list(self._tracked.items())


def is_trackable(value: Any) -> bool:
    """Whether checkpoints of objects know what that is."""
    kinds = (CheckpointableBase, Variable, Optimizer, OptimizerV2, Layer)
    if isinstance(value, type):
        return False
    # Iterators and tables have values of their own, too.
    has_values = hasattr(value, "_gather_saveables_for_checkpoint")
    return isinstance(value, kinds) or has_values or keras_objects.kind_of(value) is not None


def children_of(value: Any) -> Dependencies:
    """What it has, by name."""
    own = getattr(value, "_checkpoint_dependencies", None)
    if own is not None:
        return [(name, child) for name, child in own]
    if isinstance(value, list):
        found = [(str(index), each) for index, each in enumerate(value)]
        return [(name, each) for name, each in found if _is_node(each)]
    if isinstance(value, dict):
        return _children_of_dict(value)
    if isinstance(value, Optimizer):
        graph = get_default_graph()
        shared = sorted(getattr(value, "_shared", {}).items())
        return [(name, each) for name, each in shared if each.graph is graph]
    if isinstance(value, OptimizerV2):
        return list(value._numbers_by_name().items())
    kind = keras_objects.kind_of(value)
    if kind is not None:
        parts = dict(keras_objects.parts_of(value, kind))
        return list(parts.items()) if kind == "optimizer" else _with_attributes(value, parts)
    return _children_of_layer(value) if isinstance(value, Layer) else []


def slot_of(optimizer: Any, variable: Variable, name: str) -> Optional[Variable]:
    """A slot of an optimizer, or None where there is none."""
    try:
        slot: Optional[Variable] = optimizer.get_slot(variable, name)
    except KeyError:  # of an optimizer of Keras
        return None
    return slot


def _is_node(value: Any) -> bool:
    return is_trackable(value) or isinstance(value, (list, dict))


def _children_of_dict(value: Dict[Any, Any]) -> Dependencies:
    found = [(key, each) for key, each in value.items() if _is_node(each)]
    for key, each in found:
        if not isinstance(key, str):
            raise ValueError(
                f"Unable to save a dict with the key {key!r}: it is no string, and its value, "
                f"{each!r}, is part of the checkpoint"
            )
    return found


def _children_of_layer(layer: Layer) -> Dependencies:
    """Its weights by their names in its scope, and its attributes."""
    found: Dict[str, Any] = {}
    own = vars(layer)
    weights = own.get("_trainable_weights", []) + own.get("_non_trainable_weights", [])
    for weight in weights:
        if isinstance(weight, Variable):
            name = weight._shared_name[len(layer.scope_name) + 1 :]
            if name and "/" not in name:
                found[name] = weight
    return _with_attributes(layer, found)


def _with_attributes(layer: Any, found: Dict[str, Any]) -> Dependencies:
    """What was found of a layer, and behind it the attributes that have a name of their own."""
    found.update(vars(layer).get("_tracked", {}))
    for name, value in vars(layer).items():
        if name.startswith("_") or name in found:
            continue
        is_data = isinstance(value, (list, dict)) and bool(children_of(value))
        if is_data or is_trackable(value):
            found[name] = value
    return list(found.items())
