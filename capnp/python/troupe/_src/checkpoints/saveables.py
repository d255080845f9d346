"""What savers of a program's own nodes save: tensors, and what is done with those restored."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.checkpoints.saved_parts import parts_of
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import reshape
from troupe._src.types.dtypes import as_dtype
from troupe._src.replicas.mirrored_variable import MirroredVariable
from troupe._src.variables.ref_variable import RefVariable
from troupe._src.variables.variable import Variable


class SaveSpec:
    """A tensor that is saved, or a part of one.

    Args:
        tensor: The tensor, or a function that returns it.
        slice_spec: Which part of which shape it is, "4 10 0,2:-"; "" for the whole.
        name: Its name in checkpoints.
        dtype: Its dtype, where a function returns it.
        device: Its device, where a function returns it.
    """

    def __init__(
        self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: Any = None
    ) -> None:
        if callable(tensor) and (dtype is None or device is None):
            raise ValueError("dtype and device must be given with a function")
        self._tensor = tensor
        self.slice_spec, self.name = slice_spec, name
        self.dtype = as_dtype(tensor.dtype if dtype is None else dtype).base_dtype
        self.device: str = tensor.device if device is None else device

    @property
    def tensor(self) -> Any:
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """What is saved and restored as one. A class of a program's own has `restore`.

    Args:
        op: The variable or resource.
        specs: What is saved of it, a list of `SaveSpec`.
        name: Its name.
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op, self.specs, self.name = op, list(specs), name

    @property
    def device(self) -> str:
        """The device of what it saves; ValueError where there are several."""
        devices = {spec.device for spec in self.specs}
        if len(devices) > 1:
            raise ValueError(
                f"All tensors of a saveable object must be on the same device: {self.name}"
            )
        return devices.pop() if devices else ""

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        """The operation that gives the object restored values.

        Args:
            restored_tensors: The values, one for each of its specs.
            restored_shapes: The shapes that they are given, or None.
        """
        raise NotImplementedError


class _VariableSaveable(SaveableObject):
    """A variable, or a part of one."""

    def __init__(self, variable: Variable, slice_spec: str, name: str) -> None:
        self._variable = variable
        reference = variable._ref() if isinstance(variable, RefVariable) else None
        read = variable.read_value if reference is None else reference
        spec = SaveSpec(read, slice_spec, name, variable.dtype, variable.device)
        super().__init__(variable.handle if reference is None else reference, [spec], name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        variable, (value,) = self._variable, restored_tensors
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        is_fixed = variable.shape.is_fully_defined()
        if isinstance(variable, RefVariable):
            return raw_ops.Assign(variable._ref(), value, validate_shape=is_fixed)
        return _assigned(variable, value)


def _assigned(variable: Variable, value: Any) -> Any:
    """The operation that assigns a restored value, to all copies where there are several."""
    if isinstance(variable, MirroredVariable):
        return variable.assign(value, read_value=False)
    return raw_ops.AssignVariableOp(resource=variable.handle, value=value)


def saveables_of(names_to_saveables: Any) -> List[SaveableObject]:
    """The variables and objects, by their names.

    Args:
        names_to_saveables: Variables and SaveableObjects, or a dict of them by their names.

    Raises:
        ValueError: Two of them have the same name.
        TypeError: Something is no variable.
    """
    if isinstance(names_to_saveables, dict):
        objects = [v for v in names_to_saveables.values() if isinstance(v, SaveableObject)]
        variables: Any = {
            k: v for k, v in names_to_saveables.items() if not isinstance(v, SaveableObject)
        }
    else:
        objects = [v for v in names_to_saveables if isinstance(v, SaveableObject)]
        variables = [v for v in names_to_saveables if not isinstance(v, SaveableObject)]
    parts = parts_of(variables)
    found = [_VariableSaveable(variable, slice_, name) for name, slice_, variable in parts]
    seen = set()
    for spec in (spec for each in [*found, *objects] for spec in each.specs):
        if (spec.name, spec.slice_spec) in seen:
            raise ValueError(f"At least two variables have the same name: {spec.name}")
        seen.add((spec.name, spec.slice_spec))
    return sorted([*found, *objects], key=lambda each: each.name)


def has_objects(var_list: Any) -> bool:
    """Whether something of a list or a dict is saved as an object: all but plain variables."""
    values = var_list.values() if isinstance(var_list, dict) else var_list
    kinds = (SaveableObject, MirroredVariable)
    return any(isinstance(value, kinds) for value in values)
