"""Assignments of values, and of what checkpoints have, to variables of models."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.checkpoints.saver import Saver
from troupe._src.contrib.variables import get_variables
from troupe._src.ops import creation_ops, grouping_ops
from troupe._src.platform import logging
from troupe._src.variables.partitioned_variable import PartitionedVariable

_Assignment = Tuple[Any, Dict[Any, Any]]


def _assigned(values: List[Tuple[Any, Any]]) -> _Assignment:
    feeds, ops = {}, []
    for target, value in values:
        fed = creation_ops.placeholder(
            target.dtype.base_dtype, target.shape, name=f"placeholder/{target.op.name}"
        )
        ops.append(target.assign(fed))
        feeds[fed] = value
    return grouping_ops.group(*ops), feeds


def assign_from_values(var_names_to_values: Dict[str, Any]) -> _Assignment:
    """An op that assigns values to variables, and what it is to be fed.

    Args:
        var_names_to_values: {name of a variable: array}; an array is reshaped to its variable's
            shape.

    Returns:
        (the op, the dict to feed it with).

    Raises:
        ValueError: A name is not that of one variable, or an array has another number of elements.
    """
    pairs = []
    for name, value in var_names_to_values.items():
        found = get_variables(name)
        if not found:
            raise ValueError(f"Variable {name} wasn't found")
        exact = found if len(found) == 1 else [each for each in found if each.op.name == name]
        if not exact:
            raise ValueError(f"Variable {name} doesn't uniquely identify a variable")
        pairs.append((exact[0], np.reshape(value, exact[0].shape.as_list())))
    return _assigned(pairs)


def assign_from_values_fn(var_names_to_values: Dict[str, Any]) -> Callable[[Any], Any]:
    """A function that assigns the values in the session that it is given.

    Args:
        var_names_to_values: {name of a variable: array}; an array is reshaped to its variable's
            shape.

    Returns:
        The function of a session.

    Raises:
        ValueError: A name is not that of one variable, or an array has another number of elements.
    """
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def get_variable_full_name(var: Any) -> str:
    """The name under which checkpoints have a variable.

    Args:
        var: The variable.

    Returns:
        Its name; of a part of a larger variable the name of that one.
    """
    info = var._get_save_slice_info()
    return str(info.full_name if info else var.op.name)


def _by_name(var_list: Any) -> Dict[str, List[Any]]:
    """{name in the checkpoint: variables}; parts are under the name of the whole variable."""
    named: Dict[str, List[Any]] = {}
    if isinstance(var_list, dict):
        for name, given in var_list.items():
            is_list = isinstance(given, (tuple, list, PartitionedVariable))
            named[name] = list(given) if is_list else [given]
        return named
    for each in var_list:
        for part in each if isinstance(each, PartitionedVariable) else [each]:
            named.setdefault(get_variable_full_name(part), []).append(part)
    return named


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> _Assignment:
    """An op that assigns what a checkpoint has for variables, and what it is to be fed.

    Args:
        model_path: The name of the checkpoint.
        var_list: Variables, or {name in the checkpoint: a variable or several ones}. Parts of a
            variable get their parts of what the checkpoint has under its name.
        ignore_missing_vars: Leaves out what the checkpoint lacks, with a warning.

    Returns:
        (the op, the dict to feed it with).

    Raises:
        ValueError: The checkpoint lacks a variable, or has it with another shape.
    """
    reader = CheckpointReader(model_path)
    pairs = []
    for name, targets in _by_name(var_list).items():
        if not reader.has_tensor(name):
            message = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(message)
            logging.warning(message)
            continue
        value = reader.get_tensor(name)
        pairs += [(target, _value_of(target, name, value)) for target in targets]
    return _assigned(pairs)


def _value_of(target: Any, name: str, value: Any) -> Any:
    """What of the value in the checkpoint is the variable's."""
    info = target._get_save_slice_info()
    whole = target.shape.as_list() if info is None else info.full_shape
    if list(whole) != list(value.shape):
        raise ValueError(
            f"Total size of new array must be unchanged for {name} lh_shape: "
            f"[{value.shape}], rh_shape: [{tuple(whole)}]"
        )
    if info is None:
        return value
    return value[tuple(slice(at, at + size) for at, size in zip(info.var_offset, info.var_shape))]


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Optional[Callable[[Any], Any]]:  # fmt: skip
    """A function that restores variables from a checkpoint in the session that it is given.

    Args:
        model_path: The name of the checkpoint.
        var_list: Variables, or {name in the checkpoint: a variable or several ones}.
        ignore_missing_vars: Leaves out what the checkpoint lacks, with a warning.
        reshape_variables: Gives values of other shapes those of the variables, which must have as
            many elements.

    Returns:
        The function of a session, which raises NotFoundError where the checkpoint lacks a variable,
        and InvalidArgumentError where it has one with another shape. None where all variables are
        left out.

    Raises:
        ValueError: There are no variables.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    named = _by_name(var_list)
    if ignore_missing_vars:
        reader = CheckpointReader(model_path)
        for name in [each for each in named if not reader.has_tensor(each)]:
            logging.warning("Variable %s missing in checkpoint %s", name, model_path)
            del named[name]
    if not named:
        logging.warning("No Variables to restore")
        return None
    savers = [
        Saver({name: each for name, each in group}, reshape=reshape_variables)
        for group in _groups(named)
    ]

    def restore(session: Any) -> None:
        for saver in savers:
            saver.restore(session, model_path)

    return restore


def _groups(named: Dict[str, List[Any]]) -> List[List[Tuple[str, Any]]]:
    """(name, variable or its parts) for savers, each of which takes a name once."""
    groups: List[List[Tuple[str, Any]]] = []
    for name, targets in named.items():
        parts = [each for each in targets if each._get_save_slice_info() is not None]
        whole = [each for each in targets if each._get_save_slice_info() is None]
        for i, each in enumerate([*([parts] if parts else []), *whole]):
            if i == len(groups):
                groups.append([])
            groups[i].append((name, each))
    return groups
