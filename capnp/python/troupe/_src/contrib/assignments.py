"""Assignments of values, and of what checkpoints have, to variables of models."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.contrib.variables import get_variables
from troupe._src.ops import creation_ops, grouping_ops
from troupe._src.platform import logging

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


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> _Assignment:
    """An op that assigns what a checkpoint has for variables, and what it is to be fed.

    Args:
        model_path: The name of the checkpoint.
        var_list: Variables, or {name in the checkpoint: a variable or several ones}.
        ignore_missing_vars: Leaves out what the checkpoint lacks, with a warning.

    Returns:
        (the op, the dict to feed it with).

    Raises:
        ValueError: The checkpoint lacks a variable, or has it with another shape.
    """
    if isinstance(var_list, dict):
        named = [
            (name, each)
            for name, given in var_list.items()
            for each in (given if isinstance(given, (tuple, list)) else [given])
        ]
    else:
        named = [(each.op.name, each) for each in var_list]
    reader = CheckpointReader(model_path)
    pairs = []
    for name, target in named:
        if not reader.has_tensor(name):
            message = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(message)
            logging.warning(message)
            continue
        value = reader.get_tensor(name)
        if target.shape.as_list() != list(value.shape):
            raise ValueError(
                f"Total size of new array must be unchanged for {name} lh_shape: "
                f"[{value.shape}], rh_shape: [{target.shape}]"
            )
        pairs.append((target, value))
    return _assigned(pairs)


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], Any]:  # fmt: skip
    """A function that assigns what a checkpoint has in the session that it is given.

    Args:
        model_path: The name of the checkpoint.
        var_list: Variables, or {name in the checkpoint: a variable or several ones}.
        ignore_missing_vars: Leaves out what the checkpoint lacks, with a warning.
        reshape_variables: Must be False: values have the shapes of their variables.

    Returns:
        The function of a session.

    Raises:
        ValueError: The checkpoint lacks a variable, or has it with another shape.
        NotImplementedError: `reshape_variables` is true.
    """
    if reshape_variables:
        raise NotImplementedError("values of other shapes are not part of this version")
    op, feeds = assign_from_checkpoint(model_path, var_list, ignore_missing_vars)
    return lambda session: session.run(op, feeds)
