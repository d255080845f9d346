"""Gives variables other initial values than those that they were made with."""

from __future__ import annotations

from typing import Any, Callable, List

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, raw_ops
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable import Variable


def parts_of(variable: Any) -> List[Variable]:
    """The variables that are its parts, of one that has parts; else itself."""
    if isinstance(variable, (list, tuple)):
        return list(variable)
    if hasattr(variable, "_get_variable_list"):
        return list(variable._get_variable_list())
    return [variable]


def full_shape(variable: Any) -> List[int]:
    """The shape of all its parts together."""
    first = parts_of(variable)[0]
    info = first._get_save_slice_info()
    sizes: Any = info.full_shape if info is not None else first.shape.as_list()
    return list(sizes)


def initialize_with(variable: Variable, value: Callable[[], Tensor]) -> None:
    """Gives a variable another initial value, read where it is, which its initializer assigns."""
    graph = get_default_graph()
    with graph.control_dependencies(None), graph.device(variable.device or None):
        with graph.name_scope("init_from_checkpoint"):
            initial = value()
            operation = assign(variable, initial).op
    variable._initial, variable._guarded = initial, None
    graph._replaced_initializers[variable._shared_name] = operation


def of_part(variable: Variable, full: Tensor) -> Tensor:
    """That part of a whole value that a variable has."""
    info = variable._get_save_slice_info()
    if info is None:
        return full
    return array_ops.slice(full, list(info.var_offset), list(info.var_shape))


def restored(prefix: str, name: str, variable: Variable) -> Tensor:
    """The value that a checkpoint has, read in a step."""
    (value,) = raw_ops.RestoreV2(
        prefix=prefix,
        tensor_names=[name],
        shape_and_slices=[""],
        dtypes=[variable.dtype.base_dtype],
    )
    return value
