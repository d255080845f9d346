"""The names under which collections of outputs give what layers have put there."""

from __future__ import annotations

import collections as _collections
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.array_ops import get_static_value
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable import Variable


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Adds outputs to collections, under a name.

    Args:
        collections: The name of a collection, or a list of names; None for none.
        alias: The name.
        outputs: A tensor, dense or sparse.

    Returns:
        The outputs.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        get_default_graph().add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more name.

    Args:
        tensor: The tensor.
        alias: The name; a "/" at its end is left out.

    Returns:
        The tensor.
    """
    names = getattr(tensor, "aliases", None)
    if names is None:
        names = tensor.aliases = []
    names.append(alias[:-1] if alias[-1] == "/" else alias)
    return tensor


def get_tensor_aliases(tensor: Any) -> List[str]:
    """The names of a tensor: those that it was given, else that of its node.

    Args:
        tensor: The tensor.

    Returns:
        The names.
    """
    names: Optional[List[str]] = getattr(tensor, "aliases", None)
    if names is not None:
        return names
    return [tensor.name[:-2] if tensor.name.endswith(":0") else tensor.name]


def gather_tensors_aliases(tensors: Sequence[Any]) -> List[str]:
    """The names of all tensors.

    Args:
        tensors: The tensors.

    Returns:
        The names, in the order of the tensors.
    """
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> Dict[str, Any]:
    """{name: tensor} for the tensors of a collection.

    Args:
        collection: The name of the collection.
        clear_collection: Whether it is empty from then on.

    Returns:
        The dictionary, in the order of the collection; a tensor is there under each of its names.
    """
    graph = get_default_graph()
    found = _collections.OrderedDict(
        (alias, tensor)
        for tensor in graph.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        graph.clear_collection(collection)
    return found


def constant_value(value_or_tensor_or_var: Any, dtype: Optional[DTypeLike] = None) -> Any:
    """The value, where it is known while the graph is built, else None.

    Args:
        value_or_tensor_or_var: A value, a tensor or a variable.
        dtype: The dtype that a tensor or variable must have; None for any.

    Returns:
        The value; None for a variable.

    Raises:
        ValueError: It is None, or has another dtype.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, (Tensor, Variable)):
        return value
    if dtype is not None and value.dtype != as_dtype(dtype):
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return get_static_value(value) if isinstance(value, Tensor) else None


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """The result of one of two functions.

    Args:
        pred: Which: a value that is known.
        fn1: Called where it is true.
        fn2: Called where it is false.

    Returns:
        What the function returns.

    Raises:
        TypeError: One of them cannot be called.
    """
    for name, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(
    pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: Optional[str] = None
) -> Any:
    """`static_cond` where the condition is known while the graph is built, else `tf.cond`.

    Args:
        pred: A value or a bool tensor.
        fn1: Called where it is true.
        fn2: Called where it is false.

    Returns:
        What the function returns, or the outputs of the branch that a step takes.
    """
    value = constant_value(pred)
    return cond(pred, fn1, fn2, name=name) if value is None else static_cond(value, fn1, fn2)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections of one kind of variable.

    Args:
        variables_collections: Collections, or {kind: collections}.
        name: The kind.

    Returns:
        The collections; None where the dictionary has no such kind.
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def last_dimension(shape: TensorShape, min_rank: int = 1) -> int:
    """The last size of a shape.

    Args:
        shape: The shape.
        min_rank: The least rank that it may have.

    Returns:
        The size.

    Raises:
        ValueError: The rank is lower, or it or the size is not known.
    """
    return _size_of(shape, -1, min_rank)


def channel_dimension(shape: TensorShape, data_format: str, min_rank: int = 1) -> int:
    """The number of channels of a shape.

    Args:
        shape: The shape.
        data_format: "channels_first" for those of axis 1, else those of the last one.
        min_rank: The least rank that it may have.

    Returns:
        The size.

    Raises:
        ValueError: The rank is lower, or it or the size is not known.
    """
    return _size_of(shape, 1 if data_format == "channels_first" else -1, min_rank)


def _size_of(shape: TensorShape, axis: int, min_rank: int) -> int:
    if shape.rank is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.rank < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.rank}")
    size: Optional[int] = shape.as_list()[axis]
    if size is None:
        raise ValueError(f"dimension {axis} of shape must be known but is None: {shape}")
    return size


def two_element_tuple(int_or_tuple: Union[int, Sequence[int], TensorShape]) -> Tuple[Any, Any]:
    """Two numbers.

    Args:
        int_or_tuple: One number for both, a list or tuple of two, or a shape of rank 2.

    Returns:
        The two.

    Raises:
        ValueError: It is something else.
    """
    given: Any = int_or_tuple
    if isinstance(given, (list, tuple)):
        if len(given) != 2:
            raise ValueError(f"Must be a list with 2 elements: {given}")
        return int(given[0]), int(given[1])
    if isinstance(given, int):
        return given, given
    if isinstance(given, TensorShape) and given.rank == 2:
        return given[0], given[1]
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n: int, value: Union[int, Sequence[int]]) -> Tuple[int, ...]:
    """That many numbers above 0.

    Args:
        n: How many.
        value: The numbers, or one for all.

    Returns:
        The numbers.

    Raises:
        ValueError: There are others, or as many as are not asked for.
    """
    if int(n) < 1 or int(n) != n:
        raise ValueError("n must be a positive integer")
    given: Any = value
    try:
        found = (int(given),) * int(n)
    except (TypeError, ValueError):
        text = f"Expected sequence of {n} positive integers, but received {value!r}"
        if len(given) != n:
            raise ValueError(text) from None
        try:
            found = tuple(int(each) for each in given)
        except (TypeError, ValueError):
            raise ValueError(text) from None
    for each in found:
        if each < 1:
            raise ValueError(f"expected positive integer, but received {each}")
    return found
