"""Memory cells on a grid of times and frequencies (Kalchbrenner et al., 2016)."""

from __future__ import annotations

import collections
from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, clip_ops, creation_ops, gen_ops, math_ops
from troupe._src.platform import logging
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn_cells.linear import depth_of
from troupe._src.rnn_cells.normalized_cells import sharded
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

_named_tuple: Any = collections.namedtuple


@set_module("troupe.contrib.rnn")
class GridLSTMCell(RNNCell):
    """A memory cell for windows of frequencies, with a memory in time and one in frequency.

    In each step it goes over the windows of its inputs. The memory in frequency goes from a window
    to the next one; that in time is the state of the window.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False,
        share_time_frequency_weights: bool = False, cell_clip: Optional[float] = None,
        initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: Any = None, frequency_skip: Any = None, num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None, end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False, state_is_tuple: bool = True, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units` a window.

        Args:
            num_units: The size of the memories and outputs of a window.
            use_peepholes: Whether the memories go into the gates, each unit into its own.
            share_time_frequency_weights: Whether both memories have the same variables.
            cell_clip: The largest absolute value in a memory.
            initializer: Is kept and not used, as in TensorFlow.
            num_unit_shards: The number of variables that make up a kernel.
            forget_bias: Added to what goes into the forget gates.
            feature_size: The size of a window.
            frequency_skip: How far windows are apart.
            num_frequency_blocks: A list of the number of windows in each block of frequencies.
            start_freqindex_list: Where each block begins; by default there is one, of all.
            end_freqindex_list: Where each block ends.
            couple_input_forget_gates: Whether a cell takes in as much as it forgets.
            state_is_tuple: Whether a state is a named tuple, or one concatenated tensor.
            reuse: Whether the variables are those that exist in the scope.

        Raises:
            ValueError: There are no numbers of windows.
        """
        super().__init__(_reuse=reuse)
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._shares, self._couples = share_time_frequency_weights, couple_input_forget_gates
        self._clip, self._initializer = cell_clip, initializer
        self._num_unit_shards, self._forget_bias = num_unit_shards, forget_bias
        self._feature_size, self._frequency_skip = feature_size, frequency_skip
        self._counts = [int(each) for each in num_frequency_blocks]
        self._starts, self._ends = start_freqindex_list, end_freqindex_list
        self._state_is_tuple = state_is_tuple
        self._state_type: Any = None
        if state_is_tuple:
            self._state_type = _named_tuple("GridLSTMStateTuple", self._part_names("state"))

    def _part_names(self, prefix: str) -> List[str]:
        return [
            f"{prefix}_f{index:02d}_b{block:02d}_{kind}"
            for block, count in enumerate(self._counts)
            for index in range(count)
            for kind in "cm"
        ]

    @property
    def output_size(self) -> Any:
        """The size of the outputs of all windows."""
        return self._num_units * sum(self._counts) * 2

    @property
    def state_size(self) -> Any:
        """The sizes of the memories and outputs, or their sum for a concatenated state."""
        sizes = [self._num_units] * (2 * sum(self._counts))
        return self._state_type(*sizes) if self._state_type else sum(sizes)

    @property
    def state_tuple_type(self) -> Any:
        """The class of states; None for a concatenated one."""
        return self._state_type

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: A tuple of `state_tuple_type`, or their concatenation.

        Returns:
            The outputs in time and frequency of all windows side by side, and the next state.

        Raises:
            ValueError: The size of the inputs is not known, or does not suit the windows.
        """
        outputs, states = self._all_blocks(self._windows(inputs), state, "state")
        if self._state_type:
            return array_ops.concat(outputs, 1), self._state_type(*states)
        return array_ops.concat(outputs, 1), array_ops.concat(states, 1)

    def _all_blocks(self, blocks: Any, state: Any, prefix: str) -> Tuple[List[Any], List[Any]]:
        outputs: List[Any] = []
        states: List[Any] = []
        for block, windows in enumerate(blocks):
            self._compute(windows, block, state, prefix, outputs, states)
        return outputs, states

    def _weights_of(self, block: int, depth: int, dtype: Any) -> Dict[str, Any]:
        """The variables of both memories: their products, and what joins memories and gates."""
        units, kinds = self._num_units, ["f"] if self._shares else ["f", "t"]
        weights: Dict[str, Any] = {}
        count = (3 if self._couples else 4) * units
        for kind in kinds:
            kernel = sharded(
                f"W_{kind}_{block}", [depth + 2 * units, count], dtype, self._num_unit_shards
            )
            bias = get_variable(f"B_{kind}_{block}", [count], dtype=dtype, initializer=Zeros())
            weights[kind] = (kernel, bias)
        for kind in kinds if self._use_peepholes else []:
            name = "freq" if kind == "f" else "time"
            for gate in "IO" if self._couples else "FIO":
                for of in "ft":
                    weights[kind + gate + of] = get_variable(
                        f"W_{gate}_diag_{name}{of}_{block}", [units], dtype=dtype
                    )
        return weights

    def _seen(self, weights: Any, gate: str, tensor: Any, in_freq: Any, in_time: Any) -> Any:
        """What goes into a gate, with what it sees of the memories."""
        if not self._use_peepholes:
            return tensor
        return tensor + weights[f"{gate}f"] * in_freq + weights[f"{gate}t"] * in_time

    def _changed(self, weights: Any, kind: str, parts: Any, before: Any, memories: Any) -> Any:
        """A memory after the step, from what goes into its gates."""
        enter = gen_ops.sigmoid(self._seen(weights, f"{kind}I", parts[0], *memories))
        if self._couples:
            kept = 1.0 - enter
        else:
            forget = parts[2] + self._forget_bias
            kept = gen_ops.sigmoid(self._seen(weights, f"{kind}F", forget, *memories))
        memory = kept * before + enter * gen_ops.tanh(parts[1])
        if self._clip is None:
            return memory
        return clip_ops.clip_by_value(memory, -self._clip, self._clip)

    def _compute(
        self, windows: Any, block: int, state: Any, prefix: str, outputs: List[Any],
        states: List[Any],
    ) -> None:  # fmt: skip
        units, dtype, count = self._num_units, windows[0].dtype, 3 if self._couples else 4
        weights = self._weights_of(block, depth_of(windows[0]), dtype)
        kind = "f" if self._shares else "t"
        batch = windows[0].shape[0].value or array_ops.shape(windows[0])[0]
        in_freq = output = creation_ops.zeros([batch, units], dtype)
        for index, window in enumerate(windows):
            if self._state_type:
                name = f"{prefix}_f{index:02d}_b{block:02d}"
                in_time, before = getattr(state, f"{name}_c"), getattr(state, f"{name}_m")
            else:
                # As in TensorFlow, all blocks see the states of the first one.
                first = 2 * index * units
                in_time = state[:, first : first + units]
                before = state[:, first + units : first + 2 * units]
            seen = array_ops.concat([window, before, output], 1)
            parts = {
                each: array_ops.split(
                    nn_ops.bias_add(math_ops.matmul(seen, weights[each][0]), weights[each][1]),
                    count, axis=1,
                )
                for each in sorted({"f", kind})
            }  # fmt: skip
            memories = (in_freq, in_time)
            next_freq = self._changed(weights, "f", parts["f"], in_freq, memories)
            next_time = self._changed(weights, kind, parts[kind], in_time, memories)
            in_freq, both = next_freq, (next_freq, next_time)
            leave = gen_ops.sigmoid(self._seen(weights, "fO", parts["f"][-1], *both))
            output = leave * gen_ops.tanh(next_freq)
            leave = gen_ops.sigmoid(self._seen(weights, f"{kind}O", parts[kind][-1], *both))
            in_step = leave * gen_ops.tanh(next_time)
            states += [next_time, in_step]
            outputs += [in_step, output]

    def _windows(self, inputs: Any, offset: int = 0) -> List[List[Any]]:
        """The windows of each block, moved by the offset, over zeros beyond the inputs."""
        size = depth_of(inputs)
        if offset:
            inputs = creation_ops.pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
        starts, ends = self._starts or [0], self._ends if self._starts else [size]
        if len(starts) != len(ends):
            raise ValueError(
                f"Length of start and end freqindex_list does not match {len(starts)} {len(ends)}"
            )
        if len(starts) != len(self._counts):
            raise ValueError(
                f"Length of num_frequency_blocks is {len(self._counts)}, but there are "
                f"{len(starts)} blocks of frequencies"
            )
        blocks = zip(starts, ends, self._counts)
        return [self._of_block(inputs, max(offset, 0), *each) for each in blocks]

    def _of_block(self, inputs: Any, offset: int, start: int, end: int, given: int) -> List[Any]:
        count = int((end - start - self._feature_size) / self._frequency_skip) + 1
        if count != given:
            raise ValueError(
                f"Invalid num_frequency_blocks, requires {count} but gets {given}, please check "
                "the input size and filter config are correct."
            )
        firsts = [start + offset + each * self._frequency_skip for each in range(count)]
        return [inputs[:, first : first + self._feature_size] for first in firsts]


@set_module("troupe.contrib.rnn")
class BidirectionalGridLSTMCell(GridLSTMCell):
    """A `GridLSTMCell` that goes over the windows in both directions."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False,
        share_time_frequency_weights: bool = False, cell_clip: Optional[float] = None,
        initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: Any = None, frequency_skip: Any = None, num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None, end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False, backward_slice_offset: int = 0,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units` a window and direction.

        Args:
            num_units: The size of the memories and outputs of a window.
            use_peepholes: Whether the memories go into the gates, each unit into its own.
            share_time_frequency_weights: Whether both memories have the same variables.
            cell_clip: The largest absolute value in a memory.
            initializer: Is kept and not used, as in TensorFlow.
            num_unit_shards: The number of variables that make up a kernel.
            forget_bias: Added to what goes into the forget gates.
            feature_size: The size of a window.
            frequency_skip: How far windows are apart.
            num_frequency_blocks: A list of the number of windows in each block of frequencies.
            start_freqindex_list: Where each block begins; by default there is one, of all.
            end_freqindex_list: Where each block ends.
            couple_input_forget_gates: Whether a cell takes in as much as it forgets.
            backward_slice_offset: How far the windows of the way back are moved.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(
            num_units, use_peepholes, share_time_frequency_weights, cell_clip, initializer,
            num_unit_shards, forget_bias, feature_size, frequency_skip, num_frequency_blocks,
            start_freqindex_list, end_freqindex_list, couple_input_forget_gates, True, reuse,
        )  # fmt: skip
        self._offset = int(backward_slice_offset)
        names: Sequence[str] = self._part_names("fwd_state") + self._part_names("bwd_state")
        self._state_type = _named_tuple("BidirectionalGridLSTMStateTuple", names)

    @property
    def output_size(self) -> Any:
        """The size of the outputs of all windows in both directions."""
        return 4 * self._num_units * sum(self._counts)

    @property
    def state_size(self) -> Any:
        """The sizes of the memories and outputs."""
        return self._state_type(*[self._num_units] * (4 * sum(self._counts)))

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: A tuple of `state_tuple_type`.

        Returns:
            The outputs of all windows side by side, and the next state.

        Raises:
            ValueError: The size of the inputs is not known, or does not suit the windows.
        """
        with variable_scope("fwd"):
            outputs, states = self._all_blocks(self._windows(inputs), state, "fwd_state")
        back = [each[::-1] for each in self._windows(inputs, self._offset)]
        with variable_scope("bwd"):
            more, after = self._all_blocks(back, state, "bwd_state")
        return array_ops.concat(outputs + more, 1), self._state_type(*states, *after)
