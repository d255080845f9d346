"""What all columns are, and the tensors that they make of features."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence

from troupe._src.control_flow.conditional import cond
from troupe._src.feature_columns.state import StateManager
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.sparse.arrangement import sparse_reshape
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


class IdsAndWeights(NamedTuple):
    """The categories of each example as a sparse tensor, and their weights or None."""

    ids: SparseTensor
    weights: Optional[SparseTensor]


class FeatureColumn:
    """What is made of some fields of an example. Columns are named tuples, so they compare.

    The methods that begin with `_` are those that columns of TensorFlow have. Columns that programs
    derive define them, or those of its second protocol, instead of this package's own.
    """

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
        given: Dict[str, Any] = self._given("_parse_example_spec", FeatureColumn)
        return given

    @property
    def _parse_example_spec(self) -> Dict[str, Any]:
        """The same, by the name that it had first, as those of the shapes and counts below."""
        return self.parse_example_spec

    def transform(self, features: Transformed) -> Any:
        """What it makes of features, once for all columns that use it."""
        if self._has("_transform_feature", FeatureColumn):
            return self._transform_feature(features)
        return self._given("transform_feature", FeatureColumn)(features, None)

    def _transform_feature(self, inputs: Transformed) -> Any:
        return self.transform(inputs)

    def transform_feature(self, transformation_cache: Transformed, state_manager: Any) -> Any:
        """What it makes of features, by the second protocol."""
        return self.transform(transformation_cache)

    def create_state(self, state_manager: Any) -> None:
        """Makes the variables and resources of a program's own column, by the second protocol."""

    def _has(self, name: str, base: Any) -> bool:
        """Whether a class below the base defines the name."""
        return getattr(type(self), name) is not getattr(base, name)

    def _given(self, name: str, base: Any) -> Any:
        if not self._has(name, base):
            raise NotImplementedError(f"{type(self).__name__} defines no {name}")
        return getattr(self, name)


class DenseColumn(FeatureColumn):
    """A column that gives numbers."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of an example's numbers."""
        return TensorShape(self._given("_variable_shape", DenseColumn))

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        """The numbers, [batch, *variable_shape]."""
        if self._has("_get_dense_tensor", DenseColumn):
            return self._get_dense_tensor(features, variables.collections, variables.trainable)
        given = self._given("get_dense_tensor", DenseColumn)
        state = StateManager(None, variables.trainable)
        self.create_state(state)
        numbers: Tensor = given(features, state)
        return numbers

    def _get_dense_tensor(
        self, inputs: Transformed, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        return self.dense_tensor(inputs, _options(weight_collections, trainable))

    def get_dense_tensor(self, transformation_cache: Transformed, state_manager: Any) -> Tensor:
        """The numbers, by the second protocol."""
        return self.dense_tensor(transformation_cache, _options(None, state_manager._trainable))


class SequenceTensor(NamedTuple):
    """Numbers of sequences, [batch, steps, *variable_shape], and the length of each."""

    dense_tensor: Tensor
    sequence_length: Tensor


class SequenceDenseColumn(FeatureColumn):
    """A column that gives sequences of numbers."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the numbers of a step."""
        return TensorShape(self._given("_variable_shape", SequenceDenseColumn))

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def sequence_dense_tensor(
        self, features: Transformed, variables: VariableOptions
    ) -> SequenceTensor:
        """The numbers of the sequences."""
        if self._has("_get_sequence_dense_tensor", SequenceDenseColumn):
            found = self._get_sequence_dense_tensor(
                features, variables.collections, variables.trainable
            )
            return SequenceTensor(*found)
        given = self._given("get_sequence_dense_tensor", SequenceDenseColumn)
        state = StateManager(None, variables.trainable)
        self.create_state(state)
        return SequenceTensor(*given(features, state))

    def _get_sequence_dense_tensor(
        self, inputs: Transformed, weight_collections: Any = None, trainable: Any = None
    ) -> SequenceTensor:
        return self.sequence_dense_tensor(inputs, _options(weight_collections, trainable))

    def get_sequence_dense_tensor(
        self, transformation_cache: Transformed, state_manager: Any
    ) -> SequenceTensor:
        """The numbers of the sequences, by the second protocol."""
        options = _options(None, state_manager._trainable)
        return self.sequence_dense_tensor(transformation_cache, options)


class _IdWeightPair(NamedTuple):
    """The categories of each example and their weights, as columns of programs give them."""

    id_tensor: SparseTensor
    weight_tensor: Optional[SparseTensor]


class CategoricalColumn(FeatureColumn):
    """A column that gives categories, by number."""

    IdWeightPair = _IdWeightPair

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return int(self._given("_num_buckets", CategoricalColumn))

    @property
    def _num_buckets(self) -> int:
        return self.num_buckets

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        """The categories of the examples."""
        if self._has("_get_sparse_tensors", CategoricalColumn):
            return IdsAndWeights(*self._get_sparse_tensors(features))
        if self._has("get_sparse_tensors", CategoricalColumn):
            return IdsAndWeights(*self.get_sparse_tensors(features, StateManager(None, True)))
        return IdsAndWeights(features.get(self), None)

    def _get_sparse_tensors(
        self, inputs: Transformed, weight_collections: Any = None, trainable: Any = None
    ) -> _IdWeightPair:
        return _IdWeightPair(*self.ids_and_weights(inputs))

    def get_sparse_tensors(
        self, transformation_cache: Transformed, state_manager: Any
    ) -> _IdWeightPair:
        """The categories of the examples, by the second protocol."""
        return _IdWeightPair(*self.ids_and_weights(transformation_cache))


class VariableOptions(NamedTuple):
    """How columns make variables."""

    collections: Sequence[str]
    trainable: bool


def _options(collections: Optional[Sequence[str]], trainable: Optional[bool]) -> VariableOptions:
    given = collections or [GraphKeys.GLOBAL_VARIABLES]
    return VariableOptions(given, trainable is None or trainable)


class Transformed:
    """The features of a batch, and what columns have made of them."""

    def __init__(self, features: Dict[Any, Any]) -> None:
        self._features = dict(features)
        self._made: Dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any = None) -> Any:
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
            return _with_last_axis(SparseTensor.from_value(given))
        tensor = convert_to_tensor(given)
        if tensor.shape.rank is None:
            is_vector = gen_ops.equal(array_ops.rank(tensor), 1)
            return cond(is_vector, lambda: array_ops.expand_dims(tensor, -1), lambda: tensor)
        if tensor.shape.rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
        return tensor if tensor.shape.rank > 1 else array_ops.expand_dims(tensor, -1)


def _with_last_axis(tensor: SparseTensor) -> SparseTensor:
    """A vector as a matrix of one column; other ranks as they are."""
    rank = tensor.get_shape().rank
    if rank is not None and rank != 1:
        return tensor

    def column() -> SparseTensor:
        shape = array_ops.concat([tensor.dense_shape, constant([1], dtypes.int64)], 0)
        return sparse_reshape(tensor, shape)

    if rank == 1:
        return column()
    is_vector = gen_ops.equal(array_ops.size(tensor.dense_shape), 1)
    result: SparseTensor = cond(is_vector, column, lambda: tensor)
    return result
