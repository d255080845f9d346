"""The texts of a list, one after another, whose place is a variable that checkpoints save."""

from __future__ import annotations

import random
from typing import Any, List, Optional

from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import variable_scope


@set_module("troupe.contrib.input_pipeline")
def obtain_next(string_list_tensor: Any, counter: Any) -> Any:
    """The next text of a list; after the last one, the first.

    Args:
        string_list_tensor: Texts, a vector.
        counter: A variable of int64, where the list was before: -1 at the start.

    Returns:
        A scalar string.
    """
    texts = convert_to_tensor(string_list_tensor, dtypes.string)
    count = array_ops.size(texts, out_type=dtypes.int64)
    place = assign(counter, (array_ops.identity(counter) + 1) % count)
    return gather(texts, array_ops.identity(place))


def _expanded(
    texts: List[Any], shuffle: bool, seed: Optional[int], num_epochs: Optional[int]
) -> List[Any]:
    """The texts of all epochs."""
    if shuffle and seed:
        random.seed(seed)
    found: List[Any] = []
    for _ in range(num_epochs or 1):
        if shuffle:
            random.shuffle(texts)
        found += texts
    return found


def seek_next(
    string_list: List[Any],
    shuffle: bool = False,
    seed: Optional[int] = None,
    num_epochs: Optional[int] = None,
) -> Any:
    """The next text of a list; again and again, or for some epochs.

    Args:
        string_list: The texts; `shuffle` changes their order.
        shuffle: Whether each epoch has another order.
        seed: Makes the orders repeatable.
        num_epochs: After how many epochs there is an OutOfRangeError; None: never.

    Returns:
        A scalar string.
    """
    texts = _expanded(string_list, shuffle, seed, num_epochs)

    def fixed(name: str, value: Any) -> Any:
        return get_variable(name, dtype=value.dtype, initializer=value, trainable=False)

    with variable_scope("obtain_next"):
        counter = fixed("obtain_next_counter", constant(-1, dtypes.int64))
        expanded = fixed("obtain_next_expanded_list", constant(texts))
        if not num_epochs:
            return obtain_next(expanded, counter)
        counted = fixed("obtain_next_filename_counter", constant(0, dtypes.int64))
        with control_dependencies([counted.count_up_to(len(texts))]):
            return obtain_next(expanded, counter)
