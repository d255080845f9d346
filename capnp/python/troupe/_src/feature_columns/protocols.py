"""The classes of which programs derive columns of their own, by the names of TensorFlow's source.

There are two protocols. A column of the first has `_get_dense_tensor(inputs, ...)`, one of the
second `create_state` and `get_dense_tensor(inputs, state)`, and many columns have both. All columns
are instances of the classes of either.
"""

from __future__ import annotations

import abc
from typing import Any, Sequence, Type

from troupe._src.feature_columns import column
from troupe._src.feature_columns.column import Transformed
from troupe._src.feature_columns.state import StateManager

_LazyBuilder = FeatureTransformationCache = Transformed
_StateManagerImpl = _StateManagerImplV2 = StateManager


def _protocol(base: Type[Any], name: str, has_states: bool) -> Any:
    """A class of the name below a base, of which all instances of the base are."""

    def __subclasshook__(cls: Any, other: Any) -> Any:
        return issubclass(other, base) if cls is made else NotImplemented

    made = abc.ABCMeta(
        name, (base,),
        {
            "__doc__": f"{base.__doc__}",
            "__module__": __name__,
            "__slots__": (),
            "_is_v2_column": property(lambda self: has_states),
            "__subclasshook__": classmethod(__subclasshook__),
        },
    )  # fmt: skip
    return made


_FeatureColumn = _protocol(column.FeatureColumn, "_FeatureColumn", False)
_DenseColumn = _protocol(column.DenseColumn, "_DenseColumn", False)
_SequenceDenseColumn = _protocol(column.SequenceDenseColumn, "_SequenceDenseColumn", False)
_CategoricalColumn = _protocol(column.CategoricalColumn, "_CategoricalColumn", False)
FeatureColumn = _protocol(column.FeatureColumn, "FeatureColumn", True)
DenseColumn = _protocol(column.DenseColumn, "DenseColumn", True)
SequenceDenseColumn = _protocol(column.SequenceDenseColumn, "SequenceDenseColumn", True)
CategoricalColumn = _protocol(column.CategoricalColumn, "CategoricalColumn", True)


def is_feature_column_v2(feature_columns: Sequence[Any]) -> bool:
    """Whether all columns are of the second protocol."""
    return all(getattr(each, "_is_v2_column", True) for each in feature_columns)
