"""What of variables is saved, and under which names."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.ref_variable import RefVariable
from troupe._src.variables.variable import Variable

# (name in checkpoints, which part of that tensor, the variable)
Part = Tuple[str, str, Variable]


def parts_of(var_list: Any) -> List[Part]:
    """What is saved of each variable.

    Raises:
        ValueError: Two variables have the same name, or a part does not say which it is.
        TypeError: Something is no variable.
    """
    named = var_list if isinstance(var_list, dict) else by_name(list(var_list))
    parts: List[Part] = []
    for name, given in named.items():
        if isinstance(given, (list, tuple, PartitionedVariable)):
            parts += [_part(name, variable) for variable in given]
        elif isinstance(given, Variable):
            parts.append((name, "", given))
        else:
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to Tensors/Variables. "
                f"Not a variable: {given}"
            )
    return parts


def _part(name: str, variable: Any) -> Part:
    info = variable._get_save_slice_info() if isinstance(variable, Variable) else None
    if info is None:
        raise ValueError(f"Slices must all be slices: {variable}")
    return name, info.spec, variable


def by_name(variables: List[Any]) -> Dict[str, Any]:
    """Variables by their own names, and lists of parts by those of the whole ones."""
    named: Dict[str, Any] = {}
    for variable in variables:
        if isinstance(variable, PartitionedVariable):
            named[variable.name] = variable
            continue
        if not isinstance(variable, Variable):
            raise TypeError(f"Variable to save is not a Variable: {variable}")
        info = variable._get_save_slice_info()
        if info is not None:
            parts = named.setdefault(str(info.full_name), [])
            if not isinstance(parts, list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {variable}")
            parts.append(variable)
        elif variable._shared_name in named:
            raise ValueError(f"At least two variables have the same name: {variable._shared_name}")
        else:
            named[variable._shared_name] = variable
    return named


def reference_of(variable: Variable) -> Any:
    """The reference of a variable that is one of references; else None."""
    return variable._ref()._value() if isinstance(variable, RefVariable) else None
