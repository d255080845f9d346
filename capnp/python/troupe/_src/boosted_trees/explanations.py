"""What features have to do with predictions: importances and contributions."""

from __future__ import annotations

import collections
import struct
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from troupe._src.messages.wire import BYTES, FIXED32, VARINT, read_fields, read_floats, read_ints

_LEAF, _BUCKETIZED_SPLIT, _METADATA = 1, 2, 777


class Contributions(NamedTuple):
    """What a prediction begins with, and what features add to it, the most first."""

    bias: float
    by_column: Dict[str, float]


def feature_importances(
    serialized: bytes, names: Sequence[str], normalize: bool
) -> Dict[str, float]:
    """The gain that the splits of each column have together.

    Args:
        serialized: An ensemble as bytes.
        names: For each feature the name of its column.
        normalize: Whether they add up to 1.

    Returns:
        The importances by columns, the greatest first.

    Raises:
        ValueError: The bytes are no ensemble, or it has splits of another kind.
        AssertionError: An importance is negative, or all are 0, and they are to be normalized.
    """
    trees, weights = _trees_of(serialized)
    importances = np.zeros(len(names))
    for tree, weight in zip(trees, weights):
        importances += weight * _importances_of(tree, len(names))
    if normalize:
        assert np.all(importances >= 0), "feature_importances must be non-negative."
        total = np.sum(importances)
        assert total > 0, "Trees are all empty or contain only a root node."
        importances /= total
    return _by_column(names, importances)


def contributions(serialized: bytes, names: Sequence[str], is_logistic: bool) -> Contributions:
    """What each column contributed to a prediction, along the ways through the trees.

    Args:
        serialized: A DebugOutput as bytes.
        names: For each feature the name of its column.
        is_logistic: Whether the prediction is a probability, the sigmoid of the logit.

    Raises:
        ValueError: The bytes are no such message.
    """
    ids: List[int] = []
    logits: List[float] = []
    for number, kind, value in read_fields(serialized):
        if number == 1 and isinstance(value, bytes) and kind == BYTES:
            ids += read_ints(value)
        elif number == 2 and isinstance(value, bytes) and kind == BYTES:
            logits += read_floats(value)
    path = np.array(logits)
    predictions = 1 / (1 + np.exp(-path)) if is_logistic else path
    changes = np.bincount(ids, weights=predictions[1:] - predictions[:-1], minlength=len(names))
    return Contributions(predictions[0], _by_column(names, changes))


def _by_column(names: Sequence[str], values: Any) -> Dict[str, float]:
    sums: Dict[str, float] = {}
    for name, value in zip(names, values):
        sums[name] = sums.get(name, 0) + value
    return collections.OrderedDict(
        sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True)
    )


def _trees_of(serialized: bytes) -> Tuple[List[bytes], List[float]]:
    trees: List[bytes] = []
    weights: List[float] = []
    for number, kind, value in read_fields(serialized):
        if not isinstance(value, bytes):
            continue
        if number == 1 and kind == BYTES:
            trees.append(value)
        elif number == 2 and kind in (BYTES, FIXED32):
            weights += read_floats(value)
    return trees, weights


def _importances_of(tree: bytes, count: int) -> Any:
    importances = np.zeros(count)
    for node in _messages(tree, 1):
        gain = sum(_gain_of(metadata) for metadata in _messages(node, _METADATA))
        splits = _messages(node, _BUCKETIZED_SPLIT)
        if splits:
            importances[_feature_of(splits[-1], count)] += gain
        elif not _messages(node, _LEAF):
            raise ValueError("Unexpected split type")
    return importances


def _messages(data: bytes, wanted: int) -> List[bytes]:
    return [
        value
        for number, _, value in read_fields(data)
        if number == wanted and isinstance(value, bytes)
    ]


def _gain_of(metadata: bytes) -> float:
    gain = 0.0
    for number, kind, value in read_fields(metadata):
        if number == 1 and kind == FIXED32 and isinstance(value, bytes):
            (gain,) = struct.unpack("<f", value)
    return gain


def _feature_of(split: bytes, count: int) -> int:
    feature = 0
    for number, kind, value in read_fields(split):
        if number == 1 and kind == VARINT and isinstance(value, int):
            feature = value
    if feature >= count:
        raise ValueError(f"The ensemble has feature {feature}, but there are {count}")
    return feature
