"""The scopes of a graph, which apply to the nodes that a thread adds within them."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from troupe import _native
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.elements import Operation, operations_of
from troupe._src.graph.thread_scopes import DeviceNameOrFunction, ThreadScopes
from troupe._src.graph_edits.consumers import Consumers
from troupe._src.graph_edits.edits import NodeEdit, make_edits
from troupe._src.types import errors

_INNER = re.compile(r"[A-Za-z0-9_.\-/]*")
_OUTERMOST = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\-/]*")


class GraphScopes:
    """What graphs inherit for names, devices, containers and orders of nodes."""

    outer_graph: Any  # of the body of a function: the graph around it

    def __init__(self) -> None:
        self._native_root = _native.Builder()  # without the edits that are to be made
        self._edits: Dict[Operation, NodeEdit] = {}
        self._edit_count = 0
        self._at_edits: List[Callable[[], Optional[Callable[[], None]]]] = []  # called once
        self._consumers = Consumers(self)
        self._thread_scopes = ThreadScopes(self)
        # Prefixes that are told as unique but not used yet, by what was asked for and themselves.
        self._kept_names: Dict[str, str] = {}

    @property
    def building_function(self) -> bool:
        """Whether it is the body of a function."""
        return bool(self._is_function)  # type: ignore[attr-defined]

    @property
    def _root(self) -> _native.Builder:
        """The graph of the runtime, with all edits."""
        if self._edits:
            make_edits(self)  # type: ignore[arg-type]
        return self._native_root

    @property
    def _c_graph(self) -> GraphScopes:
        """Itself: what the functions of TensorFlow's C API take, by its private name there."""
        return self

    @property
    def _scopes(self) -> ThreadScopes:
        """The scopes of this thread."""
        root, scopes = self._root, self._thread_scopes
        if scopes.root is not root:
            scopes.move_to(root)
        return scopes

    @contextlib.contextmanager
    def _changed(self, **changes: Any) -> Iterator[None]:
        scopes = self._scopes
        before = {key: getattr(scopes, key) for key in (*changes, "complete_builder", "root")}
        for key, value in changes.items():
            setattr(scopes, key, value)
        scopes.complete_builder = None
        try:
            yield
        finally:
            for key, value in before.items():
                setattr(scopes, key, value)

    @contextlib.contextmanager
    def name_scope(self, name: Optional[str]) -> Iterator[str]:
        """Prefixes names with "name/", made unique.

        Args:
            name: The name; one that ends with "/" is used as it is, and None or "" leaves all
                scopes.

        Yields:
            The prefix.

        Raises:
            ValueError: Nodes cannot be named so.
        """
        builder = self._scopes.builder
        if name and not (_INNER if builder.prefix else _OUTERMOST).fullmatch(name):
            # Here, because it is here that the program gives the name; not at its first node.
            raise ValueError(f"'{name}' is not a valid scope name")
        if not name:
            inner = builder.within("")
        elif name.endswith("/"):
            inner = builder.within("" if name == "/" else name)
        else:
            inner = self._unique_scope(name)
        with self._changed(builder=inner):
            yield inner.prefix

    def switch_to_thread_local(self) -> None:
        """Accepted: the scopes that a thread enters are always its own."""

    def get_name_scope(self) -> str:
        """The name scope that this thread has entered, without a "/" at its end."""
        return str(self._scopes.builder.prefix).rstrip("/")

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """The name that a node would get in this scope.

        Args:
            name: The name without the scope.
            mark_as_used: Whether it counts as used; otherwise the next scope of that name, and the
                next call, get it.

        Returns:
            The name with the scope, and a number where it is in use.
        """
        unique = str(self._unique_scope(name).prefix)
        if not mark_as_used:
            asked = str(self._scopes.builder.prefix) + name
            self._kept_names.update({asked: unique, unique.rstrip("/"): unique})
        return unique.rstrip("/")

    def _unique_scope(self, name: str) -> _native.Builder:
        """That of the name or of one with a number, which another call has asked for or is new."""
        builder, names = self._scopes.builder, self._kept_names
        kept = names.get(builder.prefix + name)
        if kept is None:
            return builder.scope(name)
        self._kept_names = {asked: unique for asked, unique in names.items() if unique != kept}
        return builder.within(kept)

    @contextlib.contextmanager
    def device(self, device_name_or_function: DeviceNameOrFunction) -> Iterator[None]:
        """Constrains the device of nodes.

        Where two nested constraints give the same part of a name, the inner one wins.

        Args:
            device_name_or_function: A full or partial name, a DeviceSpec, or a function of the node
                that gives one of these; None removes all outer constraints.

        Raises:
            ValueError: It is no name of a device.
        """
        if isinstance(device_name_or_function, DeviceSpec):
            device_name_or_function = device_name_or_function.to_string()
        if isinstance(device_name_or_function, str):
            try:
                _native.merge_devices(device_name_or_function, "")
            except errors.InvalidArgumentError as error:
                raise ValueError(error.message) from None
        with self._changed(devices=self._scopes.devices + (device_name_or_function,)):
            yield

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Places nodes where another one will be; constraints of devices outside end.

        Args:
            op: The node, a tensor or a variable; None only with `ignore_existing`.
            ignore_existing: Outer colocations end, too.

        Raises:
            ValueError: `op` is None without `ignore_existing`.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        colocated = () if ignore_existing else self._scopes.colocated
        devices = self._scopes.devices + (None,)
        for operation in [] if op is None else operations_of([op]):
            if operation.graph is self:
                colocated += (operation,)
            else:  # a function's graph cannot name it
                devices += (operation.device,)
        with self._changed(devices=devices, colocated=colocated):
            yield

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Creates variables and other state in a container, which outlives sessions.

        Args:
            container_name: The name of the container; "" is the default one.

        Yields:
            The name.
        """
        builder = self._scopes.builder.container(container_name)
        with self._changed(builder=builder, container=container_name):
            yield container_name

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Optional[Sequence[Any]]) -> Iterator[None]:
        """Lets nodes run only after others.

        Args:
            control_inputs: Operations, tensors or variables; None removes outer ones, and leaves
                branches and loops.

        Raises:
            TypeError: Something among them is none of these.
        """
        changes: Dict[str, Any] = {"controls": (), "context": -1}
        if control_inputs is not None:
            changes = {"controls": self._scopes.controls + tuple(operations_of(control_inputs))}
        with self._changed(**changes):
            yield

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: Dict[str, str]) -> Iterator[None]:
        """Gives nodes other gradient functions.

        Args:
            op_type_map: {op: a name that `RegisterGradient` gave to a function}.
        """
        with self._changed(gradients={**self._scopes.gradients, **op_type_map}):
            yield


def check_element_name(name: str, graph: Any, allow_tensor: bool, allow_operation: bool) -> None:
    """ValueError for a name of a tensor or of an operation where that kind is not allowed."""
    if ":" in name and not allow_tensor:
        raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
    if ":" in name or allow_operation:
        return
    try:
        graph.get_operation_by_name(name)
        what, hint = "refers to an Operation", f": did you mean '{name}:0'?"
    except KeyError:
        what, hint = "looks like an (invalid) Operation name", "."
    raise ValueError(
        f"The name {name!r} {what}, not a Tensor. Tensor names must be of the form "
        f'"<op_name>:<output_index>"{hint}'
    )
