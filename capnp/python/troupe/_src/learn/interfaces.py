"""What can be trained and evaluated, as experiments need it."""

from __future__ import annotations

from typing import Any

from troupe._src.set_module import set_module


@set_module("troupe.contrib.learn")
class Trainable:
    """What can be trained."""

    def fit(self, *args: Any, **kwargs: Any) -> Any:
        """Trains a model, as `Estimator.fit`.

        Args:
            args: As there.
            kwargs: As there.

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

    def evaluate(self, *args: Any, **kwargs: Any) -> Any:
        """Evaluates a model, as `Estimator.evaluate`.

        Args:
            args: As there.
            kwargs: As there.

        Returns:
            A dict of metrics.
        """
        raise NotImplementedError
