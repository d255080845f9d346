"""A cell that pays attention to memories."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.layers.core import Dense
from troupe._src.ops import array_ops, creation_ops, math_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.rnn.cell import RNNCell, assert_like_rnncell, initial_state
from troupe._src.rnn.sizes import zeros_of
from troupe._src.seq2seq.attention import AttentionMechanism
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape

_ADVICE = (
    "Are you using the BeamSearchDecoder? You may need to tile what comes from the encoder via "
    "the tf.contrib.seq2seq.tile_batch function with argument multiplier=beam_width."
)


class _StateFields(NamedTuple):
    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any


@set_module("troupe.contrib.seq2seq")
class AttentionWrapperState(_StateFields):
    """The state of an `AttentionWrapper`: that of its cell, and what the last step attended to.

    `alignments`, `attention_state` and `alignment_history`, a TensorArray or (), are tuples where
    the wrapper has a list of mechanisms.
    """

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """This state with other fields, whose tensors have the shapes of these.

        Args:
            **kwargs: The other fields, by their names.

        Returns:
            The new state.

        Raises:
            ValueError: A shape is another one.
        """
        cloned: AttentionWrapperState = nest.map_structure(_like, self, self._replace(**kwargs))
        return cloned


def _like(old: Any, new: Any) -> Any:
    if isinstance(old, Tensor) and isinstance(new, Tensor):
        if not old.shape.is_compatible_with(new.shape):
            raise ValueError(
                "The shape of the AttentionWrapperState is expected to be same as the one to "
                f"clone. self.shape: {old.shape}, input.shape: {new.shape}"
            )
        new.set_shape(old.shape)
    return new


def compute_attention(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> Any:
    """What a mechanism attends to.

    Args:
        attention_mechanism: The mechanism.
        cell_output: The output of the cell, with which it asks.
        attention_state: Its state.
        attention_layer: A layer of the output and the attention, or None.

    Returns:
        (attention, alignments, next state): the aligned sum of the values, behind the layer.
    """
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    product = math_ops.matmul(array_ops.expand_dims(alignments, 1), attention_mechanism.values)
    context = array_ops.squeeze(product, [1])
    if attention_layer is not None:
        context = attention_layer(array_ops.concat([cell_output, context], 1))
    return context, alignments, next_state


@set_module("troupe.contrib.seq2seq")
class AttentionWrapper(RNNCell):
    """A cell whose inputs have the attention of the step before, too.

    Args:
        cell: The cell.
        attention_mechanism: An `AttentionMechanism`, or a list of them; then the next one and
            `attention_layer` are lists, too.
        attention_layer_size: The size of a layer of the cell's output and what is attended to,
            which makes the attention. By default it is what is attended to.
        alignment_history: Whether the state has the alignments of all steps in a TensorArray.
        cell_input_fn: Of inputs and the last attention; gives the inputs of the cell, by default
            both side by side.
        output_attention: Whether the output is the attention, not that of the cell.
        initial_cell_state: The state of the cell in `zero_state`.
        name: The name of the layer.
        attention_layer: Or the layer itself.
        attention_fn: Of mechanism, output of the cell, state of the mechanism, and layer; gives
            (attention, alignments, next state).
        dtype: The dtype of the cell.

    Raises:
        TypeError: An argument is of another class.
        ValueError: Lists have other lengths, or both a layer and its size are given.
    """

    def __init__(
        self, cell: Any, attention_mechanism: Any, attention_layer_size: Any = None,
        alignment_history: bool = False, cell_input_fn: Optional[Callable[..., Any]] = None,
        output_attention: bool = True, initial_cell_state: Any = None,
        name: Optional[str] = None, attention_layer: Any = None,
        attention_fn: Optional[Callable[..., Any]] = None, dtype: Optional[DTypeLike] = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        assert_like_rnncell("cell", cell)
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(
                f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}"
            )
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._attention_mechanisms = _checked_mechanisms(attention_mechanism)
        self._cell, self._attention_fn = cell, attention_fn or compute_attention
        self._cell_input_fn = cell_input_fn or (lambda *both: array_ops.concat(both, -1))
        self._output_attention, self._alignment_history = output_attention, alignment_history
        self._attention_layers = self._made_layers(attention_layer_size, attention_layer)
        self._attention_layer_size = sum(self._size_of(*each) for each in self._with_layers())
        with get_default_graph().name_scope(name or "AttentionWrapperInit"):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                last = nest.flatten(initial_cell_state)[-1]
                self._initial_cell_state = self._checked(
                    initial_cell_state, last.shape[0].value or array_ops.shape(last)[0]
                )

    def _made_layers(self, sizes: Any, layers: Any) -> Optional[Tuple[Any, ...]]:
        """A layer for each mechanism, or None."""
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        if sizes is None and layers is None:
            return None
        given = layers if sizes is None else sizes
        found = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        if len(found) != len(self._attention_mechanisms):
            raise ValueError(
                "If provided, attention_layer_size and attention_layer must contain exactly one "
                f"for each attention_mechanism, saw: {len(found)} vs "
                f"{len(self._attention_mechanisms)}"
            )
        if sizes is None:
            return found
        return tuple(
            Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
            for size, mechanism in zip(found, self._attention_mechanisms)
        )

    def _with_layers(self) -> List[Tuple[Any, Any]]:
        """Each mechanism with its layer, or None."""
        layers = self._attention_layers or (None,) * len(self._attention_mechanisms)
        return list(zip(self._attention_mechanisms, layers))

    def _size_of(self, mechanism: Any, layer: Any) -> int:
        """The size of the attention of a mechanism."""
        size = mechanism.values.shape[-1].value
        if layer is None:
            return int(size)
        shape = layer.compute_output_shape(TensorShape([None, self._cell.output_size + size]))
        return int(shape[-1].value)

    def _checked(self, state: Any, batch_size: Any) -> Any:
        """A state, after a check that the memories have as many examples."""
        text = (
            f"AttentionWrapper {self.name}: Non-matching batch sizes between the memory "
            f"(encoder output) and the state or output of the cell. {_ADVICE}"
        )
        with get_default_graph().control_dependencies(self._batch_size_checks(batch_size, text)):
            return nest.map_structure(array_ops.identity, state)

    def _batch_size_checks(self, batch_size: Any, error_message: str) -> List[Any]:
        return [
            assert_equal(batch_size, mechanism.batch_size, message=error_message)
            for mechanism in self._attention_mechanisms
        ]

    def _item_or_tuple(self, values: Any) -> Any:
        """The value for the mechanism, or a tuple of those for a list of them."""
        found = tuple(values)
        return found if self._is_multi else found[0]

    @property
    def output_size(self) -> Any:
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        sizes = [mechanism.alignments_size for mechanism in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(sizes),
            attention_state=self._item_or_tuple(
                each.state_size for each in self._attention_mechanisms
            ),
            alignment_history=self._item_or_tuple(
                size if self._alignment_history else () for size in sizes
            ),
        )

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> AttentionWrapperState:
        """The state before the first step.

        Args:
            batch_size: The number of examples, an int or a tensor, which is that of the memories.
            dtype: The dtype of the state.

        Returns:
            An AttentionWrapperState.

        Raises:
            ValueError: The memories have another number of examples; or it is an
                InvalidArgumentError of the step.
        """
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            state = self._initial_cell_state
            if state is None:
                state = initial_state(self._cell, batch_size, dtype)
            mechanisms = self._attention_mechanisms
            alignments = [each.initial_alignments(batch_size, dtype) for each in mechanisms]
            states = [each.initial_state(batch_size, dtype) for each in mechanisms]
            histories = [
                TensorArray(dtype, size=0, dynamic_size=True, element_shape=each.shape)
                if self._alignment_history
                else ()
                for each in alignments
            ]
            return AttentionWrapperState(
                cell_state=self._checked(state, batch_size),
                time=creation_ops.zeros([], dtypes.int32),
                attention=zeros_of(batch_size, self._attention_layer_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(states),
                alignment_history=self._item_or_tuple(histories),
            )

    def call(self, inputs: Any, state: Any) -> Any:
        """A step of the cell, and of the attention to what it gives.

        Args:
            inputs: The inputs of the step, [batch, ...].
            state: The AttentionWrapperState of the step before.

        Returns:
            (output, next state); the output is the attention, [batch, sizes of the layers], or
            with `output_attention=False` that of the cell.

        Raises:
            TypeError: The state is none of an AttentionWrapper.
            ValueError: The memories have another number of examples; or it is an
                InvalidArgumentError of the step.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        output = self._checked(output, output.shape[0].value or array_ops.shape(output)[0])
        states, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            states, histories = [states], [histories]
        found = [
            self._attention_fn(mechanism, output, each, layer)
            for (mechanism, layer), each in zip(self._with_layers(), states)
        ]
        attentions, alignments, next_states = zip(*found)
        attention = array_ops.concat(attentions, 1)
        next_state = AttentionWrapperState(
            cell_state=cell_state,
            time=state.time + 1,
            attention=attention,
            alignments=self._item_or_tuple(alignments),
            attention_state=self._item_or_tuple(next_states),
            alignment_history=self._item_or_tuple(
                history.write(state.time, each) if self._alignment_history else ()
                for history, each in zip(histories, alignments)
            ),
        )
        return attention if self._output_attention else output, next_state


def _checked_mechanisms(given: Any) -> Tuple[Any, ...]:
    found = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    for each in found:
        if not isinstance(each, AttentionMechanism):
            raise TypeError(
                "attention_mechanism must be an AttentionMechanism or list of multiple "
                f"AttentionMechanism instances, saw type: {type(each).__name__}"
            )
    return found
