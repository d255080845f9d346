"""The nodes that save and restore the values of objects, which a graph gets once each."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.checkpoints.saver_builder import BulkSaverBuilder
from troupe._src.graph.graph import Graph, get_default_graph, get_default_session
from troupe._src.checkpoints.object_graph import OBJECT_GRAPH_KEY
from troupe._src.object_checkpoints.object_view import ObjectView
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.creation_ops import placeholder
from troupe._src.types import dtypes


def session_of(session: Any) -> Any:
    """The session, by default the default session; RuntimeError where there is none."""
    found = session or get_default_session()
    if found is None:
        raise RuntimeError(
            "There is no default session: pass one, or enter one with `with sess.as_default():`"
        )
    return found


@contextlib.contextmanager
def _apart(graph: Graph, device: str = "") -> Iterator[None]:
    """A context whose nodes run after no others, on that device or where a cluster puts them."""
    with graph.control_dependencies(None), graph.device(None), graph.device(device or None):
        with graph.name_scope("checkpoint/"):
            yield


class ObjectNodes:
    """The nodes of one root in one graph."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._graph = get_default_graph()
        with _apart(self._graph):
            self.path = placeholder(dtypes.string, [], name="path")
            self._message = placeholder(dtypes.string, [], name="object_graph")
        self._saves: Dict[Tuple[Any, ...], Any] = {}
        # What restores an object from a key. The objects are there so that their numbers stay.
        self._restores: Dict[Tuple[str, int], Tuple[Any, Any]] = {}

    def is_of(self, graph: Graph) -> bool:
        """Whether the nodes are of that graph."""
        return self._graph is graph

    def save(self, path: str, session: Any, view: Optional[ObjectView] = None) -> str:
        """Writes a checkpoint of what the root has now, or of that view of it."""
        view = view or ObjectView(self._root)
        message, saveables = view.serialize()
        key = tuple((spec.name, id(each.op)) for each in saveables for spec in each.specs)
        if key not in self._saves:
            self._saves[key] = (self._add_save(saveables), [each.op for each in saveables])
        given = np.array(message.SerializeToString(), dtype=object)
        saved = session.run(self._saves[key][0], {self.path: path, self._message: given})
        return saved.decode() if isinstance(saved, bytes) else str(saved)

    def _add_save(self, saveables: List[SaveableObject]) -> Any:
        device = saveables[0].device if saveables else ""
        spec = SaveSpec(self._message, "", OBJECT_GRAPH_KEY, dtypes.string, device)
        shards: Dict[str, List[SaveableObject]] = {device: [SaveableObject(None, [spec], "")]}
        for each in saveables:
            shards.setdefault(each.device, []).append(each)
        builder = BulkSaverBuilder()
        with _apart(self._graph):
            if len(shards) > 1:
                return builder._save_shards(self.path, sorted(shards.items()))
            with self._graph.device(device or None):
                return builder._save(self.path, shards[device])

    def restores(self, wanted: Iterable[Tuple[Any, SaveableObject]]) -> List[Any]:
        """The operations that give objects what a checkpoint has at `path`."""
        found, new = [], []
        for value, saveable in wanted:
            known = self._restores.get((saveable.name, id(value)))
            if known is None:
                new.append((value, saveable))
            else:
                found.append(known[1])
        by_device: Dict[str, List[Tuple[Any, SaveableObject]]] = {}
        for value, saveable in new:
            by_device.setdefault(saveable.device, []).append((value, saveable))
        for device, members in sorted(by_device.items()):
            with _apart(self._graph, device):
                found += self._add_restores(members)
        return found

    def _add_restores(self, members: List[Tuple[Any, SaveableObject]]) -> List[Any]:
        specs = [spec for _, saveable in members for spec in saveable.specs]
        tensors = raw_ops.RestoreV2(
            prefix=self.path,
            tensor_names=constant([spec.name for spec in specs], dtypes.string),
            shape_and_slices=constant([spec.slice_spec for spec in specs], dtypes.string),
            dtypes=[spec.dtype for spec in specs],
        )
        found, at = [], 0
        for value, saveable in members:
            count = len(saveable.specs)
            restored = saveable.restore(list(tensors[at : at + count]), None)
            at += count
            self._restores[saveable.name, id(value)] = (value, restored)
            found.append(restored)
        return found
