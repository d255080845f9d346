"""Predictions and evaluations of estimators of classes and of numbers."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Sequence

from troupe._src.learn.estimator import Estimator
from troupe._src.learn.keys import PredictionKey
from troupe._src.learn.metric_spec import MetricSpec


class _Predicting(Estimator):
    """An estimator whose predictions are one of several by default."""

    _default_key = PredictionKey.SCORES

    def predict(
        self, x: Any = None, input_fn: Any = None, batch_size: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None, as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:  # fmt: skip
        """The classes or the scores of examples, or the wanted predictions by their names.

        Args:
            x: As of Estimator.
            input_fn: As of Estimator.
            batch_size: As of Estimator.
            outputs: The names of the wanted predictions; None for the classes or the scores, which
                have no name then.
            as_iterable: As of Estimator.
            iterate_batches: As of Estimator, with names only.

        Returns:
            As of Estimator.

        Raises:
            ValueError: As of Estimator.
        """
        if not outputs:
            return self._one(self._default_key, x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def _one(
        self, key: str, x: Any, input_fn: Any, batch_size: Optional[int], as_iterable: bool
    ) -> Any:
        """The predictions of one name."""
        found = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return _values(found, key) if as_iterable else found[key]


def _values(predictions: Iterator[Dict[str, Any]], key: str) -> Iterator[Any]:
    for each in predictions:
        yield each[key]


class ClassEstimator(_Predicting):
    """An estimator of classes."""

    _default_key = PredictionKey.CLASSES

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Optional[int] = None,
        as_iterable: bool = True,
    ) -> Any:  # fmt: skip
        """The classes of examples.

        Args:
            x: As of `predict`.
            input_fn: As of `predict`.
            batch_size: As of `predict`.
            as_iterable: As of `predict`.

        Returns:
            An iterator of classes, or an array.

        Raises:
            ValueError: As of `predict`.
        """
        return self._one(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Optional[int] = None,
        as_iterable: bool = True,
    ) -> Any:  # fmt: skip
        """The probabilities of all classes of examples.

        Args:
            x: As of `predict`.
            input_fn: As of `predict`.
            batch_size: As of `predict`.
            as_iterable: As of `predict`.

        Returns:
            An iterator of arrays, or an array.

        Raises:
            ValueError: As of `predict`.
        """
        return self._one(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class NumberEstimator(_Predicting):
    """An estimator of numbers."""

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: Optional[int] = None,
        as_iterable: bool = True,
    ) -> Any:  # fmt: skip
        """The numbers of examples.

        Args:
            x: As of `predict`.
            input_fn: As of `predict`.
            batch_size: As of `predict`.
            as_iterable: As of `predict`.

        Returns:
            An iterator of numbers, or an array.

        Raises:
            ValueError: As of `predict`.
        """
        return self._one(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> Any:
        # A metric that is a function is of the scores, which have a name.
        named = {
            name if isinstance(metric, MetricSpec) or isinstance(name, tuple)
            else (name, PredictionKey.SCORES): metric
            for name, metric in (metrics or {}).items()
        }  # fmt: skip
        return super()._call_model_fn(features, labels, mode, named, config)
