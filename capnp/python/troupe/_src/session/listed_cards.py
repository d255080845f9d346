"""Cards that a config lists, on machines that have none."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple, TypeVar

from troupe import _native
from troupe._src.types import errors

T = TypeVar("T")

# Opens a session, so its module imports this one: `names_cards` keeps it here.
_cards: List[Callable[[], Tuple[str, ...]]] = []


def names_cards(function: Callable[[], Tuple[str, ...]]) -> Callable[[], Tuple[str, ...]]:
    """A decorator of the function that gives the names of the cards of the machine."""
    _cards.append(function)
    return function


def with_listed_cards(make: Callable[[Dict[str, Any]], T], options: Dict[str, Any]) -> T:
    """What `make` returns of the options; cards that they list count only where there are any.

    TensorFlow does not read the list on a machine without cards: programs of Horovod list one for
    each process wherever they run.
    """
    try:
        return make(options)
    except errors.InvalidArgumentError:
        if not options.get("gpus") or any(cards() for cards in _cards):
            raise
        return make({**options, "gpus": []})


def without_absent_cards(options: Dict[str, Any]) -> Dict[str, Any]:
    """The options of a session, whose list of cards is empty on a machine without any.

    For what cannot be made twice, as a training whose hooks have begun: a session that is closed
    at once tells whether there are cards.
    """
    if not options.get("gpus"):
        return options

    def probe(tried: Dict[str, Any]) -> Dict[str, Any]:
        _native.open_session({**tried, "gpu_reserves_memory": False}).close()
        return {**options, "gpus": tried["gpus"]}

    return with_listed_cards(probe, options)
