"""Tensors of a graph as messages."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.messages.meta_graph_messages import TensorInfo
from troupe._src.messages.tensor_messages import TensorShapeProto
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types.dtypes import as_dtype


def build_tensor_info(tensor: Any) -> TensorInfo:
    """The name, dtype and shape of a tensor as a message.

    Args:
        tensor: A Tensor, a Variable or a SparseTensor, of which it has the names of the parts.

    Returns:
        A TensorInfo.
    """
    info = TensorInfo(dtype=as_dtype(tensor.dtype).as_datatype_enum)
    shape = tensor.get_shape()
    sizes = None if shape.rank is None else shape.as_list()
    info.tensor_shape.CopyFrom(TensorShapeProto._of_sizes(sizes))
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        element = getattr(tensor, "_as_graph_element", lambda: tensor)()
        info.name = element._place
    return info


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Optional[Graph] = None, import_scope: Optional[str] = None
) -> Any:
    """The tensor that a message names.

    Args:
        tensor_info: A TensorInfo.
        graph: By default the default graph.
        import_scope: The scope that the graph of the message was imported in.

    Returns:
        A Tensor or SparseTensor.

    Raises:
        KeyError: The graph has no such tensor.
        ValueError: The message names none.
    """
    graph = graph or get_default_graph()

    def find(name: str) -> Any:
        return graph.get_tensor_by_name(scoped_name(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return find(tensor_info.name)
    if encoding == "coo_sparse":
        names = tensor_info.coo_sparse
        return SparseTensor(
            find(names.indices_tensor_name),
            find(names.values_tensor_name),
            find(names.dense_shape_tensor_name),
        )
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")


def scoped_name(name: str, import_scope: Optional[str]) -> str:
    """The name that a node of a graph has once it was imported in that scope."""
    return f"{import_scope}/{name}" if import_scope else name
