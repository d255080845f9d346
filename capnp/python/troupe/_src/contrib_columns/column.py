"""What all columns of `tf.contrib.layers` are, and the features that they are made of."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

from troupe._src.feature_columns.column import FeatureColumn, Transformed
from troupe._src.model_layers.flattening import inner_flatten
from troupe._src.ops import array_ops
from troupe._src.platform import logging
from troupe._src.variables.initializers import Zeros


class WideArguments(NamedTuple):
    """How the weights of a column's categories are looked up for a sum."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    combiner: str
    initializer: Any = Zeros()


class DeepArguments(NamedTuple):
    """How the vectors of a column's categories are looked up."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str
    dimension: int
    shared_embedding_name: Optional[str]
    hash_key: Optional[int]
    max_norm: Optional[float]
    trainable: bool


class ContribColumn(FeatureColumn):
    """A column of `tf.contrib.layers`, a named tuple besides.

    Columns are in the order of their keys, which are their texts as TensorFlow has them: by it the
    inputs of a network are arranged, and so the weights in its checkpoints.
    """

    _fields: Any
    _left_out: Tuple[str, ...] = ()  # fields that the key does not have

    def __repr__(self) -> str:
        return self._text(())

    def _text(self, left_out: Tuple[str, ...]) -> str:
        pairs = [(name, getattr(self, name)) for name in self._fields if name not in left_out]
        shown = ", ".join(f"{name}={_shown(value, not left_out)}" for name, value in pairs)
        return f"_{type(self).__name__}({shown})"

    @property
    def key(self) -> str:
        """What columns are sorted by; no two of one model have the same."""
        return self._text(self._left_out)

    @property
    def config(self) -> Dict[str, Any]:
        """What `tf.parse_example` needs for it."""
        raise NotImplementedError(f"Column {self} has no configuration.")

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        return self.config

    def insert_transformed_feature(self, columns_to_tensors: Dict[Any, Any]) -> None:
        """Adds what it makes of features to them.

        Args:
            columns_to_tensors: A dict of features by name, and of what columns have made of them by
                the column.
        """
        columns_to_tensors[self] = self.transform(MadeInPlace(columns_to_tensors))

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Any:
        """The numbers for a network."""
        raise ValueError(f"Column {self} gives no numbers for networks.")

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> DeepArguments:
        """How vectors are looked up; NotImplementedError where none are."""
        raise NotImplementedError(f"No deep embedding lookup arguments for column {self}.")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> WideArguments:
        """How weights are looked up; NotImplementedError where none are."""
        raise NotImplementedError(f"No wide embedding lookup arguments for column {self}.")

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        """The numbers of a column of numbers."""
        raise NotImplementedError(f"No dense tensor representation for column {self}.")

    def _checkpoint_path(self) -> Optional[Tuple[str, str]]:
        """The checkpoint that its weights begin with and their name there, or None."""
        return None


def _shown(value: Any, is_repr: bool) -> str:
    # A key without some fields is written by format(), so dtypes look otherwise in it.
    return repr(value) if is_repr else str(value)


class MadeInPlace(Transformed):
    """A dict of features that gets what columns make of them, too."""

    def __init__(self, columns_to_tensors: Dict[Any, Any]) -> None:
        super().__init__({})
        self._made = columns_to_tensors

    def get(self, key: Any, state_manager: Any = None) -> Any:
        if key in self._made:
            return self._made[key]
        if isinstance(key, str):
            raise ValueError(f"features dictionary doesn't contain key ({key})")
        if not isinstance(key, ContribColumn):
            raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
        key.insert_transformed_feature(self._made)
        return self._made[key]

    def transform(self, column: ContribColumn) -> Any:
        """What a column makes of the features, once.

        Args:
            column: The column.

        Returns:
            Its tensor, or tensors.
        """
        logging.debug("Transforming feature_column %s", column)
        return self.get(column)


def transformed(columns_to_tensors: Dict[Any, Any], column: ContribColumn) -> Any:
    """What a column makes of features, to which that is added."""
    return MadeInPlace(columns_to_tensors).transform(column)


def of_rank(tensor: Any, output_rank: int, column_name: str) -> Any:
    """A dense tensor of that rank: with an axis more, or with the last ones as one."""
    rank = tensor.shape.rank
    if rank is not None and output_rank > rank + 1:
        raise ValueError(rank_error(rank, output_rank, column_name))
    if rank is not None and output_rank == rank + 1:
        logging.warning(
            "Rank of input Tensor (%d) should be the same as output_rank (%d) for column %s. Will "
            "attempt to expand dims.", rank, output_rank, column_name
        )  # fmt: skip
        return array_ops.expand_dims(tensor, -1, name="expand_dims")
    return tensor if rank == output_rank else inner_flatten(tensor, output_rank)


def rank_error(rank: int, output_rank: int, column_name: str) -> str:
    """What is wrong with a tensor of a rank that is too low."""
    return (
        f"Error while processing column {column_name}. Rank of input Tensor ({rank}) should be the "
        f"same as output_rank ({output_rank}): 3 for sequences, else 2."
    )
