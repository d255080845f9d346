"""The types and shapes of the components of elements."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

from troupe._src.data import nest
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor


class Components(NamedTuple):
    """Two structures of the form of an element: dtypes and shapes."""

    types: Any
    shapes: Any

    def flat_types(self) -> List[Any]:
        return nest.flatten(self.types)

    def flat_shapes(self) -> List[Any]:
        return nest.flatten(self.shapes)

    def attrs(self) -> Dict[str, Any]:
        """As attributes of an op."""
        return {"output_types": self.flat_types(), "output_shapes": self.flat_shapes()}


def convert_components(values: Any) -> Any:
    """The structure with tensors as components."""
    for value in nest.flatten(values):
        if isinstance(value, SparseTensor):
            raise TypeError("Components of datasets cannot be sparse tensors in this version.")
    return nest.map_structure(convert_to_tensor, values)


def components_of(tensors: Any) -> Components:
    """Those of a structure of tensors."""
    types = nest.map_structure(lambda tensor: tensor.dtype, tensors)
    return Components(types, nest.map_structure(lambda tensor: tensor.shape, tensors))
