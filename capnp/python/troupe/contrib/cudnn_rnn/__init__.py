"""Networks of several layers and directions with cuDNN's weights, on any device."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.cudnn_rnn.compatible_cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from troupe._src.cudnn_rnn.networks import CudnnGRU, CudnnLSTM, CudnnRNNRelu, CudnnRNNTanh

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "CudnnCompatibleGRUCell",
    "CudnnCompatibleLSTMCell",
    "CudnnGRU",
    "CudnnLSTM",
    "CudnnRNNRelu",
    "CudnnRNNTanh",
]
