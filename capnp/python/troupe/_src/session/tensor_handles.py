"""Tensors that a session keeps on their devices from step to step, by handles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops import raw_ops
from troupe._src.ops.creation_ops import placeholder
from troupe._src.session.fetch import FetchPlan
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike

if TYPE_CHECKING:
    from troupe._src.session.base_session import BaseSession

_STATE = "session_tensors"  # of a graph
_DEAD_HANDLES_MAX = 10  # so many wait to be deleted in one step


class SessionTensor(NamedTuple):
    """What get_session_tensor gives: where to feed a handle, and the tensor that it stands for."""

    holder: Tensor
    tensor: Tensor


class SessionTensorDeletion(NamedTuple):
    """What delete_session_tensor gives: where to feed a handle, and what deletes its tensor."""

    holder: Tensor
    deleter: Operation


class _GraphHandles:
    """The nodes of a graph that read and delete kept tensors; made where they are needed."""

    def __init__(self) -> None:
        self.feeders: Dict[str, DType] = {}  # dtypes of the tensors whose handles these are fed
        self.readers: Dict[Tuple[str, DType], SessionTensor] = {}  # by device
        self.movers: Dict[Tuple[str, str, DType], Tuple[Tensor, Tensor]] = {}  # from, to
        self.deleters: Dict[Tuple[int, str], SessionTensorDeletion] = {}


def _handles_of(graph: Graph) -> _GraphHandles:
    handles: _GraphHandles = graph._state.setdefault(_STATE, _GraphHandles())
    return handles


def has_handles(graph: Graph) -> bool:
    """Whether nodes of the graph keep tensors, or read kept ones.

    Args:
        graph: The graph.
    """
    return _STATE in graph._state


class TensorHandle:
    """A handle of a tensor that a session keeps: what `run` gives for get_session_handle().

    The session deletes the tensor some steps after the last reference to this object is gone.
    """

    def __init__(self, handle: str, dtype: DType, session: BaseSession) -> None:
        self._handle = handle
        self._dtype = dtype
        self._session = session
        self._is_owner = True

    def __del__(self) -> None:
        if self._is_owner:
            self._session._dead_handles.append(self._handle)

    def __str__(self) -> str:
        return self._handle

    def __repr__(self) -> str:
        return f"<tf.TensorHandle {self._handle!r} {self._dtype.name}>"

    @property
    def handle(self) -> str:
        """What stands for the tensor: "node;number;device"."""
        return self._handle

    def eval(self) -> Any:  # noqa: A003
        """The value of the tensor.

        Raises:
            TypeError: The tensor may have been deleted.
        """
        self._check_owner()
        kept = _reader(self._session.graph, self._handle, self._dtype)
        return self._session.run(kept.tensor, {kept.holder: self._handle})

    def delete(self) -> None:
        """Deletes the tensor.

        Raises:
            TypeError: The tensor may have been deleted.
        """
        self._check_owner()
        self._is_owner = False
        _delete_handles(self._session, [self._handle])

    def get_raw_handle(self) -> str:
        """The handle, whose tensor the caller is to delete: this object no longer does."""
        self._is_owner = False
        return self._handle

    def _check_owner(self) -> None:
        if not self._is_owner:
            raise TypeError(
                f"Persistent tensor {self._handle} may have already been deleted."
            )


def _device_of(handle: Any) -> str:
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return text.rpartition(";")[2]


def get_session_handle(data: Tensor, name: Optional[str] = None) -> Tensor:
    """Keeps a tensor on its device, for later steps of the session.

    Args:
        data: The tensor.
        name: The name of the node.

    Returns:
        A string, the handle. A session that fetches it gives a TensorHandle, which may be fed
        instead of the value of a tensor; its `handle` may be fed to get_session_tensor().

    Raises:
        TypeError: `data` is no tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    _handles_of(data.graph)
    with data.graph.colocate_with(data.op):
        result: Tensor = raw_ops.GetSessionHandle(value=data, name=name)
    return result


def get_session_tensor(
    handle: Any, dtype: DTypeLike, name: Optional[str] = None
) -> SessionTensor:
    """The tensor that a session keeps, by its handle.

    Args:
        handle: The `handle` of a TensorHandle: it says on which device the tensor is.
        dtype: Of the tensor.
        name: The name of the node.

    Returns:
        A placeholder that is to be fed such a handle, and the tensor.
    """
    of = dtypes.as_dtype(dtype)
    graph = get_default_graph()
    with graph.device(_device_of(handle)):
        holder = placeholder(dtypes.string, [])
        tensor = raw_ops.GetSessionTensor(handle=holder, dtype=of, name=name)
    _handles_of(graph).feeders[holder.name] = of
    return SessionTensor(holder, tensor)


def delete_session_tensor(handle: Any, name: Optional[str] = None) -> SessionTensorDeletion:
    """Deletes a tensor that a session keeps, by its handle.

    Args:
        handle: The `handle` of a TensorHandle: it says on which device the tensor is.
        name: The name of the node.

    Returns:
        A placeholder that is to be fed such a handle, and the operation that deletes its tensor.
    """
    with get_default_graph().device(_device_of(handle)):
        holder = placeholder(dtypes.string, [])
        deleter = raw_ops.DeleteSessionTensor(handle=holder, name=name)
    return SessionTensorDeletion(holder, deleter)


def _reader(graph: Graph, handle: str, dtype: DType) -> SessionTensor:
    readers, key = _handles_of(graph).readers, (_device_of(handle), dtype)
    if key not in readers:
        with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None):
            readers[key] = get_session_tensor(handle, dtype)
    return readers[key]


def _moved(session: BaseSession, handle: str, device: str, dtype: DType) -> TensorHandle:
    """A handle of a copy of the tensor on that device."""
    graph = session.graph
    movers, key = _handles_of(graph).movers, (_device_of(handle), device, dtype)
    if key not in movers:
        kept = _reader(graph, handle, dtype)
        with graph.as_default(), graph.name_scope(None), graph.device(device):
            movers[key] = kept.holder, raw_ops.GetSessionHandle(value=kept.tensor)
    holder, mover = movers[key]
    result: TensorHandle = session.run(mover, {holder: handle})
    return result


def _delete_handles(session: BaseSession, handles: List[str]) -> None:
    """Deletes those tensors of the session in one step."""
    deleters, steps = _handles_of(session.graph).deleters, []
    for i, handle in enumerate(handles):
        key = i, _device_of(handle)
        if key not in deleters:
            graph = session.graph
            with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None):
                deleters[key] = delete_session_tensor(handle)
        steps.append(deleters[key])
    feeds = {step.holder: handle for step, handle in zip(steps, handles)}
    session.run([step.deleter for step in steps], feeds)


def prepare_handles(
    session: BaseSession, plan: FetchPlan, feeds: Dict[Any, Any]
) -> Tuple[FetchPlan, Dict[Any, Any], List[TensorHandle]]:
    """What a step is to fetch and to be fed instead of handles, after old ones are deleted.

    Args:
        session: The session, which may get new nodes.
        plan: What is fetched.
        feeds: By tensor or name.

    Returns:
        The plan, with a TensorHandle for each fetched get_session_handle(); the feeds, with values
        in place of TensorHandles; and what must live until the step has ended.
    """
    _delete_dead_handles(session)
    fed, copies = _feed_handles(session, feeds)
    return _fetch_handles(session, plan), fed, copies


def _delete_dead_handles(session: BaseSession) -> None:
    """Deletes the tensors whose TensorHandles are gone, if there are many."""
    if len(session._dead_handles) < _DEAD_HANDLES_MAX or session.graph.finalized:
        return
    dead, session._dead_handles = session._dead_handles, []
    _delete_handles(session, dead)


def _feed_handles(
    session: BaseSession, feeds: Dict[Any, Any]
) -> Tuple[Dict[Any, Any], List[TensorHandle]]:
    """The feeds, and copies of tensors of other devices, made on those where they are read."""
    fed: Dict[Any, Any] = {}
    copies: List[TensorHandle] = []
    for key, value in feeds.items():
        feeder = isinstance(key, Tensor) and _handles_of(session.graph).feeders.get(key.name)
        if feeder and isinstance(value, (str, bytes, TensorHandle)):
            value = value.decode() if isinstance(value, bytes) else str(value)
            if key.op.device != _device_of(value):
                copies.append(_moved(session, value, key.op.device, feeder))
                value = copies[-1].handle
        elif isinstance(value, TensorHandle):
            value = value.eval()
        fed[key] = value
    return fed, copies


def _fetch_handles(session: BaseSession, plan: FetchPlan) -> FetchPlan:
    graph = session.graph
    kept: Dict[int, DType] = {}
    for i, name in enumerate(plan.names):
        op = graph.get_tensor_by_name(name).op
        if op.type == "GetSessionHandle":
            kept[i] = op.inputs[0].dtype
    if not kept:
        return plan

    def rebuild(values: List[Any]) -> Any:
        values = list(values)
        for i, dtype in kept.items():
            values[i] = TensorHandle(values[i].decode(), dtype, session)
        return plan.rebuild(values)

    return plan._replace(rebuild=rebuild)
