"""Predictions: which are wanted, and those of each example of a batch."""

from __future__ import annotations

from typing import Any, Dict, Iterator


def wanted_predictions(predictions: Any, keys: Any) -> Any:
    """The predictions of those names.

    Args:
        predictions: A tensor, or a dict of tensors.
        keys: A name or a list of names; None for all.

    Returns:
        The predictions.

    Raises:
        ValueError: A tensor has no names, or none of the names is there.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    wanted = [keys] if isinstance(keys, str) else list(keys)
    found = {key: value for key, value in predictions.items() if key in wanted}
    if not found:
        raise ValueError(
            f"Expected to run at least one output from {list(predictions)}, provided {keys}."
        )
    return found


def examples_of(values: Any) -> Iterator[Any]:
    """The predictions of each example, from those of a batch."""
    if not isinstance(values, dict):
        yield from values
        return
    for index in range(_batch_size(values)):
        yield {key: value[index] for key, value in values.items()}


def _batch_size(values: Dict[str, Any]) -> int:
    sizes = {key: value.shape[0] for key, value in values.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"Batch length of predictions should be same. They have different sizes: {sizes}"
        )
    return int(next(iter(sizes.values())))
