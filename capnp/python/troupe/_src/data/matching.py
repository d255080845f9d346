"""Files by the patterns of their names."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, math_ops, raw_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import maximum
from troupe._src.types import dtypes


def matching_files(file_pattern: Any) -> Tuple[Tensor, Tensor]:
    """The names of the files, of which a step fails to find none, and a number of at least 1."""
    patterns = convert_to_tensor(file_pattern, dtypes.string)
    found = raw_ops.MatchingFiles(pattern=patterns)
    count = array_ops.size(found, out_type=dtypes.int64)
    message = ["No files matched pattern: ", patterns]
    check = Assert(math_ops.cast(count, dtypes.bool_), message, summarize=1)
    with get_default_graph().control_dependencies([check]):
        names = array_ops.identity(found)
    return names, maximum(count, 1)
