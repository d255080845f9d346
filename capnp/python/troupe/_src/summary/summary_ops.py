"""Ops whose results are summaries."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.messages.summary_messages import SummaryMetadata
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform import logging
from troupe._src.types import dtypes

_SUMMARIES = [GraphKeys.SUMMARIES]


def clean_tag(name: Optional[str]) -> Optional[str]:
    """The name with "_" for what a node's name cannot have, and no slashes in front."""
    if name is None:
        return None
    cleaned = re.sub(r"[^-/\w\.]", "_", name).lstrip("/")
    if cleaned != name:
        logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextlib.contextmanager
def summary_scope(
    name: Optional[str],
    family: Optional[str] = None,
    default_name: Optional[str] = None,
    values: Any = None,
) -> Iterator[Tuple[str, str]]:
    """A scope for the nodes of a summary.

    Args:
        name: The name of the summary.
        family: A prefix of the tag, by which viewers group.
        default_name: The name where there is no other.
        values: What the summary is made of, all of the default graph.

    Yields:
        The tag of the summary, and the name of its node.
    """
    cleaned, family = clean_tag(name), clean_tag(family)
    base = cleaned if family is None else f"{family}/{cleaned}"
    with get_default_graph().name_scope(base or default_name) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def _collected(summary: Tensor, collections: Any, default: Sequence[str]) -> Tensor:
    keys = default if collections is None else collections
    get_default_graph().add_to_collections(list(keys), summary)
    return summary


def scalar(
    name: str, tensor: TensorLike, collections: Optional[Sequence[str]] = None,
    family: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """A summary of a number.

    Args:
        name: The tag, and the name of the node.
        tensor: A real number, as a scalar.
        collections: The names of the collections that the summary is added to, by default
            SUMMARIES.
        family: A prefix of the tag, by which viewers group.

    Returns:
        The summary as a scalar string.
    """
    with summary_scope(name, family) as (tag, scope):
        summary = raw_ops.ScalarSummary(tags=tag, values=tensor, name=scope)
        return _collected(summary, collections, _SUMMARIES)


def histogram(
    name: str, values: TensorLike, collections: Optional[Sequence[str]] = None,
    family: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """A summary of how many of the values are in each bucket.

    Args:
        name: The tag, and the name of the node.
        values: Real numbers of any shape.
        collections: The names of the collections that the summary is added to, by default
            SUMMARIES.
        family: A prefix of the tag, by which viewers group.

    Returns:
        The summary as a scalar string.
    """
    with summary_scope(name, family, "HistogramSummary") as (tag, scope):
        summary = raw_ops.HistogramSummary(tag=tag, values=values, name=scope)
        return _collected(summary, collections, _SUMMARIES)


def image(
    name: str, tensor: TensorLike, max_outputs: int = 3,
    collections: Optional[Sequence[str]] = None, family: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """A summary of the first images of a batch.

    Args:
        name: The tag, and the name of the node.
        tensor: uint8 or floats, [batch, height, width, channels], of 1, 3 or 4 channels.
        max_outputs: How many images there are at most.
        collections: The names of the collections that the summary is added to, by default
            SUMMARIES.
        family: A prefix of the tag, by which viewers group.

    Returns:
        The summary as a scalar string.
    """
    with summary_scope(name, family) as (tag, scope):
        summary = raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs, name=scope)
        return _collected(summary, collections, _SUMMARIES)


def audio(
    name: str, tensor: TensorLike, sample_rate: TensorLike, max_outputs: int = 3,
    collections: Optional[Sequence[str]] = None, family: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """A summary of the first sounds of a batch.

    Args:
        name: The tag, and the name of the node.
        tensor: float32 from -1 to 1, [batch, frames, channels], or [batch, frames] of one channel.
        sample_rate: How many frames a second has, a number or a scalar.
        max_outputs: How many sounds there are at most.
        collections: The names of the collections that the summary is added to, by default
            SUMMARIES.
        family: A prefix of the tag, by which viewers group.

    Returns:
        The summary as a scalar string.
    """
    with summary_scope(name, family) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        summary = raw_ops.AudioSummaryV2(
            tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope
        )
        return _collected(summary, collections, _SUMMARIES)


def tensor_summary(
    name: str, tensor: TensorLike, summary_description: Any = None,
    collections: Optional[Sequence[str]] = None, summary_metadata: Any = None,
    family: Optional[str] = None, display_name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """A summary of a tensor as it is, with metadata for the viewer.

    Args:
        name: The tag, and the name of the node.
        tensor: Of any dtype and shape.
        summary_description: A text in its metadata.
        collections: The names of the collections that the summary is added to, by default
            SUMMARIES.
        summary_metadata: A SummaryMetadata; by default a new one.
        family: A prefix of the tag, by which viewers group.
        display_name: The name that viewers show.

    Returns:
        The summary as a scalar string.
    """
    metadata = SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family) as (tag, scope):
        summary = raw_ops.TensorSummaryV2(
            tag=tag,
            tensor=tensor,
            serialized_summary_metadata=metadata.SerializeToString(),
            name=scope,
        )
        return _collected(summary, collections, _SUMMARIES)


def text(name: str, tensor: TensorLike, collections: Optional[Sequence[str]] = None) -> Tensor:
    """A summary of texts.

    Args:
        name: The tag, and the name of the node.
        tensor: Strings of any shape.
        collections: The names of the collections that the summary is added to, by default
            SUMMARIES.

    Returns:
        The summary as a scalar string.

    Raises:
        ValueError: The tensor is of another dtype.
    """
    texts = convert_to_tensor(tensor)
    if texts.dtype != dtypes.string:
        raise ValueError(f"Expected tensor {texts.name} to have dtype string, got {texts.dtype}")
    plugin = SummaryMetadata.PluginData(plugin_name="text")
    metadata = SummaryMetadata(plugin_data=plugin)
    return tensor_summary(name, texts, collections=collections, summary_metadata=metadata)


def merge(
    inputs: Sequence[TensorLike],
    collections: Optional[Sequence[str]] = None,
    name: Optional[str] = None,
) -> Tensor:
    """A summary with the values of all of them.

    Args:
        inputs: Summaries, as scalar strings.
        collections: The names of the collections that the result is added to; None for none.

    Returns:
        The summary as a scalar string.
    """
    name = clean_tag(name)
    with get_default_graph().name_scope(name or "Merge"):
        summary = raw_ops.MergeSummary(inputs=list(inputs), name=name)
        return _collected(summary, collections, [])


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: Optional[str] = None, name: Optional[str] = None
) -> Optional[Tensor]:
    """A summary with the values of all that a collection has.

    Args:
        key: The name of the collection.
        scope: A prefix of the names of those that count; None for all.

    Returns:
        The summary as a scalar string; None where the collection is empty.
    """
    found: List[Any] = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None
