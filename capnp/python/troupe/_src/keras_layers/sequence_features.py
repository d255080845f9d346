"""The layer of feature columns of sequences, for recurrent models of the package `keras`."""

from __future__ import annotations

from typing import Any, List, Tuple

from troupe._src.feature_columns.column import Transformed, VariableOptions
from troupe._src.feature_columns.layers import (
    check_sequence_column,
    joined_sequences,
    sequence_numbers,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.keras.loaded import keras_module
from troupe._src.set_module import set_module
from troupe._src.variables.variable_store import variable_scope

_DenseFeatures: Any = keras_module("layers").DenseFeatures


@set_module("troupe.keras.experimental")
class SequenceFeatures(_DenseFeatures):  # type: ignore[misc]
    """The numbers of columns of sequences side by side, in the order of the columns' names.

    It is called with a dict of tensors by the names of features, and gives the numbers, [batch,
    steps, numbers of a step], and the lengths of the sequences. That all columns have sequences of
    the same lengths is checked in the step.

    Args:
        feature_columns: Columns of `sequence_numeric_column`, and embeddings and indicators of
            those of `sequence_categorical_column_with_*`.
        trainable: Whether trainings change the variables.
        name: The name of the layer.
        **kwargs: Those of layers.

    Raises:
        ValueError: A column is not one of sequences, or two have one name.
    """

    _has_state: bool
    _keys: List[str]

    def _check_column(self, column: Any) -> None:
        check_sequence_column(column)

    def call(self, inputs: Any) -> Tuple[Tensor, Tensor]:
        """The numbers of the tensors of the dict, in the order of its keys, and the lengths."""
        tensors = inputs if isinstance(inputs, list) else [inputs]
        features = Transformed(dict(zip(self._keys, tensors)))
        options = VariableOptions([GraphKeys.GLOBAL_VARIABLES], self.trainable)
        found: List[Tuple[Tensor, Tensor]] = []
        with variable_scope(self.name, reuse=True if self._has_state else None) as scope:
            for column in self._feature_columns:
                with variable_scope(column._scope_name):
                    found.append(sequence_numbers(column, features, options))
            result = joined_sequences(found)
        if not self._has_state:
            self._take_variables(f"{scope.name}/")
            self._has_state = True
        return result

    def compute_output_shape(self, input_shape: Any) -> Any:
        """[(batch, steps, numbers of a step), (batch,)]."""
        batch = (input_shape[0] if isinstance(input_shape, list) else input_shape)[0]
        sizes = [each.variable_shape.num_elements() for each in self._feature_columns]
        return [(batch, None, sum(sizes)), (batch,)]
