"""What chooses from the outputs of a decoder, and gives it the inputs of the next step."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import multinomial
from troupe._src.ops.space_ops import transposed
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import TensorShape, as_shape


@set_module("troupe.contrib.seq2seq")
class Helper:
    """What a `BasicDecoder` asks for choices and inputs."""

    @property
    def batch_size(self) -> Any:
        """The number of sequences, a tensor."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of the choice for a sequence."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of choices."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: Optional[str] = None) -> Any:
        """(finished, inputs) of the first step."""
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """What is chosen from the outputs of a step.

        Args:
            time: The number of the step, an int32 scalar, from 0.
            outputs: The outputs of the decoder's cell or layer in that step, [batch, ...].
            state: The state of the cell behind that step.

        Returns:
            A choice for each sequence, [batch] and `sample_ids_shape`, of `sample_ids_dtype`.
        """
        raise NotImplementedError

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Any:
        """What the next step begins with.

        Args:
            time: The number of the step, an int32 scalar, from 0.
            outputs: The outputs of the decoder's cell or layer in that step, [batch, ...].
            state: The state of the cell behind that step.
            sample_ids: What was chosen in that step.

        Returns:
            (finished, inputs, state): which sequences have ended, bool [batch], the inputs of the
            next step, [batch, ...], and its state.
        """
        raise NotImplementedError


@set_module("troupe.contrib.seq2seq")
class CustomHelper(Helper):
    """A helper of functions.

    Args:
        initialize_fn: Gives (finished, inputs) of the first step.
        sample_fn: Of `time`, `outputs` and `state`; gives the choices.
        next_inputs_fn: Of `time`, `outputs`, `state` and `sample_ids`; gives (finished, inputs,
            state).
        sample_ids_shape: The shape of the choice for a sequence, by default that of a scalar.
        sample_ids_dtype: Its dtype, by default int32.
    """

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Optional[DTypeLike] = None,
    ) -> None:
        self._initialize, self._sample, self._next_inputs = initialize_fn, sample_fn, next_inputs_fn
        self._shape = as_shape([] if sample_ids_shape is None else sample_ids_shape)
        self._dtype = as_dtype(sample_ids_dtype or dtypes.int32)
        self._batch_size: Any = None

    @property
    def batch_size(self) -> Any:
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._dtype

    def initialize(self, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or f"{type(self).__name__}Sample"):
            return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Any:
        with get_default_graph().name_scope(name or f"{type(self).__name__}NextInputs"):
            return self._next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


class _IdHelper(Helper):
    """A helper that chooses a number for each sequence."""

    @property
    def sample_ids_shape(self) -> Any:
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        return dtypes.int32


@set_module("troupe.contrib.seq2seq")
class TrainingHelper(_IdHelper):
    """A helper whose inputs are given; it chooses the number of the greatest output.

    Args:
        inputs: [batch, time, ...], or nested ones.
        sequence_length: The steps of each sequence, [batch].
        time_major: Whether inputs are [time, batch, ...].
        name: The scope of its nodes.

    Raises:
        ValueError: The lengths are no vector.
    """

    def __init__(
        self, inputs: Any, sequence_length: TensorLike, time_major: bool = False,
        name: Optional[str] = None,
    ) -> None:  # fmt: skip
        with get_default_graph().name_scope(name or "TrainingHelper"):
            self._inputs = nest.map_structure(convert_to_tensor, inputs)
            by_time = self._inputs if time_major else nest.map_structure(transposed, self._inputs)
            self._arrays = nest.map_structure(array_of, by_time)
            self._lengths = convert_to_tensor(sequence_length, name="sequence_length")
            if self._lengths.shape.rank != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._lengths.shape}"
                )
            self._zeros = nest.map_structure(lambda each: creation_ops.zeros_like(each[0]), by_time)
            self._batch_size = array_ops.size(self._lengths)

    @property
    def inputs(self) -> Any:
        """The given inputs, as tensors."""
        return self._inputs

    @property
    def sequence_length(self) -> Tensor:
        """The steps of each sequence, [batch]."""
        return self._lengths

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    def initialize(self, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or "TrainingHelperInitialize"):
            finished = gen_ops.equal(self._lengths, 0)
            return finished, self._read(0, finished)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or "TrainingHelperSample"):
            return reduction_ops.argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None,
        name: Optional[str] = None,
    ) -> Any:  # fmt: skip
        with get_default_graph().name_scope(name or "TrainingHelperNextInputs"):
            finished = gen_ops.greater_equal(time + 1, self._lengths)
            return finished, self._read(time + 1, finished), state

    def _read(self, time: Any, finished: Tensor) -> Any:
        """The inputs of a time, which may be behind their end when all sequences are finished."""
        return cond(
            math_ops.reduce_all(finished),
            lambda: self._zeros,
            lambda: nest.map_structure(lambda array: array.read(time), self._arrays),
        )


def array_of(tensor: Tensor) -> TensorArray:
    """The steps of a tensor [time, ...]."""
    array = TensorArray(
        tensor.dtype, size=array_ops.shape(tensor)[0], element_shape=tensor.shape[1:]
    )
    return array.unstack(tensor)


def embedding_function(embedding: Any) -> Callable[[Any], Any]:
    """A function, or the look-up of the rows of a table."""
    if callable(embedding):
        function: Callable[[Any], Any] = embedding
        return function
    return lambda ids: embedding_lookup(embedding, ids)


def drawn_ids(logits: Tensor, seed: Optional[int]) -> Tensor:
    """A class for each row of [batch, classes] of logits, as int32."""
    return array_ops.squeeze(multinomial(logits, 1, seed, output_dtype=dtypes.int32), [1])


@set_module("troupe.contrib.seq2seq")
class GreedyEmbeddingHelper(_IdHelper):
    """A helper that chooses the number of the greatest output, whose embedding is the next input.

    Args:
        embedding: A function of numbers, [batch], or the tables of `tf.nn.embedding_lookup`.
        start_tokens: The numbers of the first inputs, [batch].
        end_token: The number that ends a sequence, a scalar.

    Raises:
        ValueError: The first ones are no vector, or the end is no scalar.
    """

    def __init__(self, embedding: Any, start_tokens: TensorLike, end_token: TensorLike) -> None:
        self._embed = embedding_function(embedding)
        self._start = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._start.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = array_ops.size(self._start)
        self._first = self._embed(self._start)

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    def initialize(self, name: Optional[str] = None) -> Any:
        return creation_ops.zeros_like(self._start, dtypes.bool_), self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return reduction_ops.argmax(_single(outputs), axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Any:
        finished = gen_ops.equal(sample_ids, self._end)
        inputs = cond(
            math_ops.reduce_all(finished), lambda: self._first, lambda: self._embed(sample_ids)
        )
        return finished, inputs, state


def _single(outputs: Any) -> Tensor:
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return outputs


@set_module("troupe.contrib.seq2seq")
class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """A helper that draws from the outputs as logits; the embedding is the next input.

    Args:
        embedding: As of `GreedyEmbeddingHelper`, and so are the next two.
        start_tokens: The numbers of the first inputs.
        end_token: The number that ends a sequence.
        softmax_temperature: Divides the logits: below 1 greater ones are drawn more often.
        seed: The seed of the draws.
    """

    def __init__(
        self, embedding: Any, start_tokens: TensorLike, end_token: TensorLike,
        softmax_temperature: Any = None, seed: Optional[int] = None,
    ) -> None:  # fmt: skip
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        logits = _single(outputs)
        if self._temperature is not None:
            logits = logits / self._temperature
        return drawn_ids(logits, self._seed)


@set_module("troupe.contrib.seq2seq")
class InferenceHelper(Helper):
    """A helper whose choices, ends and inputs are functions.

    Args:
        sample_fn: Of the outputs; gives the choices.
        sample_shape: The shape of the choice for a sequence.
        sample_dtype: Its dtype.
        start_inputs: The first inputs, [batch, ...].
        end_fn: Of the choices; says which sequences they end, [batch].
        next_inputs_fn: Of the choices; gives the inputs, by default the choices themselves.
    """

    def __init__(
        self, sample_fn: Callable[[Any], Any], sample_shape: Any, sample_dtype: DTypeLike,
        start_inputs: TensorLike, end_fn: Callable[[Any], Any],
        next_inputs_fn: Optional[Callable[[Any], Any]] = None,
    ) -> None:  # fmt: skip
        self._sample, self._ends, self._next_inputs = sample_fn, end_fn, next_inputs_fn
        self._shape, self._dtype = as_shape(sample_shape), as_dtype(sample_dtype)
        self._first = convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = array_ops.shape(self._first)[0]

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._dtype

    def initialize(self, name: Optional[str] = None) -> Any:
        return creation_ops.fill([self._batch_size], False), self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return self._sample(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Any:
        inputs = sample_ids if self._next_inputs is None else self._next_inputs(sample_ids)
        return self._ends(sample_ids), inputs, state
