"""Datasets as functions without arguments."""

from __future__ import annotations

import itertools

from troupe import _native
from troupe._src.graph.elements import Tensor
from troupe._src.types import errors

_numbers = itertools.count()


def add_factory(variant: Tensor) -> str:
    """The name of a function that makes the dataset again, with copies of all that it is made of.

    Raises:
        ValueError: A copy would be another thing: of a placeholder, or of state.
    """
    name = f"_make_dataset_{next(_numbers)}".lstrip("_")
    try:
        _native.add_factory(variant.graph._root, name, variant._value())
    except errors.InvalidArgumentError as error:
        if "Cannot capture a stateful node" in error.message:
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. "
                "`Dataset.make_one_shot_iterator()` does not support datasets that capture "
                "stateful objects, such as a `Variable` or `LookupTable`. In these cases, use "
                f"`Dataset.make_initializable_iterator()`. (Original error: {error.message})"
            ) from None
        raise ValueError(error.message) from None
    return name
