"""The values of the variables of layers, and what layers measure."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.keras.sessions import batch_get_value, batch_set_value
from troupe._src.keras.loaded import keras_module


class Measured:
    """A layer whose variables have values in the session of `tf.keras`, and with metrics."""

    _name: str

    def get_weights(self) -> List[Any]:
        """The values of its variables, as arrays, in the session of `tf.keras.backend`."""
        return batch_get_value(self.weights)  # type: ignore[attr-defined]

    def set_weights(self, weights: List[Any]) -> None:
        """Assigns values to its variables, in the session of `tf.keras.backend`.

        Args:
            weights: Arrays as those of `get_weights`.

        Raises:
            ValueError: There are more or fewer, or one has another shape.
        """
        own = self.weights  # type: ignore[attr-defined]
        if len(own) != len(weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self._name}" with a  weight list of '
                f"length {len(weights)}, but the layer was expecting {len(own)} weights. Provided "
                f"weights: {str(weights)[:50]}..."
            )
        for variable, value in zip(own, weights):
            if not variable.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Layer weight shape {tuple(variable.shape.as_list())} not compatible with "
                    f"provided weight shape {value.shape}"
                )
        batch_set_value(list(zip(own, weights)))

    def count_params(self) -> int:
        """The number of elements of all its variables."""
        if not self.built:  # type: ignore[attr-defined]
            raise ValueError(
                f"You tried to call `count_params` on {self._name}, but the layer isn't built. You "
                "can build it manually via: `.build(batch_input_shape)`."
            )
        weights = self.weights  # type: ignore[attr-defined]
        return sum(weight.shape.num_elements() or 0 for weight in weights)

    @property
    def metrics(self) -> List[Any]:
        """The metrics that `add_metric` made."""
        found: List[Any] = vars(self).setdefault("_metrics", [])
        return found

    def add_metric(
        self, value: Any, aggregation: Optional[str] = None, name: Optional[str] = None
    ) -> None:
        """Adds what models report for each epoch.

        Args:
            value: A tensor, or the result of a metric of `tf.keras.metrics`.
            aggregation: "mean" for that of the tensors of batches.
            name: The name of the metric.

        Raises:
            ValueError: The aggregation is another, or a tensor has none, or there is no name.
        """
        if aggregation not in (None, "mean"):
            raise ValueError(
                "We currently support only `mean` sample-wise metric aggregation. You provided "
                f"aggregation=`{aggregation}`"
            )
        metric = getattr(value, "_metric_obj", None)
        if aggregation is None and metric is None:
            raise ValueError(
                "Using the result of calling a `Metric` object when calling `add_metric` is only "
                "possible with aggregation=None: for a tensor, pass aggregation='mean'."
            )
        if metric is None and name is None:
            raise ValueError("Please provide a name for your metric like `name='my_tensor'`.")
        if metric is not None:
            self.metrics.append(metric)
            return
        known = [each for each in self.metrics if each.name == name]
        kept = known[0] if known else keras_module("metrics").Mean(name=name)
        if not known:
            self.metrics.append(kept)
        kept(value)
