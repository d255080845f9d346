"""What can be trained and evaluated, as experiments need it."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.set_module import set_module


@set_module("troupe.contrib.learn")
class Trainable:
    """What can be trained."""

    def fit(
        self, x: Any = None, y: Any = None, input_fn: Any = None, steps: Optional[int] = None,
        batch_size: Optional[int] = None, monitors: Any = None, max_steps: Optional[int] = None,
    ) -> Any:  # fmt: skip
        """Trains a model, as `Estimator.fit`.

        Args:
            x: As there.
            y: As there.
            input_fn: As there.
            steps: As there.
            batch_size: As there.
            monitors: As there.
            max_steps: As there.

        Returns:
            Itself.
        """
        raise NotImplementedError


@set_module("troupe.contrib.learn")
class Evaluable:
    """What can be evaluated."""

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints."""
        raise NotImplementedError

    def evaluate(
        self, x: Any = None, y: Any = None, input_fn: Any = None, feed_fn: Any = None,
        batch_size: Optional[int] = None, steps: Optional[int] = None, metrics: Any = None,
        name: Optional[str] = None, checkpoint_path: Optional[str] = None, hooks: Any = None,
    ) -> Any:  # fmt: skip
        """Evaluates a model, as `Estimator.evaluate`.

        Args:
            x: As there.
            y: As there.
            input_fn: As there.
            feed_fn: As there.
            batch_size: As there.
            steps: As there.
            metrics: As there.
            name: As there.
            checkpoint_path: As there.
            hooks: As there.

        Returns:
            A dict of metrics.
        """
        raise NotImplementedError
