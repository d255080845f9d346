"""The factors of a matrix, by weighted alternating least squares."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.factorization.wals_equations import Weights, entries_of, losses, solved
from troupe._src.factorization.wals_variables import (
    Side, make_cache, make_factors, make_weights, prepare_gramian, projection_weights, scope_of,
)  # fmt: skip
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.ops import creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.rearrange_ops import eye
from troupe._src.ops.selection_ops import where_v2
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.scatter_ops import scatter_update
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import variables_initializer

_Update = Tuple[Tensor, Operation, Tensor, Tensor, Tensor]


@set_module("troupe.contrib.factorization")
class WALSModel:
    """A matrix as the product of two others, of which few columns are needed.

    It is `tf.contrib.factorization.WALSModel` (Hu et al., Collaborative filtering for implicit
    feedback datasets, 2008). Rows have factors U and columns V; the sum of w_ij * (a_ij - u_i
    v_j)^2 becomes less, where w_ij is the weight of all elements, and for those that are given the
    product of the weights of row and column besides. A program runs `initialize_op` and
    `worker_init`, and then by turns for rows and columns `row_update_prep_gramian_op`,
    `initialize_row_update_op`, and the op of `update_row_factors`.

    Args:
        input_rows: The number of rows.
        input_cols: The number of columns.
        n_components: The number of factors.
        unobserved_weight: The weight of all elements.
        regularization: The weight of the squares of factors; None for none.
        row_init: The first factors of rows: "random", a tensor, a list of one for each shard, or a
            function that gives these.
        col_init: The same for columns.
        num_row_shards: In how many variables the factors of rows are.
        num_col_shards: In how many those of columns are.
        row_weights: The weights of rows: a number, a list of numbers for each shard, or None.
        col_weights: The same for columns; None if there are none of rows.
        use_factors_weights_cache: Whether the worker copies factors and weights before updates.
        use_gramian_cache: Whether it copies the products of the factors.
        use_scoped_vars: Whether each kind of variable is in a scope of nodes.

    Raises:
        AssertionError: There are weights of rows alone or of columns alone, or the number of shards
            is another one.
        ValueError: Weights have another form.
    """

    def __init__(
        self,
        input_rows: int,
        input_cols: int,
        n_components: int,
        unobserved_weight: float = 0.1,
        regularization: Optional[float] = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
        use_scoped_vars: bool = False,
    ) -> None:
        self._sizes = [input_rows, input_cols]
        self._n_components = n_components
        self._unobserved_weight, self._regularization = unobserved_weight, regularization
        assert (row_weights is None) == (col_weights is None)
        shards = [num_row_shards, num_col_shards]
        weights, factors = [], []
        for kind, size, count, given in zip(("row", "col"), self._sizes, shards,
                                            (row_weights, col_weights)):  # fmt: skip
            with scope_of(f"{kind}_weights", use_scoped_vars) as name:
                weights.append(make_weights(given, size, count, name))
        for kind, size, count, given in zip(("row", "col"), self._sizes, shards,
                                            (row_init, col_init)):  # fmt: skip
            with scope_of(f"{kind}_factors", use_scoped_vars) as name:
                factors.append(make_factors(given, size, n_components, count, name))
        gramians = [
            Variable(creation_ops.zeros([n_components] * 2), name=f"{kind}_gramian")
            for kind in ("row", "col")
        ]
        self._prepared = [prepare_gramian(factors[1], gramians[1], "row"),
                          prepare_gramian(factors[0], gramians[0], "col")]  # fmt: skip
        with name_scope("transient_vars"):
            keeps = use_factors_weights_cache
            factor_caches = [
                make_cache(each, f"{kind}_factors_cache", keeps)
                for kind, each in zip(("row", "col"), factors)
            ]
            weight_caches = [
                None if each is None else make_cache(each, f"{kind}_wt_cache", keeps)
                for kind, each in zip(("row", "col"), weights)
            ]
            gramian_caches = [
                make_cache(each, f"{kind}_gramian_cache", use_gramian_cache)
                for kind, each in zip(("row", "col"), gramians)
            ]
            fills = [each.fill for each in weight_caches if each is not None]
            self._worker_init = group(*fills, name="worker_init")
        self._rows, self._columns = (
            Side(self._sizes[i], factors[i], weights[i], gramians[i], factor_caches[i],
                  weight_caches[i], gramian_caches[i])
            for i in range(2)
        )  # fmt: skip
        self._row_updates_init = _switch(self._columns, self._rows)
        self._col_updates_init = _switch(self._rows, self._columns)

    @property
    def row_factors(self) -> List[Variable]:
        """The factors of rows, a variable for each shard."""
        return self._rows.factors

    @property
    def col_factors(self) -> List[Variable]:
        """The factors of columns, a variable for each shard."""
        return self._columns.factors

    @property
    def row_weights(self) -> Optional[List[Variable]]:
        """The weights of rows, a variable for each shard; None if there are none."""
        return self._rows.weights

    @property
    def col_weights(self) -> Optional[List[Variable]]:
        """The weights of columns, a variable for each shard; None if there are none."""
        return self._columns.weights

    @property
    def initialize_op(self) -> Operation:
        """An op that initializes the variables that all workers share."""
        sides = (self._rows, self._columns)
        shared = [*self._rows.factors, *self._columns.factors, *(side.gramian for side in sides)]
        return variables_initializer(shared + [w for side in sides for w in side.weights or []])

    @property
    def worker_init(self) -> Operation:
        """An op that a worker runs before all updates: it copies the weights."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> Operation:
        """An op that one worker runs before the updates of rows."""
        return self._prepared[0]

    @property
    def col_update_prep_gramian_op(self) -> Operation:
        """An op that one worker runs before the updates of columns."""
        return self._prepared[1]

    @property
    def initialize_row_update_op(self) -> Operation:
        """An op that each worker runs then, before its updates of rows."""
        return self._row_updates_init

    @property
    def initialize_col_update_op(self) -> Operation:
        """An op that each worker runs then, before its updates of columns."""
        return self._col_updates_init

    def update_row_factors(self, sp_input: Any = None, transpose_input: bool = False) -> _Update:
        """Updates the factors of rows.

        Args:
            sp_input: A SparseTensor of some rows of the matrix, with their numbers in it.
            transpose_input: Whether it is transposed.

        Returns:
            The factors of these rows, each once in the order of their first elements; an op that
            assigns them; the weighted squared error and the weighted squares of factors, of all
            rows, as far as these tell them; and the sum of weights.
        """
        return self._processed(self._rows, self._columns, sp_input, transpose_input, "row_update")

    def update_col_factors(self, sp_input: Any = None, transpose_input: bool = False) -> _Update:
        """Updates the factors of columns.

        Args:
            sp_input: A SparseTensor of some columns of the matrix, with their numbers in it.
            transpose_input: Whether it is transposed.

        Returns:
            As of `update_row_factors`.
        """
        flipped = not transpose_input
        return self._processed(self._columns, self._rows, sp_input, flipped, "col_update")

    def project_row_factors(
        self, sp_input: Any = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """The factors of rows that need not be in the matrix.

        Args:
            sp_input: A SparseTensor of rows, whose columns are those of the matrix.
            transpose_input: Whether it is transposed.
            projection_weights: The weights of the rows, a number or a vector; None for 1.

        Returns:
            The factors, a row for each row that has elements.
        """
        weights = 1 if projection_weights is None else projection_weights
        return self._processed(
            self._rows, self._columns, sp_input, transpose_input, "row_update", weights
        )[0]

    def project_col_factors(
        self, sp_input: Any = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """The factors of columns that need not be in the matrix.

        Args:
            sp_input: A SparseTensor of columns, whose rows are those of the matrix.
            transpose_input: Whether it is transposed.
            projection_weights: The weights of the columns, a number or a vector; None for 1.

        Returns:
            The factors, a row for each column that has elements.
        """
        weights = 1 if projection_weights is None else projection_weights
        flipped = not transpose_input
        return self._processed(
            self._columns, self._rows, sp_input, flipped, "col_update", weights
        )[0]

    def _processed(
        self, side: Side, other: Side, given: Any, transposed: bool, name: str,
        own_weights: Any = None,
    ) -> _Update:  # fmt: skip
        assert isinstance(given, SparseTensor)
        entries = entries_of(given, transposed)
        right = embedding_lookup(other.factors_cache.values, entries.columns, "div")
        right.set_shape([None, self._n_components])
        gramian = convert_to_tensor(other.gramian_cache.values)
        matrix = self._unobserved_weight * gramian
        if self._regularization is not None:
            matrix = matrix + self._regularization * eye(self._n_components)
        weights = None
        if side.weights_cache is not None and other.weights_cache is not None:
            if own_weights is None:
                of_rows = embedding_lookup(side.weights_cache.values, entries.rows, "div")
            else:
                of_rows = projection_weights(own_weights, entries.row_count)
            of_columns = embedding_lookup(other.weights_cache.values, entries.columns, "div")
            weights = Weights(of_rows, of_columns)
        left = solved(entries, right, matrix, self._unobserved_weight, weights)
        sharding = self._get_sharding_func(side.size, len(side.factors))
        update = self.scatter_update(side.factors, entries.rows, left, sharding, name)
        weighting = self._unobserved_weight, weights, self._regularization
        shape = side.size, other.size
        return (left, update, *losses(entries, left, right, gramian, weighting, shape))

    @staticmethod
    def _get_sharding_func(size: int, num_shards: int) -> Callable[[Tensor], Any]:
        """A function that gives for each number of a row its shard, and its number there."""

        def shard(ids: Tensor) -> Tuple[Optional[Tensor], Tensor]:
            if num_shards == 1:
                return None, ids
            each, longer = divmod(size, num_shards)
            shards = gen_ops.maximum(ids // (each + 1), (ids - longer) // each)
            is_longer = gen_ops.less(shards, longer)
            return shards, where_v2(is_longer, ids % (each + 1), (ids - longer) % each)

        return shard

    @classmethod
    def scatter_update(
        cls, factor: List[Variable], indices: Tensor, values: Tensor,
        sharding_func: Callable[[Tensor], Any], name: Optional[str] = None,
    ) -> Operation:  # fmt: skip
        """An op that assigns rows of a matrix that is in shards.

        Args:
            factor: The shards.
            indices: The numbers of the rows, [n].
            values: The rows, [n, k].
            sharding_func: Gives for numbers of rows the shards, and the numbers there.
            name: The name of the op.

        Returns:
            The operation.
        """
        label = name or "scatter_update"
        if len(factor) == 1:
            with get_default_graph().colocate_with(factor[0].op):
                return group(scatter_update(factor[0], indices, values), name=label)
        shards, rows = sharding_func(indices)
        shards = math_ops.cast(shards, dtypes.int32)
        count = len(factor)
        rows_of = raw_ops.DynamicPartition(rows, shards, num_partitions=count)
        values_of = raw_ops.DynamicPartition(values, shards, num_partitions=count)
        updates = [scatter_update(*each) for each in zip(factor, rows_of, values_of)]
        return group(*updates, name=label)


def _switch(fixed: Side, moved: Side) -> Operation:
    """An op that copies the side that stays, and drops the copies of the other one."""
    return group(
        fixed.factors_cache.fill, moved.factors_cache.drop, fixed.gramian_cache.fill,
        moved.gramian_cache.drop,
    )  # fmt: skip
