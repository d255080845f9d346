"""The decoder of a cell whose inputs come from a helper."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.layers.base import Layer
from troupe._src.rnn.cell import assert_like_rnncell
from troupe._src.rnn.sizes import static_shape
from troupe._src.seq2seq.decoder import Decoder
from troupe._src.seq2seq.helpers import Helper
from troupe._src.set_module import set_module


@set_module("troupe.contrib.seq2seq")
class BasicDecoderOutput(NamedTuple):
    """The output of a cell, or of the layer behind it, and what the helper chose from it."""

    rnn_output: Any
    sample_id: Any


@set_module("troupe.contrib.seq2seq")
class BasicDecoder(Decoder):
    """A decoder that calls a cell; a helper chooses from its outputs, and gives the inputs.

    Args:
        cell: The cell.
        helper: The `Helper`.
        initial_state: The state of the cell before the first step.
        output_layer: A layer that is applied to the outputs of the cell, or None.

    Raises:
        TypeError: One of them is of another class.
    """

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Optional[Layer] = None
    ) -> None:
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        kind = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: kind, self._rnn_output_size()),
            self._helper.sample_ids_dtype,
        )

    def _rnn_output_size(self) -> Any:
        size, layer = self._cell.output_size, self._output_layer
        if layer is None:
            return size
        return nest.map_structure(
            lambda each: layer.compute_output_shape(static_shape([None], each))[1:], size
        )

    def initialize(self, name: Optional[str] = None) -> Any:
        finished, inputs = self._helper.initialize()
        return finished, inputs, self._initial_state

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or "BasicDecoderStep"):
            output, after = self._cell(inputs, state)
            if self._output_layer is not None:
                output = self._output_layer(output)
            chosen = self._helper.sample(time=time, outputs=output, state=after)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=output, state=after, sample_ids=chosen
            )
        return BasicDecoderOutput(output, chosen), next_state, next_inputs, finished
