"""Imports graphs with their collections and savers."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.checkpoints.saver import Saver
from troupe._src.graph_defs.meta_graph import add_meta_graph
from troupe._src.platform import logging
from troupe._src.variables.variable_sets import global_variables


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: Optional[str] = None,
    **kwargs: Any,
) -> Optional[Saver]:
    """Adds the nodes and collections of a MetaGraphDef to the default graph.

    Args:
        meta_graph_or_file: The message, or the name of its file.
        clear_devices: Leaves out the devices of nodes.
        import_scope: The prefix of all names, by default none.
        **kwargs: `input_map`, as of tf.import_graph_def.

    Returns:
        A saver of the graph; None where it has no variables.

    Raises:
        OSError: The file cannot be read, or is no MetaGraphDef.
        ValueError: The message is not a valid graph.
        NotFoundError: It has ops that do not exist here.
    """
    return import_with_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def import_with_elements(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: Optional[str] = None,
    return_elements: Any = None,
    input_map: Any = None,
    **_: Any,
) -> Tuple[Optional[Saver], Any]:
    """The saver, and those elements of the graph."""
    message, scope, elements = add_meta_graph(
        meta_graph_or_file, clear_devices, import_scope, input_map, return_elements
    )
    if message.HasField("saver_def"):
        return Saver(saver_def=message.saver_def, name=scope), elements
    if global_variables(scope or None):
        return Saver(), elements
    logging.info("Saver not created because there are no variables in the graph to restore")
    return None, elements
