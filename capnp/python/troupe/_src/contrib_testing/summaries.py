"""Checks of summaries, and of the latest ones of a folder."""

from __future__ import annotations

import glob
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence

import numpy as np

from troupe._src.messages.summary_messages import Summary
from troupe._src.summary.event_file import summary_iterator


def assert_summary(
    expected_tags: Iterable[str], expected_simple_values: Dict[str, float], summary_proto: Any
) -> None:
    """Checks which tags a summary has, and numbers to two decimals.

    Args:
        expected_tags: The tags.
        expected_simple_values: The numbers of some of them.
        summary_proto: The summary.

    Raises:
        AssertionError: A number is another one.
        ValueError: There are other tags.
    """
    found = set()
    for value in summary_proto.value:
        found.add(value.tag)
        if value.tag in expected_simple_values:
            np.testing.assert_almost_equal(
                value.simple_value, expected_simple_values[value.tag], decimal=2,
                err_msg=value.tag,
            )  # fmt: skip
    expected = set(expected_tags)
    if expected != found:
        raise ValueError(f"Expected tags {expected}, got {found}.")


def to_summary_proto(summary_str: bytes) -> Summary:
    """The message of a serialized summary.

    Args:
        summary_str: The summary.

    Returns:
        The message.
    """
    summary = Summary()
    summary.ParseFromString(summary_str)
    return summary


def latest_event_file(base_dir: str) -> Optional[str]:
    """The file of events of a folder whose name is last.

    Args:
        base_dir: The folder.

    Returns:
        Its path; None where there is none.
    """
    return max(glob.glob(os.path.join(base_dir, "events.*")), default=None)


def latest_events(base_dir: str) -> Iterable[Any]:
    """The events of that file.

    Args:
        base_dir: The folder.

    Returns:
        The events, none where there is no file.
    """
    path = latest_event_file(base_dir)
    return summary_iterator(path) if path else []


def latest_summaries(base_dir: str) -> List[Any]:
    """Those of them that have summaries.

    Args:
        base_dir: The folder.

    Returns:
        The events.
    """
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[Any], tags: Sequence[str]) -> Dict[str, float]:
    """The numbers of the latest steps.

    Args:
        events: Events.
        tags: The tags of the numbers.

    Returns:
        {tag: number}.

    Raises:
        ValueError: A summary of such a tag is no number.
    """
    steps: Dict[str, int] = {}
    values: Dict[str, float] = {}
    for event in events:
        if not event.HasField("summary"):
            continue
        for value in event.summary.value:
            if value.tag not in tags:
                continue
            if not value.HasField("simple_value"):
                raise ValueError(f"Summary for {value.tag} is not a simple_value.")
            if value.tag not in steps or event.step > steps[value.tag]:
                steps[value.tag], values[value.tag] = event.step, value.simple_value
    return values
