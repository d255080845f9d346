"""Functions of TensorFlow's source without public names, which programs import all the same."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from troupe._src.api.source_values import ResourceVariable
from troupe._src.checkpoints.saver import Saver
from troupe._src.control_flow.loops import while_loop
from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.meta_graph_messages import SaverDef
from troupe._src.nn.conv_ops import convolution
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import as_shape
from troupe._src.variables.assign_ops import assign

_numbers = itertools.count()


def uid() -> int:
    """A number that this process has not had before.

    Returns:
        The number.
    """
    return next(_numbers)


def tensor_shape_tensor(
    s: Any, dtype: Any = None, name: Optional[str] = None, as_ref: bool = False
) -> Tensor:
    """The sizes of a shape as a constant.

    Args:
        s: A TensorShape, of which all sizes are known.
        dtype: int32 or int64; by default int32, or int64 if a size is too large for it.
        name: The name of the node.
        as_ref: Has no effect.

    Returns:
        A vector.

    Raises:
        TypeError: The dtype is another one.
        ValueError: A size is unknown.
    """
    return convert_to_tensor(as_shape(s), dtype, name or "shape_as_tensor")


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A block whose operations are added to the graph, as all are."""
    yield


def skip_summary() -> bool:
    """Whether summaries are left out, as those of other replicas are: there are none.

    Returns:
        False.
    """
    return False


def is_resource_variable(var: Any) -> bool:
    """Whether a variable is that of a resource.

    Args:
        var: An object.

    Returns:
        Whether it is.
    """
    return isinstance(var, ResourceVariable)


def init_variable(v: Any, init: Any, name: str = "init") -> Any:
    """Assigns a variable its first value.

    Args:
        v: The variable.
        init: The value, or a function of the shape and the dtype that gives it.
        name: The name of the operation.

    Returns:
        The operation, or the variable after it.

    Raises:
        ValueError: `init` is a function, and the shape of the variable is not known.
    """
    graph = get_default_graph()
    with graph.name_scope(f"{v.op.name}/"), graph.name_scope(name) as scope:
        if callable(init):
            if not v.shape.is_fully_defined():
                raise ValueError(f"the shape of {v.name} is not known: {v.shape}")
            init = init(v.shape.as_list(), v.dtype.base_dtype)
        return assign(v, convert_to_tensor(init, name="value"), name=scope)


def collect(val: Any, collections: Optional[Sequence[Any]], default_collections: Any) -> None:
    """Adds something to collections of the graph.

    Args:
        val: What is added.
        collections: The names of the collections.
        default_collections: Those names, where the others are None.
    """
    for key in default_collections if collections is None else collections:
        get_default_graph().add_to_collection(key, val)


def deduplicate_indexed_slices(values: Any, indices: Any) -> Tuple[Tensor, Tensor]:
    """Adds up the slices of each index.

    Args:
        values: The slices.
        indices: The index of each, as a vector.

    Returns:
        (sums, indices), where each index is there once.
    """
    unique, places = gen_ops.unique(indices)
    count = array_ops.shape(unique)[0]
    return gen_ops.unsorted_segment_sum(values, places, count), unique


def get_saver_or_default() -> Saver:
    """The saver in the collection SAVERS, to which one of all variables is added if there is none.

    Returns:
        The saver.

    Raises:
        RuntimeError: There are several.
    """
    graph = get_default_graph()
    found = graph.get_collection(GraphKeys.SAVERS)
    if len(found) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            "use by passing it to the constructor."
        )
    if not found:
        found = [Saver(sharded=True, allow_empty=True)]
        graph.add_to_collection(GraphKeys.SAVERS, found[0])
    saver: Saver = found[0]
    return saver


def prefix_to_checkpoint_path(prefix: str, format_version: int) -> str:
    """The file that shows whether a checkpoint exists.

    Args:
        prefix: The path that `Saver.save` returned.
        format_version: V1 or V2 of `SaverDef`.

    Returns:
        The path of its index, or for V1 of the checkpoint.
    """
    return f"{prefix}.index" if format_version == SaverDef.V2 else prefix


def maybe_tensor_shape_from_tensor(shape: Any) -> Any:
    """The shape that a tensor stands for, as far as it is known.

    Args:
        shape: The sizes as a tensor, or a shape.

    Returns:
        A TensorShape for a tensor, or what was given.
    """
    if not isinstance(shape, Tensor):
        return shape
    known = get_static_value(shape)
    return as_shape(None if known is None else known)


class RoundRobinStrategy:
    """Gives the parameter servers in turn, for `ps_strategy` of `replica_device_setter`.

    Args:
        num_tasks: How many there are.
    """

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks, self._next_task = num_tasks, 0

    def __call__(self, unused_op: Any) -> int:
        """The next one.

        Args:
            unused_op: The operation that is placed.

        Returns:
            The index of its task.
        """
        task = self._next_task
        self._next_task = (task + 1) % self._num_tasks
        return task


def while_v2(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: Optional[str] = None,
    return_same_structure: bool = True,
) -> Any:
    """`tf.while_loop`, with the order of arguments of `while_v2`.

    Args:
        cond: Whether the loop goes on, of the loop variables.
        body: The next loop variables, of these.
        loop_vars: The first ones.
        shape_invariants: Their shapes where these change.
        parallel_iterations: How many iterations may run at once.
        maximum_iterations: The most iterations.
        name: The name of the loop.
        return_same_structure: Whether one variable is given as a list of one, as it came.

    Returns:
        The last loop variables.
    """
    return while_loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations,
        maximum_iterations=maximum_iterations, name=name,
        return_same_structure=return_same_structure,
    )  # fmt: skip


class Convolution:
    """A convolution of inputs of one shape by filters of one.

    Args:
        input_shape: The shape of the inputs.
        filter_shape: That of the filters.
        padding: "SAME" or "VALID".
        strides: How far the window moves, for each spatial dimension; 1 by default.
        dilation_rate: How far apart the elements of a filter are; 1 by default.
        name: The name of the nodes.
        data_format: Such as "NHWC" or "NCHW".
    """

    def __init__(
        self, input_shape: Any, filter_shape: Any, padding: str, strides: Any = None,
        dilation_rate: Any = None, name: Optional[str] = None, data_format: Optional[str] = None,
    ) -> None:  # fmt: skip
        self.input_shape, self.filter_shape = as_shape(input_shape), as_shape(filter_shape)
        self.padding, self.strides, self.dilation_rate = padding, strides, dilation_rate
        self.name, self.data_format = name, data_format

    def __call__(self, inp: Any, filter: Any) -> Tensor:  # noqa: A002
        """The convolution of a batch by filters."""
        return convolution(
            inp, filter, self.padding, self.strides, self.dilation_rate, self.name,
            self.data_format,
        )  # fmt: skip
