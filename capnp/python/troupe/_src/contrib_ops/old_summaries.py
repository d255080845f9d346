"""Summaries whose tags are given, rather than those of their nodes."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

_MODULE = "troupe.contrib.deprecated"
_Collections = Optional[Sequence[str]]


def _collected(summary: Any, collections: _Collections, default: Sequence[str]) -> Any:
    keys = default if collections is None else collections
    get_default_graph().add_to_collections(list(keys), summary)
    return summary


@set_module(_MODULE)
def scalar_summary(
    tags: Any, values: Any, collections: _Collections = None, name: Optional[str] = None
) -> Any:
    """A summary of numbers.

    Args:
        tags: Their tags, of the shape of `values`.
        values: Real numbers.
        collections: The names of the collections that it is added to, by default SUMMARIES.
        name: Of the node.

    Returns:
        The summary as a scalar string.
    """
    with name_scope(name, "ScalarSummary") as scope:
        summary = raw_ops.ScalarSummary(tags=tags, values=values, name=scope)
        return _collected(summary, collections, [GraphKeys.SUMMARIES])


@set_module(_MODULE)
def histogram_summary(
    tag: Any, values: Any, collections: _Collections = None, name: Optional[str] = None
) -> Any:
    """A summary of the distribution of numbers.

    Args:
        tag: Its tag.
        values: Real numbers.
        collections: The names of the collections that it is added to, by default SUMMARIES.
        name: Of the node.

    Returns:
        The summary as a scalar string.
    """
    with name_scope(name, "HistogramSummary") as scope:
        summary = raw_ops.HistogramSummary(tag=tag, values=values, name=scope)
        return _collected(summary, collections, [GraphKeys.SUMMARIES])


@set_module(_MODULE)
def image_summary(
    tag: Any, tensor: Any, max_images: int = 3, collections: _Collections = None,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """A summary of images.

    Args:
        tag: Its tag.
        tensor: Images, [batch, height, width, channels].
        max_images: How many of them it has at most.
        collections: The names of the collections that it is added to, by default SUMMARIES.
        name: Of the node.

    Returns:
        The summary as a scalar string.
    """
    with name_scope(name, "ImageSummary") as scope:
        summary = raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_images, name=scope)
        return _collected(summary, collections, [GraphKeys.SUMMARIES])


@set_module(_MODULE)
def audio_summary(
    tag: Any, tensor: Any, sample_rate: Any, max_outputs: int = 3,
    collections: _Collections = None, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """A summary of sounds.

    Args:
        tag: Its tag.
        tensor: Samples from -1 to 1, [batch, frames] or [batch, frames, channels].
        sample_rate: How many samples a second has.
        max_outputs: How many sounds it has at most.
        collections: The names of the collections that it is added to, by default SUMMARIES.
        name: Of the node.

    Returns:
        The summary as a scalar string.
    """
    with name_scope(name, "AudioSummary") as scope:
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        summary = raw_ops.AudioSummaryV2(
            tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope
        )
        return _collected(summary, collections, [GraphKeys.SUMMARIES])


@set_module(_MODULE)
def merge_summary(
    inputs: Sequence[Any], collections: _Collections = None, name: Optional[str] = None
) -> Any:
    """A summary with the values of several.

    Args:
        inputs: Summaries, as scalar strings.
        collections: The names of the collections that it is added to, by default none.
        name: Of the node.

    Returns:
        The summary as a scalar string.
    """
    with name_scope(name, "MergeSummary"):
        summary = raw_ops.MergeSummary(inputs=list(inputs), name=name)
        return _collected(summary, collections, [])


@set_module(_MODULE)
def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Any:
    """A summary with the values of all of a collection.

    Args:
        key: The name of the collection.

    Returns:
        The summary as a scalar string; None where the collection is empty.
    """
    found = get_default_graph().get_collection(key)
    return merge_summary(found) if found else None
