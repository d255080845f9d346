"""One value that checkpoints have as several: `split_dependency`."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.module_scopes.checkpointable import CheckpointableBase
from troupe._src.ops.grouping_ops import no_op
from troupe._src.set_module import set_module


class _CallbackSaveable(SaveableObject):
    def __init__(
        self, name: str, dtype: Any, device: str, save: Callable[[], Any],
        restored: Callable[[Any], Any],
    ) -> None:  # fmt: skip
        self._restored = restored
        super().__init__(save, [SaveSpec(save, "", name, dtype, device)], name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        (tensor,) = restored_tensors
        return self._restored(tensor)


class _Parts:
    """What the parts of a value share: the tensors that wait for each other."""

    def __init__(self, count: int, fill: Callable[[Any], None], consume: Any) -> None:
        self._count, self._fill, self._consume = count, fill, consume
        self._saved: Dict[str, Any] = {}
        self._restored: Dict[str, Any] = {}

    def save(self, name: str) -> Any:
        """The tensor of a part."""
        if name not in self._saved:
            if self._saved:
                raise AssertionError(
                    f"Split dependency {name} unsynchronized. Split dependencies must be saved "
                    "together."
                )
            self._fill(self._saved)
        return self._saved.pop(name)

    def restore(self, name: str, tensor: Any) -> Any:
        """The operation that restores the value with its last part; one of no effect before."""
        if name in self._restored:
            raise AssertionError(
                f"Split dependency {name} unsynchronized. Split dependencies must be restored "
                "together."
            )
        self._restored[name] = tensor
        if len(self._restored) < self._count:
            return no_op()
        op = self._consume(self._restored)
        self._restored.clear()
        return op


class _SplitDependency(CheckpointableBase):
    """A part of a value."""

    def __init__(self, parts: _Parts, name: str, dtype: Any, device: str) -> None:
        self._parts, self._name, self._dtype, self._device = parts, name, dtype, device

    def _gather_saveables_for_checkpoint(self) -> Dict[str, Any]:
        return {
            "VARIABLE_VALUE": functools.partial(
                _CallbackSaveable,
                dtype=self._dtype,
                device=self._device,
                save=functools.partial(self._parts.save, self._name),
                restored=functools.partial(self._parts.restore, self._name),
            )
        }


@set_module("troupe.contrib.checkpoint")
def split_dependency(
    component_names: Sequence[str],
    component_dtypes: Sequence[Any],
    fill_save_buffer_fn: Callable[[Dict[str, Any]], None],
    consume_restore_buffer_fn: Callable[[Dict[str, Any]], Any],
    device: str,
) -> Dict[str, Any]:
    """Objects that are the parts of one value in checkpoints, such as those of a packed tensor.

    Args:
        component_names: The names of the parts.
        component_dtypes: Their dtypes.
        fill_save_buffer_fn: Puts the tensors of all parts into a dict, by name.
        consume_restore_buffer_fn: Makes the operation that restores the value of such a dict.
        device: The device of the parts.

    Returns:
        The objects by name, which are to be attributes, or dependencies, of one object.
    """
    parts = _Parts(len(component_names), fill_save_buffer_fn, consume_restore_buffer_fn)
    return {
        name: _SplitDependency(parts, name, dtype, device)
        for name, dtype in zip(component_names, component_dtypes)
    }
