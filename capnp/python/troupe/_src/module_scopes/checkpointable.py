"""Objects that are saved with their attributes."""

from __future__ import annotations

import importlib
from typing import Any, Dict, FrozenSet, Sequence, Set, Tuple

from troupe._src.set_module import set_module

# What an object has: (name, object) of each.
Dependencies = Sequence[Tuple[str, Any]]
# By its name: it imports classes that are such ones.
_TRACKABLE = f"{__name__.split('.', maxsplit=1)[0]}._src.object_checkpoints.trackable"
_NOTHING = object()


@set_module("troupe.contrib.checkpoint")
class CheckpointableBase:
    """An object that is saved with what it depends on.

    A class of a program's own gives that as `_checkpoint_dependencies`, pairs of a name and an
    object, and values of its own by `_gather_saveables_for_checkpoint`, a dict of variables, or of
    functions of the key in the checkpoint that make saveable objects.
    """

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return []

    def _gather_saveables_for_checkpoint(self) -> Dict[str, Any]:
        return {}


@set_module("troupe.contrib.checkpoint")
class NoDependency:
    """Set as an attribute, it leaves its value there, which is not saved as part of the object.

    Args:
        value: The value.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


@set_module("troupe.contrib.checkpoint")
class Checkpointable(CheckpointableBase):
    """An object that is saved with its attributes.

    These are variables, layers, optimizers and other such objects, also in lists and in dicts whose
    keys are strings.
    """

    # Attributes that are not saved, of the class.
    _own_attributes: FrozenSet[str] = frozenset({"_unsaved"})

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, name, _NOTHING) is value:
            return  # also where a property has no setter
        unsaved: Set[str] = self.__dict__.setdefault("_unsaved", set())
        if isinstance(value, NoDependency):
            unsaved.add(name)
            value = value.value
        else:
            unsaved.discard(name)
        super().__setattr__(name, value)

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        is_trackable = importlib.import_module(_TRACKABLE).is_trackable
        unsaved = self._own_attributes | self.__dict__.get("_unsaved", set())
        return [
            (name, value)
            for name, value in vars(self).items()
            if name not in unsaved and (is_trackable(value) or isinstance(value, (list, dict)))
        ]
