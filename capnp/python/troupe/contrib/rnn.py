"""Recurrent networks: the cells and functions that are in `troupe.nn`, too, and fused ones."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.rnn.basic_cells import BasicRNNCell, GRUCell
from troupe._src.rnn.block_cells import GRUBlockCell, GRUBlockCellV2, LSTMBlockCell
from troupe._src.rnn.cell import LayerRNNCell, RNNCell
from troupe._src.rnn.dropout_wrapper import DropoutWrapper
from troupe._src.rnn.dynamic import batch_size_of as best_effort_input_batch_size
from troupe._src.ops.space_ops import transposed as transpose_batch_time
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
from troupe._src.rnn.wrappers import CompiledWrapper, DeviceWrapper, ResidualWrapper
from troupe._src.rnn_cells.calm_cells import CFNCell, MinimalRNNCell
from troupe._src.rnn_cells.conv_cells import (
    Conv1DLSTMCell,
    Conv2DLSTMCell,
    Conv3DLSTMCell,
    ConvLSTMCell,
    GLSTMCell,
)
from troupe._src.rnn_cells.gated_cells import IntersectionRNNCell, NASCell, UGRNNCell
from troupe._src.rnn_cells.grid_cells import BidirectionalGridLSTMCell, GridLSTMCell
from troupe._src.rnn_cells.independent_cells import IndRNNCell, IndyGRUCell, IndyLSTMCell, SRUCell
from troupe._src.rnn_cells.normalized_cells import (
    CoupledInputForgetGateLSTMCell,
    LayerNormBasicLSTMCell,
)
from troupe._src.rnn_cells.projection_wrappers import (
    AttentionCellWrapper,
    EmbeddingWrapper,
    HighwayWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
)
from troupe._src.rnn_cells.scaled_cells import LayerNormLSTMCell, WeightNormLSTMCell
from troupe._src.rnn_cells.timed_cells import PhasedLSTMCell, TimeFreqLSTMCell
from troupe._src.rnn_cells.turing_cells import NTMCell, NTMControllerState

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AttentionCellWrapper",
    "BasicLSTMCell",
    "BasicRNNCell",
    "BidirectionalGridLSTMCell",
    "CFNCell",
    "CompiledWrapper",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "CoupledInputForgetGateLSTMCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "FusedRNNCell",
    "FusedRNNCellAdaptor",
    "GLSTMCell",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "GRUCell",
    "GridLSTMCell",
    "HighwayWrapper",
    "IndRNNCell",
    "IndyGRUCell",
    "IndyLSTMCell",
    "InputProjectionWrapper",
    "IntersectionRNNCell",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMBlockWrapper",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "LayerNormLSTMCell",
    "LayerRNNCell",
    "MinimalRNNCell",
    "MultiRNNCell",
    "NASCell",
    "NTMCell",
    "NTMControllerState",
    "OutputProjectionWrapper",
    "PhasedLSTMCell",
    "RNNCell",
    "ResidualWrapper",
    "SRUCell",
    "TimeFreqLSTMCell",
    "TimeReversedFusedRNN",
    "UGRNNCell",
    "WeightNormLSTMCell",
    "best_effort_input_batch_size",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]
