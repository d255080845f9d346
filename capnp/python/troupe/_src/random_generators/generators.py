"""Generators: random numbers whose state is the value of a variable."""

from __future__ import annotations

from typing import Any, List, Optional, Union

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.module_scopes.checkpointable import Checkpointable
from troupe._src.ops import array_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.random_generators.states import (
    PHILOX,
    create_rng_state,
    joined_state,
    state_size,
    state_tensor,
)
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables.variable import Variable


def _sizes(shape: Any) -> Tensor:
    is_scalar = isinstance(shape, (tuple, list)) and not shape
    return convert_to_tensor(shape, dtypes.int64 if is_scalar else None, name="shape")


@set_module("troupe.random.experimental")
class Generator(Checkpointable):
    """Random numbers of an algorithm, whose state is a variable: each draw moves it on.

    The variable gets its value by its initializer, as others do. Numbers are those of TensorFlow
    for the same state. The methods that draw return tensors, and move the state on in each step
    that computes them. A kernel has Philox alone.

    Args:
        copy_from: A generator whose state and algorithm the new one begins with.
        state: int64, [numbers of a state]: the counter, then the key.
        alg: 1 for Philox, 2 for ThreeFry.
    """

    def __init__(
        self, copy_from: Optional[Generator] = None, state: Any = None, alg: Optional[int] = None
    ) -> None:
        if copy_from is not None:
            assert alg is None and state is None
            initial: Any = copy_from.state.read_value()
            self._alg_var = copy_from.algorithm
        else:
            assert alg is not None and state is not None
            initial = state_tensor(state)
            initial.shape.assert_is_compatible_with([state_size(alg)])
            self._alg_var = alg
        self._state_var = Variable(
            initial, dtype=dtypes.int64, trainable=False, use_resource=True
        )

    @classmethod
    def from_state(cls, state: Any, alg: int) -> Generator:
        """Makes a generator of a state.

        Args:
            state: int64, [numbers of a state]: the counter, then the key.
            alg: 1 for Philox, 2 for ThreeFry.

        Returns:
            The generator.
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: Any, alg: Optional[int] = None) -> Generator:
        """Makes a generator of a seed.

        Args:
            seed: As of `create_rng_state`.
            alg: 1 for Philox, the default, 2 for ThreeFry.

        Returns:
            The generator.
        """
        algorithm = PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, algorithm), alg=algorithm)

    @classmethod
    def from_non_deterministic_state(cls, alg: Optional[int] = None) -> Generator:
        """Makes a generator of a state that nobody can tell beforehand.

        Args:
            alg: 1 for Philox, the default, 2 for ThreeFry.

        Returns:
            The generator.
        """
        algorithm = PHILOX if alg is None else alg
        size = [state_size(algorithm)]
        state = raw_ops.NonDeterministicInts(shape=size, dtype=dtypes.int64)
        return cls(state=state, alg=algorithm)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: int) -> Generator:
        """Makes a generator of a key and a counter.

        Args:
            key: The last number of a state.
            counter: The numbers of a state before the key.
            alg: 1 for Philox, 2 for ThreeFry.

        Returns:
            The generator.
        """
        return cls(state=joined_state(key, counter, alg), alg=alg)

    def reset(self, state: Any) -> None:
        """Adds an op that assigns the state. It runs where control flow says so, or at once in
        eager execution.

        Args:
            state: int64, [numbers of a state]: the counter, then the key.
        """
        numbers = state_tensor(state)
        numbers.shape.assert_is_compatible_with([state_size(self.algorithm)])
        self._state_var.assign(numbers)

    def reset_from_seed(self, seed: Any) -> None:
        """As `reset`, to the state that `create_rng_state` makes of a seed.

        Args:
            seed: As of `create_rng_state`.
        """
        self._state_var.assign(create_rng_state(seed, self.algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """As `reset`, to a key and a counter.

        Args:
            key: The last number of a state.
            counter: The numbers of a state before the key.
        """
        self._state_var.assign(joined_state(key, counter, self.algorithm))

    @property
    def state(self) -> Variable:
        """The variable that has the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """1 for Philox, 2 for ThreeFry."""
        return self._alg_var

    @property
    def key(self) -> Tensor:
        """The key, the last number of the state."""
        state_size(self.algorithm)
        key: Tensor = self._state_var[-1]
        return key

    def skip(self, delta: TensorLike) -> Operation:
        """Adds an op that moves the state on as `delta` drawn numbers do.

        Args:
            delta: A whole number.

        Returns:
            The operation.
        """
        return raw_ops.RngSkip(
            resource=self.state.handle, algorithm=self._algorithm(), delta=state_tensor(delta)
        )

    def _algorithm(self) -> Tensor:
        return convert_to_tensor(self.algorithm, dtypes.int64)

    def _draw(self, op: Any, shape: Any, **others: Any) -> Tensor:
        drawn: Tensor = op(
            resource=self.state.handle, algorithm=self._algorithm(), shape=_sizes(shape), **others
        )
        return drawn

    def _scaled(self, op: Any, scope: str, shape: Any, moments: Any, dtype: DTypeLike) -> Tensor:
        with get_default_graph().name_scope(scope) as full:
            mean, stddev = (convert_to_tensor(value, as_dtype(dtype)) for value in moments)
            drawn = self._draw(op, shape, dtype=as_dtype(dtype))
            return math_ops.add(drawn * stddev, mean, name=full)

    def normal(
        self, shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32, name: Optional[str] = None,
    ) -> Tensor:
        """Normal numbers.

        Args:
            shape: The sizes, also as a tensor of int32 or int64.
            mean: A number, or a tensor that broadcasts with the shape.
            stddev: As `mean`.
            dtype: Floating.
            name: The name of the node.

        Returns:
            A tensor of that shape and dtype.
        """
        op, scope = raw_ops.StatefulStandardNormalV2, name or "stateful_normal"
        return self._scaled(op, scope, shape, (mean, stddev), dtype)

    def truncated_normal(
        self, shape: ShapeLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32, name: Optional[str] = None,
    ) -> Tensor:
        """Normal numbers, of which those beyond two deviations are drawn again.

        Args:
            shape: The sizes, also as a tensor of int32 or int64.
            mean: A number, or a tensor that broadcasts with the shape.
            stddev: As `mean`.
            dtype: Floating.
            name: The name of the node.

        Returns:
            A tensor of that shape and dtype.
        """
        op, scope = raw_ops.StatefulTruncatedNormal, name or "truncated_normal"
        return self._scaled(op, scope, shape, (mean, stddev), dtype)

    def uniform(
        self, shape: ShapeLike, minval: TensorLike = 0, maxval: Optional[TensorLike] = None,
        dtype: DTypeLike = dtypes.float32, name: Optional[str] = None,
    ) -> Tensor:
        """Numbers drawn evenly from [minval, maxval).

        Args:
            shape: The sizes, also as a tensor of int32 or int64.
            minval: A scalar of the dtype.
            maxval: As `minval`; 1 by default for floats.
            dtype: Floating, int32 or int64.
            name: The name of the node.

        Returns:
            A tensor of that shape and dtype.

        Raises:
            ValueError: Whole numbers need `maxval`.
        """
        wanted = as_dtype(dtype)
        if maxval is None and wanted.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {wanted!r}")
        with get_default_graph().name_scope(name or "stateful_uniform") as full:
            low = convert_to_tensor(minval, wanted)
            high = convert_to_tensor(1 if maxval is None else maxval, wanted)
            if wanted.is_integer:
                op = raw_ops.StatefulUniformInt
                return self._draw(op, shape, minval=low, maxval=high, name=full)
            drawn = self._draw(raw_ops.StatefulUniform, shape, dtype=wanted)
            return math_ops.add(drawn * (high - low), low, name=full)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: Optional[str] = None
    ) -> Tensor:
        """Whole numbers drawn evenly from all of a dtype.

        Args:
            shape: The sizes, also as a tensor of int32 or int64.
            dtype: int32, int64, uint32 or uint64.
            name: The name of the node.

        Returns:
            A tensor of that shape and dtype.
        """
        with get_default_graph().name_scope(name or "stateful_uniform_full_int") as full:
            op = raw_ops.StatefulUniformFullInt
            return self._draw(op, shape, dtype=as_dtype(dtype), name=full)

    def binomial(
        self, shape: ShapeLike, counts: TensorLike, probs: TensorLike,
        dtype: DTypeLike = dtypes.int32, name: Optional[str] = None,
    ) -> Tensor:
        """How many of some trials succeed.

        Args:
            shape: The sizes, also as a tensor of int32 or int64.
            counts: How many trials: floats, a scalar or a vector of one for each of the first
                dimension.
            probs: The probability that one succeeds, as `counts`.
            dtype: float16, float32, float64, int32 or int64.
            name: The name of the node.

        Returns:
            A tensor of that shape and dtype.
        """
        with get_default_graph().name_scope(name or "binomial") as full:
            trials, chances = convert_to_tensor(counts), convert_to_tensor(probs)
            return self._draw(
                raw_ops.StatefulRandomBinomial, shape, counts=trials, probs=chances,
                dtype=as_dtype(dtype), name=full,
            )  # fmt: skip

    def _keys(self, count: Union[int, Tensor]) -> Tensor:
        state_size(self.algorithm)
        return self.uniform_full_int(shape=[count], dtype=dtypes.int64)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Draws seeds for stateless ops.

        Args:
            count: How many.

        Returns:
            int64, [2, count]: pairs, the second of each 0.
        """
        keys = self._keys(count)
        return array_ops.stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> List[Generator]:
        """Makes generators of keys that this one draws, where tensors have values: in eager
        execution.

        Args:
            count: How many.

        Returns:
            The generators, in a list.
        """
        keys: Any = self._keys(count)
        zeros = [0] * (state_size(self.algorithm) - 1)
        return [
            Generator(state=zeros + [int(key)], alg=self.algorithm) for key in keys.numpy()
        ]


class _Global:
    generator: Optional[Generator] = None


@set_module("troupe.random.experimental")
def get_global_generator() -> Generator:
    """The generator that `set_global_generator` was given, or one that the first call makes, of a
    state that nobody can tell beforehand."""
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


@set_module("troupe.random.experimental")
def set_global_generator(generator: Generator) -> None:
    """Makes a generator what `get_global_generator` returns.

    Args:
        generator: The generator.
    """
    _Global.generator = generator
