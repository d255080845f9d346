"""What is known of the elements of datasets and iterators."""

from __future__ import annotations

from typing import Any


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the components, in the structure of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        Nested dtypes.
    """
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the components, in the structure of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        Nested shapes.
    """
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the components, in the structure of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        Nested classes.
    """
    return dataset_or_iterator.output_classes
