"""Functions that programs import from TensorFlow's source, where no public name has them."""

from __future__ import annotations

from typing import Any, ContextManager, List, Optional, Sequence

from troupe import _native
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.messages.message import Record
from troupe._src.ops.array_ops import concat, get_static_value, identity, reshape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.session.session import Session
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape, as_shape
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import VariableScope, variable_scope

# What `isinstance` takes for the class of all that stands for tensors in a graph.
TENSOR_LIKE = (Tensor, SparseTensor, IndexedSlices)

_tensor_like_types: List[type] = []


def is_dense_tensor_like(t: Any) -> bool:
    """Whether it is a tensor, or a variable or something registered, which stands for one."""
    return isinstance(t, (Tensor, Variable, *_tensor_like_types))


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Lets `is_dense_tensor_like` be true for the objects of a class.

    Args:
        tensor_type: The class, which has the properties `name` and `dtype`.

    Raises:
        TypeError: It lacks one of them.
    """
    for name in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, name, None), property):
            raise TypeError(f"Type {tensor_type.__name__} does not define a `{name}` property")
    _tensor_like_types.append(tensor_type)


def register_symbolic_tensor_type(cls: type) -> None:
    """Lets Keras take the objects of a class for tensors, which they are converted to.

    Args:
        cls: The class.
    """
    _tensor_like_types.append(cls)


def with_dependencies(
    dependencies: Sequence[Any], output_tensor: Any, name: Optional[str] = None
) -> Tensor:
    """The tensor, which is computed after the dependencies."""
    graph = get_default_graph()
    with graph.control_dependencies(dependencies):
        return identity(output_tensor, name=name)


def convert_n_to_tensor(
    values: Sequence[Any],
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    preferred_dtype: Optional[DTypeLike] = None,
) -> List[Tensor]:
    """Each of the values as a tensor; with a name, they are `name_0`, `name_1` and so on."""
    return [
        convert_to_tensor(value, dtype, name and f"{name}_{index}", preferred_dtype)
        for index, value in enumerate(values)
    ]


def resource_variable(*args: Any, **kwargs: Any) -> Variable:
    """A variable of a resource.

    Args:
        *args: What `tf.Variable` takes.
        **kwargs: Likewise, by name.

    Returns:
        The variable.
    """
    return Variable(*args, **{**kwargs, "use_resource": True})


def pure_variable_scope(
    name_or_scope: Any, *args: Any, old_name_scope: Optional[str] = None, **kwargs: Any
) -> ContextManager[VariableScope]:
    """A variable scope that enters no name scope.

    Args:
        name_or_scope: A name, or a scope.
        *args: `reuse`, `initializer`, `regularizer`, `caching_device`, `partitioner` and
            `custom_getter`, in this order.
        old_name_scope: Has no effect: names are those of the name scope that it is entered in.
        **kwargs: The same by name, and `dtype`, `use_resource` and `constraint`.

    Returns:
        A context manager, which gives the scope.
    """
    names = ("reuse", "initializer", "regularizer", "caching_device", "partitioner")
    given = dict(zip((*names, "custom_getter"), args), **kwargs)
    return variable_scope(name_or_scope, auxiliary_name_scope=False, **given)


def containing_xla_context(ctxt: Any) -> None:
    """None: nothing is compiled by XLA."""
    return None


def concat_sizes(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """The sizes of a batch, then those of a state.

    Args:
        prefix: A number, a shape, or a tensor of one.
        suffix: Likewise.
        static: Gives what is known, a list, in place of a tensor.

    Returns:
        The sizes, None for such a list whose length is not known.

    Raises:
        ValueError: A tensor has more than one axis, or a size is not known.
    """
    if static:
        shape = _static_sizes(prefix).concatenate(_static_sizes(suffix))
        return None if shape.rank is None else shape.as_list()
    parts = []
    for text, each in (("prefix", prefix), ("suffix", suffix)):
        if not isinstance(each, Tensor):
            if not as_shape(each).is_fully_defined():
                raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
            each = convert_to_tensor(as_shape(each).as_list(), dtypes.int32)
        elif each.shape.rank not in (None, 0, 1):
            raise ValueError(f"{text} tensor must be either a scalar or vector: {each}")
        parts.append(reshape(each, [-1]))
    return concat(parts, 0)


def _static_sizes(value: Any) -> TensorShape:
    if not isinstance(value, Tensor):
        return as_shape(value)
    known = get_static_value(value)
    return as_shape(None if known is None else known.reshape([-1]).tolist())


def merge_device(spec: Any) -> Any:
    """A device function: the device of a node, where it says nothing that of `spec`."""
    text = spec if isinstance(spec, str) else spec.to_string()
    return lambda node: str(_native.merge_devices(node.device, text))


def list_local_devices(session_config: Any = None) -> List[Record]:
    """A record for each device of this process: its name, type, memory and incarnation."""
    with Session("", config=session_config) as session:
        return [
            Record(
                name=device.name,
                device_type=device.device_type,
                memory_limit=device.memory_limit_bytes,
                incarnation=device.incarnation,
                physical_device_desc="",
            )
            for device in session.list_devices()
        ]


def is_sparse(tensor: Any) -> bool:
    """Whether it is a sparse tensor, or the value of one."""
    return isinstance(tensor, (SparseTensor, SparseTensorValue))
