"""Which part of a larger variable a variable is."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.messages.meta_graph_messages import SaveSliceInfoDef


class SaveSliceInfo:
    """The name and shape of the larger variable, and where in it a part is."""

    def __init__(
        self,
        full_name: Optional[str] = None,
        full_shape: Sequence[Any] = (),
        var_offset: Sequence[Any] = (),
        var_shape: Sequence[Any] = (),
    ) -> None:
        self.full_name = full_name
        self.full_shape: List[int] = [int(size) for size in full_shape]
        self.var_offset: List[int] = [int(offset) for offset in var_offset]
        self.var_shape: List[int] = [int(size) for size in var_shape]

    def to_proto(self, export_scope: Optional[str] = None) -> SaveSliceInfoDef:
        """The same as a message."""
        return SaveSliceInfoDef(
            full_name=self.full_name or "",
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )

    @staticmethod
    def from_proto(message: Any) -> SaveSliceInfo:
        """What a message says."""
        return SaveSliceInfo(
            message.full_name, message.full_shape, message.var_offset, message.var_shape
        )

    @property
    def spec(self) -> str:
        """ "8 3 0,4:0,3": the full shape, then the offset and size along each axis."""
        sizes = " ".join(map(str, self.full_shape))
        parts = [f"{offset},{size}" for offset, size in zip(self.var_offset, self.var_shape)]
        return f"{sizes} {':'.join(parts)}"

    def of_slot(self, name: str) -> SaveSliceInfo:
        """That of a variable of the same shape that belongs to this one, such as a slot."""
        return SaveSliceInfo(
            f"{self.full_name}/{name}", self.full_shape, self.var_offset, self.var_shape
        )
