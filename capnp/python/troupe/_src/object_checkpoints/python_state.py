"""State of Python that checkpoints have as strings."""

from __future__ import annotations

import functools
import io
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.module_scopes.checkpointable import CheckpointableBase, Dependencies
from troupe._src.ops.grouping_ops import no_op
from troupe._src.session.py_func import py_func
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


class StringStateSaveable(SaveableObject):
    """A string that a function gives when a checkpoint is saved, and another one takes back.

    Args:
        name: The key in checkpoints.
        state_callback: Gives the string.
        restore_callback: Takes it.
    """

    def __init__(
        self, name: str, state_callback: Callable[[], bytes],
        restore_callback: Callable[[bytes], None],
    ) -> None:  # fmt: skip
        def saved() -> Any:
            text = py_func(state_callback, [], dtypes.string)
            text.set_shape([])
            return text

        self._restore_callback = restore_callback
        super().__init__(None, [SaveSpec(saved, "", name, dtypes.string, "")], name)

    def restore_now(self, read: Callable[[str], Any]) -> None:
        """Gives back the string of a checkpoint.

        Args:
            read: The value of a key.
        """
        value = read(self.specs[0].name)
        self._restore_callback(value.item() if isinstance(value, np.ndarray) else value)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        """Nothing: it is restored without a step."""
        return no_op()


@set_module("troupe.train.experimental")
class PythonState(CheckpointableBase):
    """State of Python that checkpoints have as a string.

    A class of a program's own has `serialize` and `deserialize`. The string is read as soon as
    `restore` is called.
    """

    def serialize(self) -> bytes:
        """The state as a string."""
        raise NotImplementedError("Abstract method")

    def deserialize(self, string_value: bytes) -> None:
        """Takes the state of a string.

        Args:
            string_value: What `serialize` gave.
        """
        raise NotImplementedError("Abstract method")

    def _gather_saveables_for_checkpoint(self) -> Dict[str, Any]:
        return {
            "py_state": functools.partial(
                StringStateSaveable,
                state_callback=self.serialize,
                restore_callback=self.deserialize,
            )
        }


class _Array(PythonState):
    """An array."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)


@set_module("troupe.contrib.checkpoint")
class NumpyState(CheckpointableBase):
    """An object whose attributes are arrays, which checkpoints have.

    Attributes that it lacks are made by a `restore`.
    """

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        return value.array if isinstance(value, _Array) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(value, (np.ndarray, np.generic)):
            raise NotImplementedError(
                f"Assigned {value} to the {name} property of {self}, which is not a NumPy array. "
                "Currently mixing NumPy arrays and other trackable objects is not supported. File "
                "a feature request if this limitation bothers you."
            )
        existing = vars(self).get(name)
        if isinstance(existing, _Array):
            existing.array = value
        else:
            super().__setattr__(name, _Array(value))

    def _lookup_dependency(self, name: str) -> Any:
        """The array of that name, which may be a new one."""
        return vars(self).setdefault(name, _Array(np.array([])))

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return [(name, each) for name, each in vars(self).items() if isinstance(each, _Array)]
