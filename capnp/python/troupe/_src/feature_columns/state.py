"""What columns that programs define keep of their own: variables, tables and modules."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable_scope import get_variable


class StateManager:
    """The variables and resources of columns, by column and name, as TensorFlow's columns have.

    Columns make them in `create_state` and take them in `get_dense_tensor`.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        """Begins with none.

        Args:
            layer: The layer of the columns, or None.
            trainable: Whether trainings change the variables.
        """
        self._layer, self._trainable = layer, trainable
        self._variables: Dict[Any, Any] = {}
        self._resources: Dict[Any, Any] = {}

    def create_variable(
        self, feature_column: Any, name: str, shape: Any, dtype: Optional[DTypeLike] = None,
        trainable: bool = True, use_resource: bool = True, initializer: Any = None,
    ) -> Any:  # fmt: skip
        """A new variable in the scope that is open.

        Args:
            feature_column: Its column.
            name: Its name.
            shape: Its shape.
            dtype: Its dtype, float32 without one.
            trainable: Whether trainings change it, if they change those of the columns at all.
            use_resource: Whether it is a variable of a resource.
            initializer: What makes its first value.

        Raises:
            ValueError: The column has one of that name.
        """
        if (feature_column, name) in self._variables:
            raise ValueError("Variable already exists.")
        made = get_variable(
            name, shape=shape, dtype=dtype or dtypes.float32, initializer=initializer,
            trainable=self._trainable and trainable, use_resource=use_resource,
        )  # fmt: skip
        self._variables[feature_column, name] = made
        return made

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """The variable of a column; a ValueError says that it has none of that name."""
        if (feature_column, name) not in self._variables:
            raise ValueError("Variable does not exist.")
        return self._variables[feature_column, name]

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keeps a resource, such as a table, for a column."""
        self._resources[feature_column, name] = resource

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """The resource of a column; a ValueError says that it has none of that name."""
        if (feature_column, name) not in self._resources:
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column, name]
