"""What produces the elements of a pipeline, again and again: names of files, numbers, slices."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.array_ops import identity, shape, size
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.queues.queues import FIFOQueue
from troupe._src.random.random_ops import random_shuffle
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables.variable import Variable


def match_filenames_once(pattern: TensorLike, name: Optional[str] = None) -> Variable:
    """A local variable with the names of the files that match, which its initializer looks up.

    Args:
        pattern: A pattern, or a vector of several.
        name: Of the variable.

    Returns:
        The variable, a vector of strings.
    """
    with get_default_graph().name_scope(name or "matching_filenames") as scope:
        return Variable(
            gen_ops.matching_files(pattern),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            validate_shape=False,
            name=scope,
        )


def limit_epochs(tensor: Any, num_epochs: Optional[int] = None, name: Optional[str] = None) -> Any:
    """The tensor, which that many steps can compute; an OutOfRangeError in the steps after them.

    A local variable counts them, which `tf.local_variables_initializer` sets to 0.

    Args:
        tensor: The tensor.
        num_epochs: The number of steps; None: no limit.
        name: Of the result.

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        ValueError: If the number is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = get_default_graph()
    with graph.name_scope(name or "limit_epochs") as scope:
        epochs = Variable(
            constant(0, dtypes.int64),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            name="epochs",
        )
        with graph.control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: TensorLike,
    element_shape: ShapeLike = None,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    summary_name: Optional[str] = None,
    name: Optional[str] = None,
    cancel_op: Optional[Operation] = None,
) -> FIFOQueue:
    """A queue that a QueueRunner fills with the rows of a tensor, epoch by epoch.

    Args:
        input_tensor: A tensor of rank 1 or more.
        element_shape: The shape of a row, where that of the tensor does not say it.
        num_epochs: The number of times that it produces each row; None: without end. Counted by a
            local variable, as by `limit_epochs`.
        shuffle: Whether each epoch has the rows in another random order.
        seed: Of the random order.
        capacity: The number of rows that the queue has room for.
        shared_name: Of the queue.
        summary_name: Part of the tag of a summary of how full the queue is; None: no summary.
        name: Of the queue.
        cancel_op: What cancels the enqueues of the queue, if not its own closing.

    Returns:
        The queue.

    Raises:
        ValueError: If the shape of a row is not known.
    """
    with get_default_graph().name_scope(name or "input_producer"):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = rows.shape[1:].merge_with(element_shape)
        if not row_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            rows = random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(
            capacity, [rows.dtype], [row_shape], shared_name=shared_name, name=name or "FIFOQueueV2"
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, math_ops.cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Union[Tensor, Variable, np.ndarray[Any, Any], Sequence[str]],
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
    cancel_op: Optional[Operation] = None,
) -> FIFOQueue:
    """`input_producer` of strings, such as names of files.

    Args:
        string_tensor: A vector of strings. In the step, it is an InvalidArgumentError if it is
            empty.
        num_epochs: The number of times that it produces each one; None: without end. Counted by a
            local variable, as by `limit_epochs`.
        shuffle: Whether each epoch has another random order.
        seed: Of the random order.
        capacity: The number of items that the queue has room for.
        shared_name: The name by which other sessions use the same queue.
        name: Of the queue.
        cancel_op: What cancels the enqueues of the queue, if not its own closing.

    Returns:
        The queue.

    Raises:
        ValueError: If it is an empty list.
    """
    problem = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (Tensor, Variable)) and len(string_tensor) == 0:
        raise ValueError(problem)
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer") as scope:
        strings = convert_to_tensor(string_tensor, dtypes.string)
        not_empty = Assert(gen_ops.greater(size(strings), 0), [problem])
        with graph.control_dependencies([not_empty]):
            strings = identity(strings)
        return input_producer(
            strings,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


def range_input_producer(
    limit: TensorLike,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> FIFOQueue:
    """`input_producer` of the numbers from 0 to below a limit.

    Args:
        limit: The limit, an int32 scalar.
        num_epochs: The number of times that it produces each one; None: without end. Counted by a
            local variable, as by `limit_epochs`.
        shuffle: Whether each epoch has another random order.
        seed: Of the random order.
        capacity: The number of items that the queue has room for.
        shared_name: The name by which other sessions use the same queue.

    Returns:
        The queue.
    """
    with get_default_graph().name_scope(name or "input_producer") as scope:
        numbers = math_ops.range(limit)
        summary_name = f"fraction_of_{capacity}_full"
        return input_producer(
            numbers, [], num_epochs, shuffle, seed, capacity, shared_name, summary_name, scope
        )


def slice_input_producer(
    tensor_list: Sequence[TensorLike],
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> List[Tensor]:
    """A slice of each tensor along its first axis, at the same position, another in each step.

    A `range_input_producer` gives the positions, which has the other arguments.

    Args:
        tensor_list: Tensors of the same size along the first axis.
        num_epochs: The number of times that it produces each one; None: without end. Counted by a
            local variable, as by `limit_epochs`.
        shuffle: Whether each epoch has another random order.
        seed: Of the random order.
        capacity: The number of items that the queue has room for.
        shared_name: The name by which other sessions use the same queue.
        name: Of a scope around all nodes.

    Returns:
        A slice of each tensor.

    Raises:
        ValueError: If there is no tensor.
    """
    with get_default_graph().name_scope(name or "input_producer"):
        tensors = [convert_to_tensor(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(
            shape(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name
        )
        position = queue.dequeue()
        return [gather(tensor, position) for tensor in tensors]
