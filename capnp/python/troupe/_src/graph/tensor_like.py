"""What functions accept as a tensor."""

from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

from troupe._src.graph.operand import Operand
from troupe._src.types.dimensions import Dimension
from troupe._src.types.shapes import TensorShape

# Tensors, variables, and values of Python or NumPy of which `convert_to_tensor` makes constants;
# also nested sequences of them. Sparse tensors and datasets are none.
Scalar = Union[bool, int, float, complex, str, bytes, np.generic]
TensorLike = Union[Operand, np.ndarray, Scalar, TensorShape, Dimension, Sequence[Any]]
