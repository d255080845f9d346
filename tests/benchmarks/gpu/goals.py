"""What each row is to reach."""

import dataclasses
import re
from typing import Callable, Optional


@dataclasses.dataclass(frozen=True)
class Goal:
    """A goal in words, and whether a row reaches it; None where it was not measured.

    A row is what __main__.compare() makes. The function also gets Troupe's figure of the row
    "copy", or None.
    """

    text: str
    is_met: Callable[[dict, Optional[float]], Optional[bool]]


def _at_least(value, least):
    return None if value is None else value >= least


def _ratio(least):
    return Goal(f"ratio {least:.2f}", lambda row, copy: _at_least(row["ratio"], least))


def _of_copy(percent):
    def is_met(row, copy):
        return _at_least(row["troupe"], copy * percent / 100) if copy else None

    return Goal(f"{percent}% of copy", is_met)


NONE = Goal("", lambda row, copy: None)
# By a part of the name; the first that fits. A ratio of 0.95 is as fast, but for noise.
GOALS = [
    ("^copy$", NONE),
    ("^chain_|^softmax$|^sum$", _of_copy(85)),
    ("^layer_norm$", _ratio(0.95)),
    ("^matmul_|^conv_", _ratio(0.95)),
    ("^overlap_pinned$", Goal("90%", lambda row, copy: _at_least(row["troupe"], 90))),
    ("", _ratio(1)),
]


def goal_of(name):
    """The goal of the row of that name."""
    return next(goal for pattern, goal in GOALS if re.search(pattern, name))
