"""Counters and gauges of this process, as `tensorflow.python.eager.monitoring` has them."""

from __future__ import annotations

import threading
from typing import Any, Dict, Generic, Set, Tuple, TypeVar

from troupe._src.types import errors

T = TypeVar("T")

_names: Set[str] = set()


class Cell(Generic[T]):
    """One value of a metric."""

    def __init__(self, value: T) -> None:
        self._value, self._lock = value, threading.Lock()

    def value(self) -> T:
        """The value."""
        return self._value


class GaugeCell(Cell[T]):
    """A value that is set."""

    def set(self, value: T) -> None:
        """Replaces the value."""
        with self._lock:
            self._value = value


class CounterCell(Cell[int]):
    """A number that only grows."""

    def increase_by(self, value: int) -> None:
        """Adds to the number."""
        with self._lock:
            self._value += value


class Metric:
    """Values by labels. Other metrics of this process have other names.

    Args:
        name: Its name, "/a/b".
        description: What it tells.
        *labels: The names of labels, by whose values `get_cell` finds one.

    Raises:
        AlreadyExistsError: There is a metric of that name.
    """

    _cell_class: Any
    _initial: Any

    def __init__(self, name: str, description: str, *labels: str) -> None:
        if name in _names:
            raise errors.AlreadyExistsError(
                None, None, "Another metric with the same name already exists."
            )
        _names.add(name)
        self._metric_name, self._labels = name, labels
        self._cells: Dict[Tuple[str, ...], Any] = {}

    def __del__(self) -> None:
        if hasattr(self, "_cells"):
            _names.discard(self._metric_name)

    def get_cell(self, *labels: str) -> Any:
        """The value of labels.

        Args:
            *labels: A value for each label.

        Returns:
            What the value is set with.

        Raises:
            ValueError: There are more or fewer labels.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {self._metric_name} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, self._cell_class(self._initial))


class Counter(Metric):
    """Numbers that only grow."""

    _cell_class, _initial = CounterCell, 0


class IntGauge(Metric):
    """Integers."""

    _cell_class, _initial = GaugeCell, 0


class StringGauge(Metric):
    """Strings."""

    _cell_class, _initial = GaugeCell, ""


class BoolGauge(Metric):
    """Whether something is so."""

    _cell_class, _initial = GaugeCell, False


IntGaugeCell = StringGaugeCell = BoolGaugeCell = GaugeCell
