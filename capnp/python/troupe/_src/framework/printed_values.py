"""Values that are printed where a step computes them, with what is known of them."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, math_ops, reduction_ops
from troupe._src.ops.assert_ops import Print
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable


def print_op(
    input_: Any, data: Optional[Sequence[Any]] = None, message: Optional[str] = None,
    first_n: Optional[int] = None, summarize: int = 20, print_tensor_name: bool = True,
    print_tensor_type: bool = True, print_shape: bool = True,
    summarize_indicator_vector: bool = True, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """The value; where it is computed, it is printed to the standard error.

    Args:
        input_: A tensor, dense or sparse, a TensorArray or a variable.
        data: Other tensors that are printed, too.
        message: The beginning of the line.
        first_n: How often at most it is printed; None for always.
        summarize: How many elements of each tensor are printed.
        print_tensor_name: Whether the name of a tensor is printed.
        print_tensor_type: Whether the dtype is.
        print_shape: Whether the shape is: the static one of a tensor, that of the step of a sparse
            one, and the number of elements of an array.
        summarize_indicator_vector: Whether the index of the first true element of a tensor of bool
            is printed.
        name: The name of the node.

    Returns:
        The same value, of the same kind; of a variable its value.

    Raises:
        ValueError: It is something else.
    """
    shown = _description(
        input_, print_tensor_name, print_tensor_type, print_shape, summarize_indicator_vector
    )
    shown += list(data or [])

    def printed(tensor: Any) -> Tensor:
        return Print(tensor, shown, message or "", first_n, summarize, name)

    if isinstance(input_, SparseTensor):
        return SparseTensor(input_.indices, printed(input_.values), input_.dense_shape)
    if isinstance(input_, TensorArray):
        with get_default_graph().control_dependencies([printed(input_.flow)]):
            return input_.identity()
    return printed(input_)


def _description(
    value: Any, has_name: bool, has_type: bool, has_shape: bool, has_first_true: bool
) -> List[Any]:
    kinds = (Tensor, SparseTensor, TensorArray, Variable)
    kind = next((each.__name__ for each in kinds if isinstance(value, each)), None)
    if kind is None:
        raise ValueError("t must be a Tensor, SparseTensor, TensorArray or Variable.")
    found: List[Any] = []
    if has_name and kind == "Tensor":
        found.append(f"Name: {value.name}")
    if has_type:
        found.append(f"Type: {kind} ({value.dtype.base_dtype.name})")
    if has_shape and kind == "SparseTensor":
        found += ["Shape:", value.dense_shape]
    elif has_shape and kind == "TensorArray":
        found += ["Size:", value.size()]
    elif has_shape and kind == "Tensor":
        found.append(f"Shape: {value.shape}")
    if kind == "SparseTensor":
        return [*found, "Sparse indices:", value.indices, "Sparse values:", value.values]
    whole = value.stack() if kind == "TensorArray" else array_ops.identity(value)
    if has_first_true and value.dtype.base_dtype == dtypes.bool_ and whole.shape.rank != 0:
        first = reduction_ops.argmax(math_ops.cast(whole, dtypes.int32), 0)
        found += ["First True in Boolean tensor at:", first]
    return [*found, "Value:", whole]
