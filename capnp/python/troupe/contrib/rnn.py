"""Recurrent networks: the cells and functions that are in `troupe.nn`, too, and fused ones."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.rnn.basic_cells import BasicRNNCell, GRUCell
from troupe._src.rnn.block_cells import GRUBlockCell, GRUBlockCellV2, LSTMBlockCell
from troupe._src.rnn.cell import LayerRNNCell, RNNCell
from troupe._src.rnn.dropout_wrapper import DropoutWrapper
from troupe._src.rnn.fused_cells import FusedRNNCell, FusedRNNCellAdaptor, TimeReversedFusedRNN
from troupe._src.rnn.fused_lstm import LSTMBlockFusedCell, LSTMBlockWrapper
from troupe._src.rnn.lstm_cells import BasicLSTMCell, LSTMCell, LSTMStateTuple
from troupe._src.rnn.multi_cell import MultiRNNCell
from troupe._src.rnn.stacked import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from troupe._src.rnn.static import (
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from troupe._src.rnn.wrappers import DeviceWrapper, ResidualWrapper

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "FusedRNNCell",
    "FusedRNNCellAdaptor",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "GRUCell",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMBlockWrapper",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerRNNCell",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
    "TimeReversedFusedRNN",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
]
