"""The layer of feature columns, for models of the package `keras`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe._src.feature_columns.column import DenseColumn, Transformed, VariableOptions
from troupe._src.feature_columns.layers import flat_numbers, normalized_columns
from troupe._src.feature_columns.serialization import deserialize_columns, serialize_columns
from troupe._src.feature_columns.state import StateManager
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.set_module import set_module
from troupe._src.variables.variable_store import variable_scope


def _as_tensor(feature: Any) -> Any:
    is_sparse = isinstance(feature, (SparseTensor, SparseTensorValue))
    return SparseTensor.from_value(feature) if is_sparse else convert_to_tensor(feature)


def dense_features_class(layer: Any) -> Any:
    """The class `DenseFeatures`, derived from that of layers.

    Args:
        layer: `keras.layers.Layer`, which is not known before a program imports it.

    Returns:
        The class.
    """

    @set_module("troupe.keras.layers")
    class DenseFeatures(layer):  # type: ignore[misc]
        """The numbers of columns side by side, in the order of the columns' names.

        It is called with a dict of tensors by the names of features, also with those of `Input`.

        Args:
            feature_columns: Columns of numbers.
            trainable: Whether trainings change the variables.
            name: The name of the layer.
            **kwargs: Those of layers.

        Raises:
            ValueError: A column is one of categories, or two have one name.
        """

        def __init__(
            self, feature_columns: Any, trainable: bool = True, name: Optional[str] = None,
            **kwargs: Any,
        ) -> None:  # fmt: skip
            super().__init__(name=name, trainable=trainable, **kwargs)
            self._feature_columns = normalized_columns(feature_columns)
            for column in self._feature_columns:
                self._check_column(column)
            self._keys: List[str] = []
            self._outputs: Optional[Dict[Any, Any]] = None
            # Of programs' own columns, which calls share.
            self._state_manager, self._has_state = StateManager(self, trainable), False

        def _check_column(self, column: Any) -> None:
            if not isinstance(column, DenseColumn):
                raise ValueError(
                    "Items of feature_columns must be a DenseColumn. You can wrap a "
                    "categorical column with an embedding_column or indicator_column. Given: "
                    f"{column}"
                )

        def __call__(
            self, features: Any, cols_to_output_tensors: Optional[Dict[Any, Any]] = None,
            **kwargs: Any,
        ) -> Any:  # fmt: skip
            """The numbers of a dict of tensors, [batch, numbers].

            Args:
                features: The tensors by the names of features.
                cols_to_output_tensors: A dict that gets the numbers of each column.
                **kwargs: Those of layers.
            """
            if not isinstance(features, dict):
                raise ValueError(
                    f"We expected a dictionary here. Instead we got: {features}"
                )
            # Models know layers of lists of tensors.
            self._keys = sorted(features)
            tensors = [_as_tensor(features[key]) for key in self._keys]
            self._outputs = cols_to_output_tensors
            try:
                return super().__call__(tensors if len(tensors) > 1 else tensors[0], **kwargs)
            finally:
                self._outputs = None

        def call(self, inputs: Any) -> Tensor:
            """The numbers of the tensors of the dict, in the order of its keys."""
            tensors = inputs if isinstance(inputs, list) else [inputs]
            features = Transformed(dict(zip(self._keys, tensors)))
            options = VariableOptions([GraphKeys.GLOBAL_VARIABLES], self.trainable)
            outputs, is_first = [], not self._has_state
            with variable_scope(self.name, reuse=None if is_first else True) as scope:
                for column in self._feature_columns:
                    with variable_scope(column._scope_name):
                        numbers = self._numbers(column, features, options, is_first)
                    outputs.append(flat_numbers(column, numbers))
                    if self._outputs is not None:
                        self._outputs[column] = outputs[-1]
            if is_first:
                self._take_variables(f"{scope.name}/")
                self._has_state = True
            return array_ops.concat(outputs, 1)

        def _numbers(self, column: Any, features: Any, options: Any, is_first: bool) -> Tensor:
            if not column._has("get_dense_tensor", DenseColumn):
                numbers: Tensor = column.dense_tensor(features, options)
                return numbers
            if is_first:
                column.create_state(self._state_manager)
            numbers = column.get_dense_tensor(features, self._state_manager)
            return numbers

        def _take_variables(self, scope: str) -> None:
            for variable in get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope):
                is_trained = variable.trainable
                (self._trainable_weights if is_trained else self._non_trainable_weights).append(
                    variable
                )

        def compute_output_shape(self, input_shape: Any) -> Any:
            """(batch, numbers)."""
            batch = input_shape[0][0] if isinstance(input_shape, list) else input_shape[0]
            sizes = [each.variable_shape.num_elements() for each in self._feature_columns]
            return batch, sum(sizes)

        def get_config(self) -> Dict[str, Any]:
            """The arguments that make such a layer, by their names, as plain values."""
            columns = serialize_columns(self._feature_columns)
            return {**super().get_config(), "feature_columns": columns}

        @classmethod
        def from_config(
            cls, config: Dict[str, Any], custom_objects: Optional[Dict[str, Any]] = None
        ) -> Any:
            """The layer of a configuration.

            Args:
                config: What `get_config` gives.
                custom_objects: A program's own columns, initializers and functions by their names.
            """
            columns = deserialize_columns(config["feature_columns"], custom_objects)
            return cls(**{**config, "feature_columns": columns})

    return DenseFeatures
