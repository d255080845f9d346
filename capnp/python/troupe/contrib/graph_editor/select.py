"""Chooses operations and tensors by their names, and by what is around them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph.walks import (
    get_backward_walk_ops,
    get_forward_walk_ops,
)
from troupe._src.graph_editor.select import (
    can_be_regex,
    check_cios,
    compute_boundary_ts,
    filter_ops,
    filter_ops_from_regex,
    filter_ts,
    filter_ts_from_regex,
    get_name_scope_ops,
    get_ops_ios,
    get_within_boundary_ops,
    make_regex,
    select_ops,
    select_ops_and_ts,
    select_ts,
)
from troupe._src.graph_editor.walks import (
    get_walks_intersection_ops,
    get_walks_union_ops,
)
from troupe._src.graph_editor.select import get_input_ts as _get_input_ts
from troupe._src.graph_editor.select import get_output_ts as _get_output_ts

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "can_be_regex",
    "check_cios",
    "compute_boundary_ts",
    "filter_ops",
    "filter_ops_from_regex",
    "filter_ts",
    "filter_ts_from_regex",
    "get_backward_walk_ops",
    "get_forward_walk_ops",
    "get_name_scope_ops",
    "get_ops_ios",
    "get_walks_intersection_ops",
    "get_walks_union_ops",
    "get_within_boundary_ops",
    "make_regex",
    "select_ops",
    "select_ops_and_ts",
    "select_ts",
]
