"""A cell around a cell that drops parts of inputs, outputs and states."""

from __future__ import annotations

import hashlib
from typing import Any, Callable, Dict, List, Optional

from troupe._src.control_flow import nest, structure
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.rnn.wrappers import CellWrapper
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import as_shape


@set_module("troupe.nn.rnn_cell")
class DropoutWrapper(CellWrapper):
    """A cell with dropout of its inputs, its outputs and its next states."""

    _config_names = (
        "input_keep_prob", "output_keep_prob", "state_keep_prob", "variational_recurrent",
        "input_size", "seed",
    )  # fmt: skip

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Optional[DTypeLike] = None,
        seed: Optional[int] = None,
        dropout_state_filter_visitor: Optional[Callable[[Any], Any]] = None,
        **kwargs: Any,
    ) -> None:
        """Wraps a cell; what is kept is scaled to keep the expected sum.

        Args:
            cell: The cell.
            input_keep_prob: The probability that an element of the inputs is kept: a number, or a
                tensor.
            output_keep_prob: That of outputs.
            state_keep_prob: That of next states.
            variational_recurrent: Whether all time steps, and all rows of a batch, drop the same.
            input_size: The nested sizes of inputs; needed then for dropout of inputs.
            dtype: The dtype of what is dropped; needed then.
            seed: The seed of all draws.
            dropout_state_filter_visitor: Whether states of a level are dropped: a function of a
                part of the state that gives a bool, or bools for its parts. By default all are but
                the memory of an LSTMStateTuple.
            kwargs: What all layers take.

        Raises:
            TypeError: `cell` is no cell, or the visitor no function.
            ValueError: A probability is not between 0 and 1, or an argument is missing.
        """
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._filter = dropout_state_filter_visitor or _all_but_memory
        with get_default_graph().name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability("input_keep_prob", input_keep_prob)
            self._state_keep_prob = _probability("state_keep_prob", state_keep_prob)
            self._output_keep_prob = _probability("output_keep_prob", output_keep_prob)
        self._variational_recurrent, self._seed = variational_recurrent, seed
        self._input_size = input_size
        self._input_noise: Any = None
        self._state_noise: Any = None
        self._output_noise: Any = None
        if not variational_recurrent:
            return
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        if _drops(self._input_keep_prob):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            self._input_noise = self._noise("input", input_size, dtype)
        self._state_noise = self._noise("state", cell.state_size, dtype)
        self._output_noise = self._noise("output", cell.output_size, dtype)

    @property
    def wrapped_cell(self) -> Any:
        """The cell."""
        return self.cell

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a cell again, by their names.

        Raises:
            NotImplementedError: There is a function among them.
        """
        if self._filter is not _all_but_memory:
            raise NotImplementedError("a dropout_state_filter_visitor has no configuration")
        return super().get_config()

    def _noise(self, kind: str, sizes: Any, dtype: DTypeLike) -> Any:
        """What decides on the elements in all time steps, the same for all rows of a batch."""
        drawn = [
            random_ops.random_uniform(
                [1, *as_shape(size).as_list()], dtype=dtype, seed=self._seed_of(kind, number)
            )
            for number, size in enumerate(nest.flatten(sizes))
        ]
        return structure.pack_as(sizes, drawn)

    def _seed_of(self, kind: str, number: int) -> Optional[int]:
        if self._seed is None:
            return None
        text = f"{self._seed}{kind}_{number}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        if _drops(self._input_keep_prob):
            inputs = self._dropped("input", inputs, inputs, self._input_noise)
        output, after = self.cell(inputs, state, scope=scope)
        if _drops(self._state_keep_prob):
            after = self._dropped("state", _filtered(self._filter, after), after, self._state_noise)
        if _drops(self._output_keep_prob):
            output = self._dropped("output", output, output, self._output_noise)
        return output, after

    def _dropped(self, kind: str, levels: Any, values: Any, noise: Any) -> Any:
        """The values, of which those are as they were for which the levels are False."""
        keep = getattr(self, f"_{kind}_keep_prob")
        leaves = nest.flatten(levels)
        flat = _flat_up_to(levels, values)
        draws = _flat_up_to(levels, noise) if self._variational_recurrent else [None] * len(leaves)
        results: List[Any] = []
        for number, (leaf, value, drawn) in enumerate(zip(leaves, flat, draws)):
            if leaf is False:
                results.append(value)
            elif self._variational_recurrent:
                kept = math_ops.div(value, keep) * gen_ops.floor(keep + drawn)
                kept.set_shape(value.shape)
                results.append(kept)
            else:
                seed = self._seed_of(kind, number)
                results.append(nn_ops.dropout(value, rate=1.0 - keep, seed=seed))
        return structure.pack_as(levels, results)


def _probability(name: str, given: Any) -> Any:
    tensor = convert_to_tensor(given)
    known = array_ops.get_static_value(tensor)
    if known is None:
        return tensor
    if known < 0 or known > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {int(known)}")
    return float(known)


def _drops(keep: Any) -> bool:
    return isinstance(keep, Tensor) or keep < 1


def _all_but_memory(state: Any) -> Any:
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


def _filtered(visitor: Callable[[Any], Any], state: Any) -> Any:
    """The state as far as its parts are visited, with a bool for each part that is not."""
    wanted = visitor(state)
    if not nest.is_nested(state):
        if not isinstance(wanted, bool):
            raise TypeError(f"The visitor gives {wanted} for the tensor {state}, and not a bool")
        return wanted
    if wanted is False:
        return False
    keys = sorted(state) if isinstance(state, dict) else range(len(state))
    if not isinstance(wanted, bool) and len(wanted) != len(state):
        raise ValueError(f"The visitor gives {wanted} for {state}, which has other parts")
    parts = [
        _filtered(visitor, state[key]) if isinstance(wanted, bool) or wanted[key] else False
        for key in keys
    ]
    if isinstance(state, dict):
        return type(state)(zip(keys, parts))
    return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)


def _flat_up_to(levels: Any, values: Any) -> List[Any]:
    """What the values have at the places of the leaves of the levels."""
    if not nest.is_nested(levels):
        return [values]
    keys = sorted(levels) if isinstance(levels, dict) else range(len(levels))
    return [leaf for key in keys for leaf in _flat_up_to(levels[key], values[key])]
