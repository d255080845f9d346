"""Measures workloads on both sides in turns."""

import dataclasses
from typing import Dict, List

import figures
from floors import FLOORS
from side_process import SideError
from workloads import Workload

TROUPE, TENSORFLOW = "troupe", "tensorflow"
SIDES = (TROUPE, TENSORFLOW)
FLOOR_SECONDS_MAX = 0.5


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much is measured: turns of each side, seconds of a turn, and seconds until it fails."""

    turns: int
    seconds: float
    limit: float


FULL = Effort(turns=3, seconds=3, limit=180)
QUICK = Effort(turns=2, seconds=0.4, limit=60)
# Of each op: there are many, and a step of one is short.
OPS_FULL = Effort(turns=3, seconds=0.5, limit=60)
OPS_QUICK = Effort(turns=2, seconds=0.1, limit=60)


@dataclasses.dataclass
class Row:
    """The samples of a workload, by side, and why a side has none."""

    workload: Workload
    samples: Dict[str, List[float]]
    errors: Dict[str, str]
    floor_samples: List[float]

    def value(self, side):
        """The figure that is compared; None where the side failed."""
        return self._quantile(side, self.workload.quantile)

    def spread(self, side):
        """The 10th and the 90th percentile; None where the side failed."""
        ends = (self._quantile(side, 0.1), self._quantile(side, 0.9))
        return None if None in ends else ends

    @property
    def floor(self):
        return figures.quantile(self.floor_samples, 0.5) if self.floor_samples else None

    @property
    def ratio(self):
        """Over 1 where Troupe is ahead; None where a side failed."""
        return figures.ratio(self.workload.unit, self.value(TROUPE), self.value(TENSORFLOW))

    def _quantile(self, side, q):
        failed = side in self.errors or not self.samples[side]
        return None if failed else figures.quantile(self.samples[side], q)


def compare(workload, processes, effort, on_turn=lambda side: None):
    """The row of a workload: the floor and each of `processes` in turns, `effort.turns` times.

    A side that fails gets no further turn in this row. `on_turn` is called with its name before
    each turn of a side.
    """
    row = Row(workload, {process.name: [] for process in processes}, {}, [])
    for _ in range(effort.turns):
        if workload.floor:
            kind, argument = workload.floor
            seconds = min(effort.seconds, FLOOR_SECONDS_MAX)
            row.floor_samples += FLOORS[kind](seconds, argument)
        for process in processes:
            if process.name in row.errors:
                continue
            on_turn(process.name)
            try:
                row.samples[process.name] += process.samples_of(
                    workload.name, effort.seconds, effort.limit
                )
            except SideError as error:
                row.errors[process.name] = str(error)
    return row
