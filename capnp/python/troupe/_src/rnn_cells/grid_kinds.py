"""Grids of cells of usual kinds, in which the first dimension has the inputs and outputs."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.rnn.basic_cells import BasicRNNCell, GRUCell
from troupe._src.rnn.lstm_cells import BasicLSTMCell, LSTMCell
from troupe._src.rnn_cells.grid_rnn import GridRNNCell
from troupe._src.set_module import set_module

_MODULE = "troupe.contrib.grid_rnn"
_Activation = Optional[Callable[..., Any]]


def _options(
    tied: bool, non_recurrent_fn: _Activation, state_is_tuple: bool, output_is_tuple: bool
) -> Any:
    return {
        "input_dims": 0,
        "output_dims": 0,
        "priority_dims": 0,
        "tied": tied,
        "non_recurrent_dims": None if non_recurrent_fn is None else 0,
        "non_recurrent_fn": non_recurrent_fn,
        "state_is_tuple": state_is_tuple,
        "output_is_tuple": output_is_tuple,
    }


@set_module(_MODULE)
class Grid1BasicRNNCell(GridRNNCell):
    """A grid of one dimension of basic cells.

    Args:
        num_units: The size of a cell.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            cell_fn=lambda size: BasicRNNCell(size),
            **_options(False, None, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid2BasicRNNCell(GridRNNCell):
    """A grid of two dimensions of basic cells.

    Args:
        num_units: The size of a cell.
        tied: Whether dimensions share their weights.
        non_recurrent_fn: Makes the first dimension a dense layer of this activation.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: _Activation = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            cell_fn=lambda size: BasicRNNCell(size),
            **_options(tied, non_recurrent_fn, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid1BasicLSTMCell(GridRNNCell):
    """A grid of one dimension of basic memory cells.

    Args:
        num_units: The size of a cell.
        forget_bias: Added to the forget gates.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            cell_fn=lambda size: BasicLSTMCell(size, forget_bias=forget_bias),
            **_options(False, None, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid2BasicLSTMCell(GridRNNCell):
    """A grid of two dimensions of basic memory cells.

    Args:
        num_units: The size of a cell.
        tied: Whether dimensions share their weights.
        non_recurrent_fn: Makes the first dimension a dense layer of this activation.
        forget_bias: Added to the forget gates.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: _Activation = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            cell_fn=lambda size: BasicLSTMCell(size, forget_bias=forget_bias),
            **_options(tied, non_recurrent_fn, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid1LSTMCell(GridRNNCell):
    """A grid of one dimension of memory cells.

    Args:
        num_units: The size of a cell.
        use_peepholes: Whether gates see the memory.
        forget_bias: Added to the forget gates.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            cell_fn=lambda size: LSTMCell(
                size, use_peepholes=use_peepholes, forget_bias=forget_bias
            ),
            **_options(False, None, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid2LSTMCell(GridRNNCell):
    """A grid of two dimensions of memory cells.

    Args:
        num_units: The size of a cell.
        tied: Whether dimensions share their weights.
        non_recurrent_fn: Makes the first dimension a dense layer of this activation.
        use_peepholes: Whether gates see the memory.
        forget_bias: Added to the forget gates.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: _Activation = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            cell_fn=lambda size: LSTMCell(
                size, use_peepholes=use_peepholes, forget_bias=forget_bias
            ),
            **_options(tied, non_recurrent_fn, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid3LSTMCell(GridRNNCell):
    """A grid of three dimensions of memory cells.

    Args:
        num_units: The size of a cell.
        tied: Whether dimensions share their weights.
        non_recurrent_fn: Makes the first dimension a dense layer of this activation.
        use_peepholes: Whether gates see the memory.
        forget_bias: Added to the forget gates.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: _Activation = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            3,
            cell_fn=lambda size: LSTMCell(
                size, use_peepholes=use_peepholes, forget_bias=forget_bias
            ),
            **_options(tied, non_recurrent_fn, state_is_tuple, output_is_tuple),
        )


@set_module(_MODULE)
class Grid2GRUCell(GridRNNCell):
    """A grid of two dimensions of gated cells.

    Args:
        num_units: The size of a cell.
        tied: Whether dimensions share their weights.
        non_recurrent_fn: Makes the first dimension a dense layer of this activation.
        state_is_tuple: Whether a state is a tuple.
        output_is_tuple: Whether an output is a tuple.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: _Activation = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            cell_fn=lambda size: GRUCell(size),
            **_options(tied, non_recurrent_fn, state_is_tuple, output_is_tuple),
        )
