"""Helpers of trainings whose inputs are at times what the decoder has made, not what is given."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_uniform
from troupe._src.ops.space_ops import transposed
from troupe._src.seq2seq.helpers import TrainingHelper, array_of, drawn_ids, embedding_function
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


def _probability(given: TensorLike) -> Tensor:
    found = convert_to_tensor(given, dtypes.float32, name="sampling_probability")
    if found.shape.rank not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. "
            f"saw shape: {found.shape}"
        )
    return found


def _is_drawn(probability: Tensor, batch_size: Any, seed: Optional[int]) -> Tensor:
    """For each sequence, true with that probability."""
    drawn = random_uniform(array_ops.expand_dims(batch_size, 0), seed=seed)
    return gen_ops.less(drawn, probability)


def _rows(chosen: Tensor) -> Tensor:
    """The places of true, as of `gather_nd`."""
    return raw_ops.Where(input=chosen)


def _mixed(inputs: Tensor, chosen: Tensor, made: Callable[[Tensor], Any]) -> Tensor:
    """The inputs with other rows where `chosen` is true: those that are made for their places."""
    places, others = _rows(chosen), _rows(gen_ops.logical_not(chosen))
    shape = array_ops.shape(inputs, out_type=dtypes.int64)
    new = raw_ops.ScatterNd(indices=places, updates=made(places), shape=shape)
    kept = raw_ops.ScatterNd(
        indices=others, updates=gen_ops.gather_nd(inputs, others), shape=shape
    )
    mixed = new + kept
    mixed.set_shape(inputs.shape)
    return mixed


@set_module("troupe.contrib.seq2seq")
class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A `TrainingHelper` some of whose inputs are embeddings of what is drawn from the outputs.

    Its choices are what was drawn, and -1 for sequences whose next input is the given one.

    Args:
        inputs: As of `TrainingHelper`, and so are the lengths and the time.
        sequence_length: The steps of each sequence.
        embedding: A function of numbers, [batch], or the tables of `tf.nn.embedding_lookup`.
        sampling_probability: How probably an input is drawn, a scalar or [batch].
        time_major: Whether inputs are [time, batch, ...].
        seed: The seed of the draws.
        scheduling_seed: The seed of whether to draw.
        name: The scope of its nodes.

    Raises:
        ValueError: The probability has another rank.
    """

    def __init__(
        self, inputs: Any, sequence_length: TensorLike, embedding: Any,
        sampling_probability: TensorLike, time_major: bool = False, seed: Optional[int] = None,
        scheduling_seed: Optional[int] = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._embed = embedding_function(embedding)
        self._probability = _probability(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or "ScheduledEmbeddingTrainingHelperSample"):
            drawn = _is_drawn(self._probability, self.batch_size, self._scheduling_seed)
            ids = drawn_ids(outputs, self._seed)
            return selection_ops.where(drawn, ids, creation_ops.fill(array_ops.shape(ids), -1))

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None,
        name: Optional[str] = None,
    ) -> Any:  # fmt: skip
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids, name)

        def embedded(places: Tensor) -> Any:
            return self._embed(gen_ops.gather_nd(sample_ids, places))

        inputs = cond(
            math_ops.reduce_all(finished),
            lambda: given,
            lambda: _mixed(given, gen_ops.greater(sample_ids, -1), embedded),
        )
        return finished, inputs, state


@set_module("troupe.contrib.seq2seq")
class ScheduledOutputTrainingHelper(TrainingHelper):
    """A `TrainingHelper` some of whose inputs are the outputs of the step before.

    Its choices are 1 for sequences whose next input is their output, and 0 for others.

    Args:
        inputs: As of `TrainingHelper`, and so are the lengths and the time.
        sequence_length: The steps of each sequence.
        sampling_probability: How probably an input is an output, a scalar or [batch].
        time_major: Whether inputs are [time, batch, ...].
        seed: The seed of that.
        next_inputs_fn: Of outputs, [some, ...]; gives inputs, by default the outputs.
        auxiliary_inputs: What all inputs, given ones and outputs, have behind them.
        name: The scope of its nodes.

    Raises:
        ValueError: The probability has another rank.
    """

    def __init__(
        self, inputs: Any, sequence_length: TensorLike, sampling_probability: TensorLike,
        time_major: bool = False, seed: Optional[int] = None,
        next_inputs_fn: Optional[Callable[[Any], Any]] = None, auxiliary_inputs: Any = None,
        name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._probability = _probability(sampling_probability)
        self._seed, self._next_inputs_fn, self._auxiliary = seed, next_inputs_fn, None
        if auxiliary_inputs is not None:
            extra = nest.map_structure(convert_to_tensor, auxiliary_inputs)
            inputs = nest.map_structure(lambda *both: array_ops.concat(both, -1), inputs, extra)
            by_time = extra if time_major else nest.map_structure(transposed, extra)
            self._auxiliary = nest.map_structure(array_of, by_time)
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or "ScheduledOutputTrainingHelperSample"):
            drawn = _is_drawn(self._probability, self.batch_size, self._seed)
            return math_ops.cast(drawn, dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None,
        name: Optional[str] = None,
    ) -> Any:  # fmt: skip
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids, name)
        drawn = math_ops.cast(sample_ids, dtypes.bool_)

        def made(places: Tensor) -> Any:
            found = gen_ops.gather_nd(outputs, places)
            if self._next_inputs_fn is not None:
                found = self._next_inputs_fn(found)
            if self._auxiliary is None:
                return found
            extra = gen_ops.gather_nd(self._auxiliary.read(time + 1), places)
            return array_ops.concat([found, extra], -1)

        is_given = gen_ops.logical_or(
            math_ops.reduce_all(finished), gen_ops.logical_not(math_ops.reduce_any(drawn))
        )
        inputs = cond(is_given, lambda: given, lambda: _mixed(given, drawn, made))
        return finished, inputs, state
