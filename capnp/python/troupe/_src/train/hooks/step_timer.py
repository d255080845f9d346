"""When hooks that do something every N seconds or steps do it."""

from __future__ import annotations

import time
from typing import Optional, Tuple

from troupe._src.set_module import set_module


@set_module("troupe.train")
class SecondOrStepTimer:
    """Triggers every N seconds or steps after the last triggered step.

    Args:
        every_secs: N seconds; exactly one of it and `every_steps` is given.
        every_steps: N steps.

    Raises:
        ValueError: Both or none are given.
    """

    def __init__(
        self, every_secs: Optional[float] = None, every_steps: Optional[int] = None
    ) -> None:
        if (every_secs is None) == (every_steps is None):
            raise ValueError("exactly one of every_secs and every_steps should be provided.")
        self._secs, self._steps = every_secs, every_steps
        self.reset()

    def __repr__(self) -> str:
        return f"every {self._secs} s" if self._steps is None else f"every {self._steps} steps"

    def reset(self) -> None:
        """Forgets the last triggered step."""
        self._last_step: Optional[int] = None
        self._last_time: Optional[float] = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether a step is due.

        Args:
            step: Its number.

        Returns:
            True for the first step, and when the time has passed.
        """
        if self._last_step is None or self._last_time is None:
            return True
        if self._steps is not None:
            return step >= self._last_step + self._steps
        assert self._secs is not None
        return step != self._last_step and time.monotonic() >= self._last_time + self._secs

    def update_last_triggered_step(self, step: int) -> Tuple[Optional[float], Optional[int]]:
        """Records the step.

        Args:
            step: Its number.

        Returns:
            (seconds, steps) since the last one, or (None, None).
        """
        now = time.monotonic()
        passed: Tuple[Optional[float], Optional[int]] = (None, None)
        if self._last_step is not None and self._last_time is not None:
            passed = (now - self._last_time, step - self._last_step)
        self._last_step, self._last_time = step, now
        return passed

    def last_triggered_step(self) -> Optional[int]:
        """The number of the last triggered step, or None."""
        return self._last_step


class NeverTriggerTimer:
    """A timer that no step triggers."""

    def __repr__(self) -> str:
        return "never"

    def reset(self) -> None:
        """Nothing: it has no last step."""

    def should_trigger_for_step(self, step: int) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: int) -> Tuple[None, None]:
        """Records nothing: the time and the steps since are unknown."""
        return (None, None)

    def last_triggered_step(self) -> None:
        """None."""
