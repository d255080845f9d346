"""Estimators with the methods of scikit-learn, and columns for arrays."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.contrib_columns.numbers import RealValuedColumn
from troupe._src.contrib_columns.parsing import infer_real_valued_columns
from troupe._src.estimator.input_fns import inputs_of
from troupe._src.graph.graph import Graph
from troupe._src.learn.base_estimator import BaseEstimator
from troupe._src.learn.feeding import check_inputs, fed_inputs
from troupe._src.learn_inputs.parameters import Parameterized
from troupe._src.set_module import set_module

_BATCH_SIZE = 128


@set_module("troupe.contrib.learn")
class SKCompat(Parameterized):
    """An estimator that takes arrays, with the methods of scikit-learn.

    Args:
        estimator: An estimator of `tf.contrib.learn`.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def fit(
        self, x: Any, y: Any, batch_size: int = _BATCH_SIZE, steps: Optional[int] = None,
        max_steps: Optional[int] = None, monitors: Optional[Sequence[Any]] = None,
    ) -> SKCompat:  # fmt: skip
        """Trains the model.

        Args:
            x: An array of features, or a dict of them; their examples are in random order.
            y: Labels, likewise.
            batch_size: How many examples are in a step.
            steps: How many more steps, at most.
            max_steps: The global step at which it stops, at most.
            monitors: Hooks and monitors.

        Returns:
            Itself.

        Raises:
            ValueError: Both numbers are given.
        """
        self._estimator.fit(
            x, y, batch_size=batch_size, steps=steps, max_steps=max_steps, monitors=monitors
        )
        return self

    def score(
        self, x: Any, y: Any, batch_size: int = _BATCH_SIZE, steps: Optional[int] = None,
        metrics: Optional[Dict[Any, Any]] = None, name: Optional[str] = None,
    ) -> Dict[str, Any]:  # fmt: skip
        """Evaluates the model.

        Args:
            x: An array of features, or a dict of them.
            y: Labels, likewise.
            batch_size: How many examples are in a step.
            steps: How many steps, at most.
            metrics: More metrics: a dict of `MetricSpec` by their names.
            name: The name of the evaluation, for one of several.

        Returns:
            The value of each metric, `loss` and `global_step`.

        Raises:
            ValueError: Metrics are no dict, or there is no checkpoint.
        """
        results: Dict[str, Any] = self._estimator.evaluate(
            x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name
        )
        return results

    def predict(
        self, x: Any, batch_size: int = _BATCH_SIZE, outputs: Optional[Sequence[str]] = None
    ) -> Any:
        """The predictions of all examples.

        Args:
            x: An array of features, or a dict of them.
            batch_size: How many examples are in a step.
            outputs: The names of the wanted predictions; None for all.

        Returns:
            An array, or a dict of arrays.

        Raises:
            ValueError: There is no such output, or no checkpoint.
        """
        return BaseEstimator.predict(
            self._estimator, x, batch_size=batch_size, outputs=outputs, as_iterable=False
        )


def infer_real_valued_columns_from_input_fn(
    input_fn: Callable[[], Any],
) -> List[RealValuedColumn]:
    """A column of numbers for each feature that a function gives.

    Args:
        input_fn: Returns tensors of features and labels.

    Returns:
        The columns; that of a single tensor has the name "".

    Raises:
        ValueError: A feature is not of numbers.
    """
    with Graph().as_default():
        return infer_real_valued_columns(inputs_of(input_fn).features)


def infer_real_valued_columns_from_input(x: Any) -> List[RealValuedColumn]:
    """A column of numbers for each feature of arrays.

    Args:
        x: An array of features, or a dict of them.

    Returns:
        The columns; that of a single array has the name "".

    Raises:
        ValueError: A feature is not of numbers, or x is a tensor.
    """
    check_inputs(x, None, None, None, None)
    return infer_real_valued_columns_from_input_fn(fed_inputs(x, None, None).input_fn)
