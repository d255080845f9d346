"""The variables of weighted alternating least squares, and their copies on a worker."""

from __future__ import annotations

import contextlib
import numbers
from typing import Any, Iterator, List, NamedTuple, Optional

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.assert_ops import assert_less_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.random.random_ops import random_normal
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable import Variable


class Cache(NamedTuple):
    """A copy of variables on the worker."""

    values: Any
    fill: Any
    drop: Any


class Side(NamedTuple):
    """The rows, or the columns."""

    size: int
    factors: List[Variable]
    weights: Optional[List[Variable]]
    gramian: Variable
    factors_cache: Cache
    weights_cache: Optional[Cache]
    gramian_cache: Cache


@contextlib.contextmanager
def scope_of(name: str, is_entered: bool) -> Iterator[str]:
    """A scope of nodes of that name, if it is entered."""
    with name_scope(name) if is_entered else contextlib.nullcontext():
        yield name


def shard_sizes(size: int, count: int) -> List[int]:
    """How many rows each of the shards has: the first ones one more, if they differ."""
    each, longer = divmod(size, count)
    return [each + 1] * longer + [each] * (count - longer)


def make_factors(given: Any, size: int, components: int, count: int, name: str) -> List[Variable]:
    """The variables of factors, one for each shard."""
    given = given() if callable(given) else given
    is_random = isinstance(given, str) and given == "random"
    if isinstance(given, list):
        assert len(given) == count
    elif not is_random and count == 1:
        given = [given]
    made = []
    for i, rows in enumerate(shard_sizes(size, count)):

        def first(i: int = i, rows: int = rows) -> Any:
            return random_normal([rows, components]) if is_random else given[i]

        made.append(Variable(first, dtype=dtypes.float32, name=f"{name}_shard_{i}"))
    return made


def make_weights(given: Any, size: int, count: int, name: str) -> Optional[List[Variable]]:
    """The variables of weights, one for each shard; None if there are none."""
    if given is None:
        return None
    is_number = isinstance(given, numbers.Real)
    if is_number and given < 0 or not is_number and not hasattr(given, "__iter__"):
        raise ValueError(
            "Invalid weight initialization argument. Must be one of these: None, a real "
            "non-negative real number, or a list of lists of non-negative real numbers (or "
            "equivalent iterables) corresponding to sharded factors."
        )
    if not is_number:
        given = [given] if count == 1 and len(given) == size else given
        assert len(given) == count
    made = []
    for i, rows in enumerate(shard_sizes(size, count)):

        def first(i: int = i, rows: int = rows) -> Any:
            return given * creation_ops.ones([rows]) if is_number else given[i]

        made.append(Variable(first, dtype=dtypes.float32, name=f"{name}_shard_{i}"))
    return made


def prepare_gramian(factors: List[Variable], gramian: Variable, kind: str) -> Operation:
    """An op that assigns the sum of the products of the factors."""
    graph = get_default_graph()
    with name_scope(f"{kind}_prepare_gramian"):
        parts = []
        for factor in factors:
            with graph.colocate_with(factor.op):
                parts.append(math_ops.matmul(factor, factor, transpose_a=True))
        with graph.colocate_with(gramian.op):
            return group(assign(gramian, add_n(parts)))


def make_cache(shared: Any, name: str, is_copied: bool) -> Cache:
    """A copy of a variable, or of several; or these themselves."""
    if not is_copied:
        return Cache(shared, no_op(), no_op())
    if isinstance(shared, Variable):
        cache = _local(name)
        return Cache(cache, _assigned(cache, shared), _assigned(cache, 1.0))
    caches = [_local(f"{name}_shard_{i}") for i in range(len(shared))]
    fill: Any = None
    for cache, variable in zip(caches, shared):
        # One after the other, so that there are few values at a time.
        with control_dependencies([] if fill is None else [fill]):
            fill = _assigned(cache, variable)
    return Cache(caches, fill, group(*(_assigned(cache, 1.0) for cache in caches)))


def _local(name: str) -> Variable:
    return Variable(
        1.0,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=False,
        name=name,
    )


def _assigned(cache: Variable, value: Any) -> Operation:
    with get_default_graph().colocate_with(cache.op):
        return group(assign(cache, convert_to_tensor(value), validate_shape=False))


def projection_weights(given: Any, count: Tensor) -> Tensor:
    """The weights of rows that are projected, from a number or a vector."""
    weights = math_ops.cast(convert_to_tensor(given), dtypes.float32)
    rank = array_ops.rank(weights)
    with control_dependencies([assert_less_equal(rank, 1)]):
        rows = array_ops.reshape(count, [1])
        found: Tensor = cond(
            gen_ops.equal(rank, 0),
            lambda: creation_ops.ones(rows) * weights,
            lambda: gen_ops.identity(weights),
        )
    return found
