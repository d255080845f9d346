"""`tf.train.init_from_checkpoint`."""

from __future__ import annotations

import functools
from typing import Any, Dict, List

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.platform import logging
from troupe._src.checkpoints.checkpoint_reader import load_checkpoint
from troupe._src.variables.variable import Variable
from troupe._src.warm_starting.initial_values import (
    full_shape,
    initialize_with,
    of_part,
    parts_of,
    restored,
)


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Dict[str, Any]) -> None:
    """Lets the initializers of variables assign the values of a checkpoint.

    Args:
        ckpt_dir_or_file: A checkpoint, or a folder with checkpoints.
        assignment_map: For names in the checkpoint, the variables or their names; for scopes,
            which end with "/", the scopes whose variables get the values of the same names there.
            "/" is the scope of all names.

    Raises:
        ValueError: The checkpoint, the graph or a scope has no such name, or shapes differ.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    for saved, given in sorted(assignment_map.items(), key=lambda item: item[0]):
        variable = _variable(given)
        if variable is not None:
            restore_at_init(variable, reader, saved, shapes)
            continue
        for name, found in _in_scope(saved, given):
            restore_at_init(found, reader, _saved_name(saved, name), shapes)


def restore_at_init(variable: Any, reader: Any, saved: str, shapes: Dict[str, Any]) -> None:
    """Lets the initializer of a variable, or of all its parts, assign a value of a checkpoint.

    Args:
        variable: The variable.
        reader: The reader of the checkpoint.
        saved: The name there.
        shapes: The shapes by the names there.

    Raises:
        ValueError: There is no such name, or its shape is another one.
    """
    parts = parts_of(variable)
    if saved not in shapes:
        saved_parts = [f"{saved}/part_{index}" for index in range(len(parts))]
        if len(parts) > 1 and all(name in shapes for name in saved_parts):
            for part, name in zip(parts, saved_parts):
                _check_shape(part._shared_name, part.shape.as_list(), name, shapes)
                initialize_with(part, functools.partial(restored, reader._prefix, name, part))
            return
        raise ValueError(f"Tensor {saved} is not found in {reader._prefix} checkpoint {shapes}")
    _check_shape(parts[0]._shared_name, full_shape(variable), saved, shapes)
    for part in parts:
        initialize_with(part, functools.partial(_part, reader._prefix, saved, part))
    logging.debug("Initialize variable %s from checkpoint with %s", parts[0].name, saved)


def _part(prefix: str, saved: str, part: Variable) -> Tensor:
    return of_part(part, restored(prefix, saved, part))


def _check_shape(name: str, shape: Any, saved: str, shapes: Dict[str, Any]) -> None:
    if list(shapes[saved]) != list(shape):
        raise ValueError(
            f"Shape of variable {name} ({shape}) doesn't match with shape of tensor {saved} "
            f"({shapes[saved]}) from checkpoint reader."
        )


def _variable(given: Any) -> Any:
    """A variable, its parts, or None for the name of a scope."""
    if not isinstance(given, str):
        return given
    known = get_default_graph()._variables
    if given in known:
        return known[given]
    parts: List[Variable] = []
    while f"{given}/part_{len(parts)}" in known:
        parts.append(known[f"{given}/part_{len(parts)}"])
    return parts or None


def _in_scope(saved: str, scope: str) -> List[Any]:
    """(the rest of the name, the variable or its parts) of those in a scope."""
    if not saved.endswith("/") or not scope.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {saved}. "
            "Should be 'scope/': 'other_scope/'."
        )
    prefix = scope.lstrip("/")
    names = {
        name.rpartition("/part_")[0] or name
        for name in get_default_graph()._variables
        if name.startswith(prefix)
    }
    if not names:
        raise ValueError(f"Variable {scope} is not found in the graph: its scope has no variables")
    return [(name[len(prefix) :], _variable(name)) for name in sorted(names)]


def _saved_name(scope: str, name: str) -> str:
    return name if scope == "/" else f"{scope}{name}"
