"""Variables that begin with the values of a checkpoint."""

from __future__ import annotations

import os
from typing import Any, Dict, List

from troupe import _native
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import raw_ops
from troupe._src.train.checkpoint_reader import CheckpointReader, load_checkpoint
from troupe._src.train.checkpoint_state import latest_checkpoint
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.ref_variable import RefVariable
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import VariableStore


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Dict[str, Any]) -> None:
    """Replaces the initializers of variables by ones that read a checkpoint.

    Args:
      ckpt_dir_or_file: A checkpoint, or a folder, of which it is the latest one.
      assignment_map: By a name in the checkpoint a variable, its name, or a list of its parts; or
        by a scope in the checkpoint ("scope/", "/" for all) a scope of variables.

    Raises:
      ValueError: The checkpoint lacks a name, or a variable has another shape there.
    """
    path = os.fspath(ckpt_dir_or_file)
    reader = load_checkpoint(path)
    file = latest_checkpoint(path) if os.path.isdir(path) else path
    store = VariableStore.of(get_default_graph())
    for name, given in sorted(assignment_map.items()):
        target = _target(store, given)
        if target is not None:
            _replace(reader, str(file), name, target)
            continue
        if not name.endswith("/"):
            scope = given[: given.rindex("/")] if "/" in given else ""
            raise ValueError(
                f"Assignment map with scope only name {scope} should map to scope only {name}. "
                "Should be 'scope/': 'other_scope/'."
            )
        for variable_name in _names_in(store, given):
            scope = "" if given == "/" else given.rstrip("/") + "/"
            inner = variable_name[len(scope) :]
            full_name = inner if name == "/" else name + inner
            if not reader.has_tensor(full_name):
                raise ValueError(
                    f"Tensor {full_name} ({inner} in {name}) is not found in {path} checkpoint"
                )
            _replace(reader, str(file), full_name, _target(store, variable_name))


def _target(store: VariableStore, given: Any) -> Any:
    """A variable, or a list of parts; None where there is none of that name."""
    if isinstance(given, PartitionedVariable):
        return list(given)
    if isinstance(given, (Variable, list, tuple)):
        return given
    found = store.variables.get(given)
    if found is None and given in store.partitioned:
        return list(store.partitioned[given])
    return found


def _names_in(store: VariableStore, scope: str) -> List[str]:
    """The variables of a scope, parts as the whole ones."""
    start = "" if scope == "/" else scope.rstrip("/") + "/"
    parts = {part._shared_name for whole in store.partitioned.values() for part in whole}
    names = [name for name in store.variables if name not in parts] + list(store.partitioned)
    return sorted(name for name in names if name.startswith(start))


def _replace(reader: CheckpointReader, file: str, name: str, target: Any) -> None:
    """Gives a variable, or its parts, an initializer that reads that tensor."""
    shapes = reader.get_variable_to_shape_map()
    if name not in shapes:
        raise ValueError(f"Tensor {name} is not found in {file} checkpoint {shapes}")
    if isinstance(target, Variable):
        if not target.shape.is_compatible_with(shapes[name]):
            raise ValueError(
                f"Shape of variable {target.name} ({target.shape}) doesn't match with shape of "
                f"tensor {name} ({shapes[name]}) from checkpoint reader."
            )
        _set_initializer(target, file, name, "")
        return
    for part in target:
        info = part._get_save_slice_info()
        if info is None:
            raise ValueError(f"Slices must all be slices: {part}")
        _set_initializer(part, file, name, info.spec)


def _set_initializer(variable: Variable, file: str, name: str, slice_spec: str) -> None:
    graph = get_default_graph()
    with graph.control_dependencies(None), graph.device(variable.device or None):
        (value,) = raw_ops.RestoreV2(
            prefix=file,
            tensor_names=[name],
            shape_and_slices=[slice_spec],
            dtypes=[variable.dtype.base_dtype],
            name="checkpoint_initializer",
        )
        value.set_shape(variable.shape)
        _initialize_with(variable, value)


def _initialize_with(variable: Variable, value: Tensor) -> None:
    """Makes the initializer of a variable assign that value."""
    graph, native = variable._graph, variable._native
    with graph._lock:
        assign = native.change("assign", value._value(), [])
    variable._native = _native.make_variable(graph._root, native.name, native.handle, assign)
    variable._initial = value
    if isinstance(variable, RefVariable):
        is_fixed = variable.shape.is_fully_defined()
        assigned = raw_ops.Assign(variable._ref(), value, validate_shape=is_fixed)
        variable._assign_initial = assigned.op
    # For monitored sessions, which know the variables of the graph by themselves.
    graph._state.setdefault("replaced_initializers", {})[native.name] = assign
