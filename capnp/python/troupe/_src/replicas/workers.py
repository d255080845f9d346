"""Sums over the programs of a cluster that each have replicas, and what the first one tells all.

Each program has a graph and a session of its own. They meet in queues: what a program sends is
put, by its own step, into a queue on the task of the receiver, whose step takes it from there. Sums
go around the ring of tasks, so that each sends and receives less than twice the size of the vector,
however many there are (Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of
workstations, 2009).
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.replicas.contexts import entered
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable

# How many steps a program may be ahead of the one that it sends to.
CAPACITY = 2


class Workers:
    """The programs of a cluster that sum together; each adds the same nodes in the same order.

    Args:
        tasks: The devices of their tasks, such as "/job:worker/task:0".
        index: Which of them this program is.
    """

    def __init__(self, tasks: Sequence[str], index: int) -> None:
        self.tasks, self.index = tuple(tasks), index
        self.count = len(self.tasks)

    @property
    def own_task(self) -> str:
        """The device of the task of this program."""
        return self.tasks[self.index]

    @contextlib.contextmanager
    def own_container(self) -> Iterator[None]:
        """Variables are on the own task. Their names are taken once in a cluster, so that those of
        programs other than the first are in containers of their own."""
        graph = get_default_graph()
        with graph.device(self.own_task):
            if self.index == 0:
                yield
                return
            with graph.container(f"worker_{self.index}"):
                yield

    def sums(self, values: Sequence[Any]) -> List[Any]:
        """The sums of the values of all programs.

        Args:
            values: Tensors, or IndexedSlices.

        Returns:
            Tensors, or IndexedSlices with the rows of all.
        """
        found: List[Any] = list(values)
        dense: Dict[Any, List[int]] = {}
        for place, value in enumerate(values):
            if isinstance(value, IndexedSlices):
                exchange = _Exchange(self)
                rows = exchange.gathered([value.values, value.indices])
                found[place] = IndexedSlices(rows[0], rows[1], value.dense_shape)
            else:
                dense.setdefault(value.dtype.base_dtype, []).append(place)
        for places in dense.values():
            summed = self._summed_together([values[place] for place in places])
            for place, total in zip(places, summed):
                found[place] = total
        return found

    def _summed_together(self, tensors: Sequence[Tensor]) -> List[Tensor]:
        """The sums of tensors of one dtype."""
        flat = [array_ops.reshape(each, [-1]) for each in tensors]
        total = _Exchange(self).summed(array_ops.concat(flat, 0))
        sizes = [array_ops.size(each) for each in tensors]
        pieces = array_ops.split(total, sizes)
        summed = []
        for tensor, piece in zip(tensors, pieces):
            whole = array_ops.reshape(piece, array_ops.shape(tensor))
            whole.set_shape(tensor.shape)
            summed.append(whole)
        return summed

    def of_first(self, value: Tensor) -> Tensor:
        """The value of the first program.

        Args:
            value: The value of this one, of the same dtype and shape.

        Returns:
            The first one's.
        """
        return _Exchange(self).of_first(value)


class _Exchange:
    """One place in the graphs of all programs where they exchange tensors, once in a step."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        graph = get_default_graph()
        number = graph._state["exchanges"] = graph._state.get("exchanges", 0) + 1
        self._name = f"exchange_{number}"
        self._sent: List[Operation] = []

    @property
    def _next(self) -> int:
        return (self._workers.index + 1) % self._workers.count

    def summed(self, vector: Tensor) -> Tensor:
        """The sum of a vector over all programs."""
        count, index = self._workers.count, self._workers.index
        with get_default_graph().name_scope(self._name):
            step = self._step()
            size = array_ops.size(vector)
            part = (size + (count - 1)) // count
            padded = raw_ops.Pad(input=vector, paddings=[[0, part * count - size]])
            parts = array_ops.unstack(array_ops.reshape(padded, [count, part]), count)
            for hop in range(count - 1):  # each becomes the owner of the sum of a part
                came = self._pass_on(f"sum_{hop}", step, [parts[(index - hop) % count]])[0]
                place = (index - hop - 1) % count
                parts[place] = parts[place] + came
            for hop in range(count - 1):  # and the sums go around
                sent = parts[(index + 1 - hop) % count]
                parts[(index - hop) % count] = self._pass_on(f"share_{hop}", step, [sent])[0]
            whole = array_ops.concat([array_ops.reshape(each, [-1]) for each in parts], 0)
            return self._ended([whole[:size]], self._workers.tasks)[0]

    def gathered(self, tensors: Sequence[Tensor]) -> List[Tensor]:
        """The rows of tensors of all programs, in the order of the programs."""
        count, index = self._workers.count, self._workers.index
        with get_default_graph().name_scope(self._name):
            step = self._step()
            blocks: List[List[Tensor]] = [list(tensors) for _ in range(count)]
            for hop in range(count - 1):
                sent = blocks[(index - hop) % count]
                came = self._pass_on(f"gather_{hop}", step, sent)
                for own, tensor in zip(came, tensors):
                    own.set_shape([None, *tensor.shape[1:]])
                blocks[(index - hop - 1) % count] = came
            rows = [
                array_ops.concat([block[i] for block in blocks], 0) for i in range(len(tensors))
            ]
            return self._ended(rows, self._workers.tasks)

    def of_first(self, value: Tensor) -> Tensor:
        """The value of the first program."""
        with get_default_graph().name_scope(self._name):
            if self._workers.index:
                queue = self._queue("first", self._workers.index, [value.dtype])
                came: Tensor = _taken(queue, [value.dtype])[0]
                known: Tensor = raw_ops.EnsureShape(input=came, shape=value.shape)
                return self._ended([known], self._workers.tasks[:1])[0]
            for receiver in range(1, self._workers.count):
                queue = self._queue("first", receiver, [value.dtype])
                self._sent.append(_put(queue, [value]))
            return self._ended([value], [])[0]

    def _step(self) -> Tensor:
        """How often this exchange was made in this session, of which all must have made as many."""
        graph = get_default_graph()
        with graph.control_dependencies(None), self._workers.own_container(), entered(None):
            count = Variable(
                convert_to_tensor(0, dtypes.int64), trainable=False, collections=[],
                use_resource=True, name="count",
            )  # fmt: skip
        with graph.device(self._workers.own_task):
            counted: Tensor = count.assign(count.initialized_value() + 1)
        return counted

    def _pass_on(self, name: str, step: Tensor, tensors: Sequence[Tensor]) -> List[Tensor]:
        """Sends tensors to the next program, and gives those of the one before."""
        kinds = [dtypes.int64, *(each.dtype.base_dtype for each in tensors)]
        self._sent.append(_put(self._queue(name, self._next, kinds), [step, *tensors]))
        came = _taken(self._queue(name, self._workers.index, kinds), kinds)
        told = "programs that sum together are at different steps: all must begin at one checkpoint"
        same = raw_ops.Assert(
            condition=raw_ops.Equal(x=came[0], y=step),
            data=[convert_to_tensor(told), came[0], step],
        )
        with get_default_graph().control_dependencies([same]):
            return [array_ops.identity(each) for each in came[1:]]

    def _queue(self, name: str, receiver: int, kinds: Sequence[Any]) -> Tuple[Tensor, str]:
        """The handle of a queue on the task of the receiver, and that task."""
        task, names = self._workers.tasks[receiver], [each.name for each in kinds]
        with get_default_graph().device(task):
            handle: Tensor = raw_ops.FIFOQueueV2(
                component_types=list(kinds),
                capacity=CAPACITY,
                shared_name="_".join([self._name, name, str(receiver), *names]),
            )
        return handle, task

    def _ended(self, tensors: Sequence[Tensor], tasks: Sequence[str]) -> List[Tensor]:
        """The tensors, when all is sent.

        Until then each of the tasks has a node that waits, as a step fails where a task ends that
        is not done with it: one that only sent, or will, would else be waited for in vain.
        """
        graph = get_default_graph()
        with graph.control_dependencies([*self._sent, *(each.op for each in tensors)]):
            token = constant(0)
        waiting: List[Any] = []
        for task in tasks:
            if task != self._workers.own_task:
                with graph.device(task):
                    waiting.append(array_ops.identity(token, name="waiting").op)
        with graph.control_dependencies([*self._sent, *waiting]):
            return [array_ops.identity(each) for each in tensors]


def _put(queue: Tuple[Tensor, str], tensors: Sequence[Tensor]) -> Operation:
    handle, task = queue
    with get_default_graph().device(task):
        sent: Operation = raw_ops.QueueEnqueueV2(handle=handle, components=list(tensors))
    return sent


def _taken(queue: Tuple[Tensor, str], kinds: Sequence[Any]) -> List[Tensor]:
    handle, task = queue
    with get_default_graph().device(task):
        return list(raw_ops.QueueDequeueV2(handle=handle, component_types=list(kinds)))
