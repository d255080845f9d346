"""Lists of elements of graphs, their names, and nested ones."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph_editor.elements import (
    ControlOutputs,
    check_graphs,
    get_consuming_ops,
    get_generating_ops,
    get_tensors,
    get_unique_graph,
    make_list_of_op,
    make_list_of_t,
)
from troupe._src.graph_editor.names import (
    find_corresponding,
    find_corresponding_elem,
    get_predefined_collection_names,
    make_placeholder_from_dtype_and_shape,
    make_placeholder_from_tensor,
    placeholder_name,
    scope_basename,
    scope_dirname,
    scope_finalize,
)
from troupe._src.graph_editor.trees import (
    ListView,
    concatenate_unique,
    flatten_tree,
    is_iterable,
    transform_tree,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "ControlOutputs",
    "ListView",
    "check_graphs",
    "concatenate_unique",
    "find_corresponding",
    "find_corresponding_elem",
    "flatten_tree",
    "get_consuming_ops",
    "get_generating_ops",
    "get_predefined_collection_names",
    "get_tensors",
    "get_unique_graph",
    "is_iterable",
    "make_list_of_op",
    "make_list_of_t",
    "make_placeholder_from_dtype_and_shape",
    "make_placeholder_from_tensor",
    "placeholder_name",
    "scope_basename",
    "scope_dirname",
    "scope_finalize",
    "transform_tree",
]
