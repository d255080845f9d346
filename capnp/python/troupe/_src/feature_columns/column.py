"""What all columns are, and the tensors that they make of features."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.types.shapes import TensorShape


class IdsAndWeights(NamedTuple):
    """The categories of each example as a sparse tensor, and their weights or None."""

    ids: SparseTensor
    weights: Optional[SparseTensor]


class FeatureColumn:
    """What is made of some fields of an example. Columns are named tuples, so they compare."""

    @property
    def name(self) -> str:
        """Unique among the columns of a model; they are in the order of their names."""
        raise NotImplementedError

    @property
    def _scope_name(self) -> str:
        """The name of the scope of its variables."""
        return self.name

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        """What `tf.parse_example` needs for it."""
        raise NotImplementedError

    @property
    def _parse_example_spec(self) -> Dict[str, Any]:
        """The same, by the name that it had first, as those of the shapes and counts below."""
        return self.parse_example_spec

    def transform(self, features: Transformed) -> Any:
        """What it makes of features, once for all columns that use it."""
        raise NotImplementedError


class DenseColumn(FeatureColumn):
    """A column that gives numbers."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of an example's numbers."""
        raise NotImplementedError

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        """The numbers, [batch, *variable_shape]."""
        raise NotImplementedError


class SequenceTensor(NamedTuple):
    """Numbers of sequences, [batch, steps, *variable_shape], and the length of each."""

    dense_tensor: Tensor
    sequence_length: Tensor


class SequenceDenseColumn(FeatureColumn):
    """A column that gives sequences of numbers."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the numbers of a step."""
        raise NotImplementedError

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def sequence_dense_tensor(
        self, features: Transformed, variables: VariableOptions
    ) -> SequenceTensor:
        """The numbers of the sequences."""
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """A column that gives categories, by number."""

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        raise NotImplementedError

    @property
    def _num_buckets(self) -> int:
        return self.num_buckets

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        """The categories of the examples."""
        return IdsAndWeights(features.get(self), None)


class VariableOptions(NamedTuple):
    """How columns make variables."""

    collections: Sequence[str]
    trainable: bool


class Transformed:
    """The features of a batch, and what columns have made of them."""

    def __init__(self, features: Dict[Any, Any]) -> None:
        self._features = dict(features)
        self._made: Dict[Any, Any] = {}

    def get(self, key: Any) -> Any:
        """The feature of a name, with one axis behind the batch at least, or that of a column."""
        if key not in self._made:
            self._made[key] = (
                key.transform(self) if isinstance(key, FeatureColumn) else self._of(key)
            )
        return self._made[key]

    def _of(self, key: Any) -> Any:
        if key not in self._features:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        given = self._features[key]
        if isinstance(given, (SparseTensor, SparseTensorValue)):
            return SparseTensor.from_value(given)
        tensor = convert_to_tensor(given)
        if tensor.shape.rank is None:
            is_vector = gen_ops.equal(array_ops.rank(tensor), 1)
            return cond(is_vector, lambda: array_ops.expand_dims(tensor, -1), lambda: tensor)
        if tensor.shape.rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
        return tensor if tensor.shape.rank > 1 else array_ops.expand_dims(tensor, -1)
