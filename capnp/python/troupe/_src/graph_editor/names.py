"""The names of scopes, of placeholders that edits make, and of the same element in two graphs."""

from __future__ import annotations

import re
from typing import Any, List, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_editor.trees import transform_tree
from troupe._src.ops.creation_ops import placeholder
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike

# What the names of placeholders begin with: graph editor's placeholder.
PREFIX = "geph"


def scope_finalize(scope: str) -> str:
    """A scope with a "/" at its end, unless it is empty.

    Args:
        scope: The scope.

    Returns:
        The scope.
    """
    return f"{scope}/" if scope and not scope.endswith("/") else scope


def scope_dirname(scope: str) -> str:
    """The scope around the last part of a name, with a "/" at its end.

    Args:
        scope: The name.

    Returns:
        The scope; "" where there is none.
    """
    return scope[: scope.rfind("/") + 1]


def scope_basename(scope: str) -> str:
    """The last part of a name.

    Args:
        scope: The name.

    Returns:
        The part.
    """
    return scope[scope.rfind("/") + 1 :]


def placeholder_name(
    t: Optional[Tensor] = None, scope: Optional[str] = None, prefix: str = PREFIX
) -> str:
    """The name of a placeholder.

    Args:
        t: The tensor that it stands for.
        scope: Its scope, by default that of the tensor; "" for none.
        prefix: What the last part of the name begins with.

    Returns:
        The name.

    Raises:
        TypeError: It is no tensor.
    """
    inner = scope_finalize(scope or "")
    if t is None:
        return inner + prefix
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    name = t.op.name
    if scope is None:
        inner = scope_dirname(name)
    base = scope_basename(name)
    return inner + (base if base.startswith(f"{prefix}__") else f"{prefix}__{base}_{t.value_index}")


def make_placeholder_from_tensor(
    t: Tensor, scope: Optional[str] = None, prefix: str = PREFIX
) -> Tensor:
    """A placeholder of the dtype and shape of a tensor, in the default graph.

    Args:
        t: The tensor.
        scope: Its scope, by default that of the tensor; "" for none.
        prefix: What the last part of its name begins with.

    Returns:
        The placeholder.

    Raises:
        TypeError: It is no tensor.
    """
    return placeholder(t.dtype.base_dtype, t.shape, placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: DTypeLike, shape: ShapeLike = None, scope: Optional[str] = None, prefix: str = PREFIX
) -> Tensor:
    """A placeholder in the default graph.

    Args:
        dtype: Its dtype.
        shape: Its shape, by default any.
        scope: Its scope.
        prefix: What the last part of its name begins with.

    Returns:
        The placeholder.
    """
    return placeholder(dtype, shape, placeholder_name(None, scope, prefix))


def get_predefined_collection_names() -> List[str]:
    """The keys of collections that `tf.GraphKeys` has.

    Returns:
        The keys.
    """
    return [getattr(GraphKeys, key) for key in dir(GraphKeys) if not re.match(r"^__\w+__$", key)]


def find_corresponding_elem(
    target: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """The element of another graph that has the name of one.

    Args:
        target: A tensor or an operation.
        dst_graph: The other graph.
        dst_scope: What its name has in front there.
        src_scope: What its name has in front here.

    Returns:
        The tensor or the operation.

    Raises:
        ValueError: It is not in that scope.
        TypeError: It is neither a tensor nor an operation.
        KeyError: The graph has none of that name.
    """
    if not isinstance(target, (Tensor, Operation)):
        raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")
    scope = scope_finalize(src_scope)
    if not target.name.startswith(scope):
        raise ValueError(f"{target.name} does not start with {scope}")
    name = scope_finalize(dst_scope) + target.name[len(scope) :]
    if isinstance(target, Tensor):
        return dst_graph.get_tensor_by_name(name)
    return dst_graph.get_operation_by_name(name)


def find_corresponding(
    targets: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """The elements of another graph that have the names of some.

    Args:
        targets: Tensors and operations, nested.
        dst_graph: The other graph.
        dst_scope: What their names have in front there.
        src_scope: What their names have in front here.

    Returns:
        The elements, nested as those.

    Raises:
        ValueError: One is not in that scope.
        TypeError: One is neither a tensor nor an operation.
        KeyError: The graph lacks one.
    """
    return transform_tree(
        targets, lambda each: find_corresponding_elem(each, dst_graph, dst_scope, src_scope)
    )
