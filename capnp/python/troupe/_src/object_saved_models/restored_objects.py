"""The objects of a SavedModel, by what they are, as objects of this program."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional

from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.keras_optimizers.optimizer_weights import key_of
from troupe._src.messages.meta_graph_messages import SavedObject
from troupe._src.module_scopes.checkpointable import Checkpointable
from troupe._src.object_saved_models.restored_functions import SignatureMap
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import constant
from troupe._src.saved_model import constants
from troupe._src.types import dtypes, errors
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable import Variable


class RestoredObject(Checkpointable):
    """An object that was loaded from a SavedModel: it has the attributes that were saved."""

    def _set_child(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class _CallableObject(RestoredObject):
    """One that has a function `__call__`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return vars(self)["__call__"](*args, **kwargs)


class RestoredOptimizer(Optimizer):
    """An optimizer that was loaded: its variables, which nothing updates."""

    def __init__(self) -> None:
        super().__init__("RestoredOptimizer")
        self._children: Dict[str, Any] = {}

    def _set_child(self, name: str, value: Any) -> None:
        self._children[name] = value
        if name == "iter":
            self.iterations = value

    def _numbers_by_name(self) -> Dict[str, Variable]:
        return {name: each for name, each in self._children.items() if isinstance(each, Variable)}

    def _set_slot(self, variable: Variable, name: str, slot: Variable) -> None:
        if name not in self._slot_names:
            self._slot_names.append(name)
        self._slots.setdefault(key_of(variable), {})[name] = slot
        self._weights.append(slot)

    def get_config(self) -> Dict[str, Any]:
        """NotImplementedError."""
        raise NotImplementedError("an optimizer that was loaded does not know its arguments")


class RestoredVariable(Variable):
    """A variable that was loaded. It is in no collection of those that are trained."""

    _was_trainable = False

    @property
    def trainable(self) -> bool:
        """Whether the variable that was saved was trained."""
        return self._was_trainable


class _SignatureMapInProgress(SignatureMap):
    def _set_child(self, name: str, value: Any) -> None:
        self._signatures[name] = value


class _ListInProgress(List[Any]):
    def _set_child(self, name: str, value: Any) -> None:
        # Items that are no objects were not saved, and others may come in any order.
        if not name.isdecimal():
            raise errors.DataLossError(None, None, f"The SavedModel has an item '{name}' of a list")
        place = int(name)
        self.extend([None] * (place + 1 - len(self)))
        self[place] = value


class _DictInProgress(Dict[str, Any]):
    def _set_child(self, name: str, value: Any) -> None:
        self[name] = value


_KINDS: Dict[str, Callable[[], Any]] = {
    "optimizer": RestoredOptimizer,
    "signature_map": _SignatureMapInProgress,
    "trackable_list_wrapper": _ListInProgress,
    "trackable_dict_wrapper": _DictInProgress,
}


def restored_object(message: SavedObject) -> Any:
    """An object without its children; `_set_child` gives it them.

    Args:
        message: What the SavedModel says of it.

    Returns:
        The object.
    """
    made = _KINDS.get(message.user_object.identifier)
    if made is not None:
        return made()
    names = [child.local_name for child in message.children]
    return _CallableObject() if "__call__" in names else RestoredObject()


def restored_variable(
    message: SavedObject, export_dir: Any, key: Optional[str]
) -> Variable:
    """A variable whose initializer gives it the value that was saved.

    Args:
        message: What the SavedModel says of it.
        export_dir: The folder of the SavedModel.
        key: The key of its value in the checkpoint.

    Returns:
        The variable, in the default graph.

    Raises:
        DataLossError: The checkpoint has no value of it.
    """
    told = message.variable
    if key is None:
        raise errors.DataLossError(
            None, None, f"The checkpoint of the SavedModel has no value of '{told.name}'"
        )
    dtype, shape = as_dtype(told.dtype), TensorShape(told.shape._sizes())
    made = RestoredVariable(
        _saved_value(export_dir, key, dtype, shape), trainable=False, name=told.name or None,
        dtype=dtype, shape=shape, use_resource=True,
        synchronization=VariableSynchronization(told.synchronization),
        aggregation=VariableAggregation(told.aggregation),
    )  # fmt: skip
    made._was_trainable = bool(told.trainable)
    return made


def _saved_value(export_dir: Any, key: str, dtype: Any, shape: TensorShape) -> Callable[[], Any]:
    def read() -> Any:
        path = constants.variables_path(os.fspath(export_dir))
        found = raw_ops.RestoreV2(
            prefix=constant(path, dtypes.string), tensor_names=constant([key], dtypes.string),
            shape_and_slices=constant([""], dtypes.string), dtypes=[dtype],
        )  # fmt: skip
        value = found[0] if isinstance(found, (list, tuple)) else found
        value.set_shape(shape)
        return value

    return read

