"""The nodes of savers, of which classes of a program's own may make others."""

from __future__ import annotations

import contextlib
import itertools
import uuid
from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.checkpoints import saveables
from troupe._src.checkpoints.saveables import saveables_of
from troupe._src.graph.graph import get_default_graph
from troupe._src.messages.meta_graph_messages import SaverDef
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import identity, shape
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.convert import constant
from troupe._src.ops.creation_ops import placeholder_with_default
from troupe._src.types import dtypes

# (device, what is on it)
Shards = List[Tuple[str, List[saveables.SaveableObject]]]


class BaseSaverBuilder:
    """Adds the nodes that save and restore. A class of a program's own overrides `save_op`,
    `restore_op`, `bulk_restore` or `sharded_filename`, and is given to a Saver as `builder`.

    Args:
        write_version: The format of checkpoints: SaverDef.V2, or V1.

    Raises:
        ValueError: There is no such format.
    """

    SaveSpec = saveables.SaveSpec
    SaveableObject = saveables.SaveableObject

    def __init__(self, write_version: int = SaverDef.V2) -> None:
        if write_version not in (SaverDef.V1, SaverDef.V2):
            raise ValueError(f"Unexpected write_version: {write_version}; V1 and V2 are written")
        self._write_version = write_version

    def save_op(self, filename_tensor: Any, saveables: Sequence[Any]) -> Any:
        """The operation that saves all of them in one file."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names = constant([spec.name for spec in specs], dtypes.string)
        slices = constant([spec.slice_spec for spec in specs], dtypes.string)
        tensors = [spec.tensor for spec in specs]
        if self._write_version == SaverDef.V2:
            return raw_ops.SaveV2(
                prefix=filename_tensor, tensor_names=names, shape_and_slices=slices, tensors=tensors
            )
        if not any(spec.slice_spec for spec in specs):
            return raw_ops.Save(filename=filename_tensor, tensor_names=names, data=tensors)
        return raw_ops.SaveSlices(
            filename=filename_tensor, tensor_names=names, shapes_and_slices=slices, data=tensors
        )

    def restore_op(self, filename_tensor: Any, saveable: Any, preferred_shard: int) -> List[Any]:
        """The tensors of one of them; `preferred_shard` has no effect."""
        return [
            raw_ops.RestoreV2(
                prefix=filename_tensor,
                tensor_names=[spec.name],
                shape_and_slices=[spec.slice_spec],
                dtypes=[spec.dtype],
            )[0]
            for spec in saveable.specs
        ]

    def bulk_restore(
        self,
        filename_tensor: Any,
        saveables: Sequence[Any],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> List[Any]:
        """The tensors of all of them, in their order."""
        found: List[Any] = []
        for saveable in saveables:
            with _on(saveable.device):
                found += self.restore_op(filename_tensor, saveable, preferred_shard)
        return found

    def sharded_filename(self, filename_tensor: Any, shard: int, num_shards: Any) -> Any:
        """The name of a shard's file."""
        return raw_ops.ShardedFilename(basename=filename_tensor, shard=shard, num_shards=num_shards)

    def build(
        self,
        names_to_saveables: Any,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: Optional[str] = None,
        restore_sequentially: bool = False,
        filename: Optional[str] = "model",
    ) -> SaverDef:
        """Adds the nodes to the default graph.

        Args:
            names_to_saveables: Variables and SaveableObjects, or a dict of them by their names.
            reshape: Values of other shapes are given those of the variables.
            sharded: Each task writes its own variables.
            max_to_keep: How many checkpoints are kept; 0 or None: all.
            keep_checkpoint_every_n_hours: One checkpoint in such a time is always kept.
            name: The scope of the nodes, by default "save".
            restore_sequentially: One variable is restored after another.
            filename: The name of checkpoints that a step which names none writes.

        Returns:
            The names of the nodes.

        Raises:
            ValueError: Two of the variables have the same name.
            TypeError: Something is no variable.
        """
        graph = get_default_graph()
        found = saveables_of(names_to_saveables)
        shards = _by_device(found) if sharded else [("", found)]
        with graph.control_dependencies(None), graph.name_scope(name or "save"):
            first = placeholder_with_default(filename or "model", [], name="filename")
            path = placeholder_with_default(first, [], name="Const")
            saved = self._save_shards(path, shards) if sharded else self._save(path, found)
            restores: List[Any] = []
            for number, (device, members) in enumerate(shards):
                shard = number if sharded else -1
                with _on(device):
                    restores += self._restore(path, members, reshape, restore_sequentially, shard)
            restored = group(*restores, name="restore_all")
        return SaverDef(
            filename_tensor_name=path.name,
            save_tensor_name=saved.name,
            restore_op_name=restored._name,
            max_to_keep=max_to_keep or 0,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )

    def _save(self, path: Any, saveables: Sequence[Any]) -> Any:
        """The path, once they are saved there."""
        saved = self.save_op(path, saveables)
        with get_default_graph().control_dependencies([saved]):
            return identity(path, name="control_dependency")

    def _save_shards(self, path: Any, shards: Shards) -> Any:
        """The name that all files are restored by, once they are saved."""
        graph = get_default_graph()
        is_v2 = self._write_version == SaverDef.V2
        count = constant(len(shards), dtypes.int32, name="num_shards")
        base = path
        if is_v2:
            base = raw_ops.StringJoin(inputs=[path, f"_temp_{uuid.uuid4().hex}/part"])
        names, saves = [], []
        for number, (device, members) in enumerate(shards):
            with _on(device):
                names.append(self.sharded_filename(base, number, count))
                saves.append(self._save(names[-1], members))
        with graph.control_dependencies([save.op for save in saves]):
            if not is_v2:
                return raw_ops.ShardedFilespec(basename=path, num_shards=count)
            with _on(shards[-1][0]):
                merged = raw_ops.MergeV2Checkpoints(
                    checkpoint_prefixes=raw_ops.Pack(values=names), destination_prefix=path
                )
                with graph.control_dependencies([merged]):
                    return identity(path)

    def _restore(
        self, path: Any, saveables: Sequence[Any], reshape: bool, in_order: bool, shard: int
    ) -> List[Any]:
        """The operations that restore them."""
        tensors = iter(self.bulk_restore(path, saveables, shard, in_order))
        graph = get_default_graph()
        restores: List[Any] = []
        for saveable in saveables:
            mine = list(itertools.islice(tensors, len(saveable.specs)))
            shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
            after = restores[-1:] if in_order else []
            with graph.control_dependencies(after), _on(saveable.device):
                restores.append(saveable.restore(mine, shapes))
        return restores


class BulkSaverBuilder(BaseSaverBuilder):
    """A builder with one node that restores all variables of a device."""

    def bulk_restore(
        self,
        filename_tensor: Any,
        saveables: Sequence[Any],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> List[Any]:
        specs = [spec for saveable in saveables for spec in saveable.specs]
        return list(
            raw_ops.RestoreV2(
                prefix=filename_tensor,
                tensor_names=[spec.name for spec in specs],
                shape_and_slices=[spec.slice_spec for spec in specs],
                dtypes=[spec.dtype for spec in specs],
            )
        )


def _on(device: str) -> Any:
    """A context whose nodes are on that device; "" leaves them where they would be."""
    return get_default_graph().device(device) if device else contextlib.nullcontext()


def _shape_of(tensor: Any) -> Any:
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else shape(tensor)


def _by_device(found: Sequence[saveables.SaveableObject]) -> Shards:
    shards: Dict[str, List[saveables.SaveableObject]] = {}
    for saveable in found:
        shards.setdefault(saveable.device, []).append(saveable)
    return sorted(shards.items())


def build_by(
    builder: BaseSaverBuilder, variables: Any, name: Optional[str], options: Any
) -> SaverDef:
    """Lets a builder add the nodes of a saver with these options to the default graph."""
    keys = (
        "reshape", "sharded", "max_to_keep", "keep_checkpoint_every_n_hours",
        "restore_sequentially", "filename",
    )  # fmt: skip
    given: Any = {key: options[key] for key in keys}
    device: Any = options["device"] or None
    graph = get_default_graph()
    with graph._lock, graph.device(None), graph.device(device):
        graph._check_not_finalized()
        return builder.build(variables, name=name, **given)
