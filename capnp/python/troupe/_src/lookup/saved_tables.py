"""Tables in checkpoints."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import raw_ops


class _SavedTable(SaveableObject):
    """The keys and the values of a table."""

    def __init__(self, table: Any, name: str) -> None:
        keys, values = table.export()
        specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        handle = self.op.resource_handle
        keys, values = restored_tensors
        with get_default_graph().colocate_with(handle.op):
            return raw_ops.LookupTableImportV2(table_handle=handle, keys=keys, values=values)


def saved_values(table: Any) -> Dict[str, Callable[..., SaveableObject]]:
    """What a checkpoint of objects saves of a table: functions of the key there, by name. One key
    is saved by the same nodes each time."""
    known: Dict[str, SaveableObject] = vars(table).setdefault("_saved_by_key", {})

    def saved(name: str) -> SaveableObject:
        if name not in known:
            with control_dependencies(None):
                known[name] = _SavedTable(table, name)
        return known[name]

    return {"table": saved}


def add_to_saved(table: Any, name: str) -> None:
    """Lets savers of all variables save a table, too: under that name, or that of its node where
    another table has it."""
    graph = get_default_graph()
    names = {each.name for each in graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)}
    with control_dependencies(None):
        saved = _SavedTable(table, table.resource_handle.op.name if name in names else name)
    graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)
