"""Savers that restore checkpoints of objects, whose values have other names."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.checkpoints.object_graph import keys_of_names
from troupe._src.checkpoints.saveables import has_objects
from troupe._src.checkpoints.saved_parts import by_name
from troupe._src.platform import logging
from troupe._src.types import errors
from troupe._src.variables.variable_sets import global_variables


def saver_by_keys(saver: Any, graph: Any, path: str, error: errors.OpError) -> Any:
    """A saver of the same variables by their keys in a checkpoint of objects.

    Adds nodes to the graph, once for checkpoints that have the same keys.

    Args:
        saver: The saver by names.
        graph: The graph of the session.
        path: The name of the checkpoint.
        error: Why the saver could not restore it.

    Returns:
        The saver; None where the error is another one than a name that the checkpoint lacks, or
        the checkpoint knows no objects or is not on this machine.

    Raises:
        NotFoundError: The checkpoint lacks variables.
    """
    variables = global_variables() if saver._var_list is None else saver._var_list
    if not isinstance(error, errors.NotFoundError) or has_objects(variables):
        return None
    found = _variables_by_keys(variables, path)
    if found is None:
        return None
    logging.warning(
        "Restoring an object-based checkpoint (of tf.train.Checkpoint) using a name-based saver. "
        "It has the names that variables had in the graph when it was written, so this may break "
        "where a graph has other names. tf.train.Checkpoint restores it by its objects."
    )
    cached = saver._saver_by_keys
    if cached is None or set(cached._var_list) != set(found):
        options = {name: saver._options[name] for name in ("reshape", "restore_sequentially")}
        with graph.as_default():
            cached = saver._saver_by_keys = type(saver)(found, **options)
    return cached


def _variables_by_keys(variables: Any, path: str) -> Optional[Dict[str, Any]]:
    try:
        keys = keys_of_names(CheckpointReader(path))
    except errors.NotFoundError:
        return None
    if not keys:
        return None
    named = variables if isinstance(variables, dict) else by_name(list(variables))
    missing = sorted(set(named) - set(keys))
    if not missing:
        return {keys[name]: variable for name, variable in named.items()}
    unused = sorted(set(keys) - set(named))
    raise errors.NotFoundError(
        None,
        None,
        f"Existing variables not in the checkpoint: {', '.join(missing)}\n\n"
        "Variables names when this checkpoint was written which don't exist now: "
        f"{', '.join(unused)}\n\n({len(named) - len(missing)} variable name(s) did match)\n\n"
        "Could not find some variables in the checkpoint, which is one of objects (of "
        "tf.train.Checkpoint or save_weights): a saver looks for them by the names that they had "
        "in the graph. tf.train.Checkpoint restores it by its objects; a saver of a dict from "
        "the old names to variables does so by names.",
    )
