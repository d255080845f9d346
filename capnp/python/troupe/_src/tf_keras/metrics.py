"""Metrics that `tf.keras` has and the package of Keras has not."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from troupe._src.metrics.confusion_matrix import confusion_matrix
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.creation_ops import ones_like
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

backend = keras_module("backend")
_metrics = keras_module("metrics")
_Metric: Any = _metrics.Metric
_Mean: Any = _metrics.Mean


@set_module("troupe.keras.metrics")
class MeanIoU(_Metric):  # type: ignore[misc]
    """The mean over classes of true positives / (true + false positives + false negatives).

    Classes that are in neither labels nor predictions do not count. As TensorFlow 1.15's metric of
    the name.

    Args:
        num_classes: How many classes there are: labels and predictions are numbers below it.
        name: The name of the metric.
        dtype: Of the result.
    """

    def __init__(self, num_classes: int, name: Optional[str] = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight(
            "total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Counts pairs of a label and a prediction."""
        labels, predictions = (
            array_ops.reshape(math_ops.cast(convert_to_tensor(each), "int64"), [-1])
            for each in (y_true, y_pred)
        )
        if sample_weight is not None:
            sample_weight = math_ops.cast(sample_weight, self.dtype)
            sample_weight = array_ops.reshape(sample_weight, [-1])
        counts = confusion_matrix(
            labels, predictions, self.num_classes, weights=sample_weight, dtype=self.dtype
        )
        return [self.total_cm.assign_add(counts)]

    def result(self) -> Any:
        """The mean, a scalar."""
        true = gen_ops.matrix_diag_part(self.total_cm)
        told, found = (math_ops.reduce_sum(self.total_cm, axis) for axis in (1, 0))
        counts = told + found - true
        classes = math_ops.reduce_sum(math_ops.cast(counts > 0, self.dtype))
        return gen_ops.div_no_nan(
            math_ops.reduce_sum(gen_ops.div_no_nan(true, counts)), classes
        )

    def reset_states(self) -> None:
        """Begins anew."""
        backend.set_value(self.total_cm, np.zeros((self.num_classes, self.num_classes)))

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a metric again."""
        return {**super().get_config(), "num_classes": self.num_classes}


@set_module("troupe.keras.metrics")
class MeanRelativeError(_Mean):  # type: ignore[misc]
    """The mean of the errors divided by what they are relative to.

    As TensorFlow 1.15's metric of the name: a quotient by 0 is 0.

    Args:
        normalizer: What errors are divided by, broadcast to the predictions.
        name: The name of the metric.
        dtype: Of the result.
    """

    def __init__(self, normalizer: Any, name: Optional[str] = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.normalizer = math_ops.cast(normalizer, self.dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds errors."""
        labels, predictions = (math_ops.cast(each, self.dtype) for each in (y_true, y_pred))
        errors = gen_ops.div_no_nan(gen_ops.abs(labels - predictions), self.normalizer)
        return super().update_state(errors, sample_weight=sample_weight)

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a metric again."""
        return {**super().get_config(), "normalizer": backend.eval(self.normalizer)}


@set_module("troupe.keras.metrics")
class MeanTensor(_Metric):  # type: ignore[misc]
    """The mean of tensors, element by element. All have the shape of the first.

    As TensorFlow 1.15's metric of the name.

    Args:
        name: The name of the metric.
        dtype: Of the result.
    """

    def __init__(self, name: str = "mean_tensor", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self._total: Any = None
        self._count: Any = None

    @property
    def total(self) -> Any:
        """The weighted sum so far; None before the first update."""
        return self._total

    @property
    def count(self) -> Any:
        """The sum of the weights so far; None before the first update."""
        return self._count

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds a tensor, times weights that are broadcast to it.

        Raises:
            ValueError: It has another shape than the first one.
        """
        values = math_ops.cast(values, self.dtype)
        if self._total is None:
            self._build(values.shape.as_list())
        elif not self._total.shape.is_compatible_with(values.shape):
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set "
                f"during the first call): {self._total.shape}. Got: {values.shape}"
            )
        weights = ones_like(values)
        if sample_weight is not None:
            given = math_ops.cast(sample_weight, self.dtype)
            for _ in range(values.shape.rank - given.shape.rank):
                given = array_ops.expand_dims(given, -1)
            weights *= given
        return [self._total.assign_add(values * weights), self._count.assign_add(weights)]

    def _build(self, shape: Any) -> None:
        self._total = self.add_weight("total", shape=shape, initializer="zeros")
        self._count = self.add_weight("count", shape=shape, initializer="zeros")

    def result(self) -> Any:
        """The mean.

        Raises:
            ValueError: There has been no update.
        """
        if self._total is None:
            raise ValueError(
                "MeanTensor does not have any result yet. Please call the MeanTensor instance or "
                "use `.update_state(value)` before retrieving the result."
            )
        return gen_ops.div_no_nan(self._total, self._count)

    def reset_states(self) -> None:
        """Begins anew."""
        if self._total is not None:
            for each in (self._total, self._count):
                backend.set_value(each, np.zeros(each.shape.as_list()))
