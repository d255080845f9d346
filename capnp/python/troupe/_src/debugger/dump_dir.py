"""What is read of the files of a run: its tensors, and the graph that they belong to."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Dict, List, Optional

from troupe._src.debugger.datum import DebugTensorDatum, data_of_folder
from troupe._src.debugger.dump_files import (
    DEVICE_PREFIX,
    FEEDS_FILE,
    FETCHES_FILE,
    device_of_folder,
    read_message,
)
from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import Graph
from troupe._src.set_module import set_module


@set_module("troupe.debug")
class DebugDumpDir:
    """The files of one run.

    Args:
        dump_root: Their folder.
        partition_graphs: Has no effect: set_python_graph says which graph the tensors belong to.
        validate: Has no effect.

    Raises:
        IOError: There is no such folder.

    (TensorFlow: `tf_debug.DebugDumpDir`.)
    """

    def __init__(self, dump_root: str, partition_graphs: Any = None, validate: bool = True) -> None:
        if not os.path.isdir(dump_root):
            raise IOError(f"Dump root directory {dump_root} does not exist")
        self._root = dump_root
        self._graph: Optional[Graph] = None
        data = [
            datum
            for folder in sorted(os.listdir(dump_root))
            if folder.startswith(DEVICE_PREFIX)
            for datum in data_of_folder(os.path.join(dump_root, folder), device_of_folder(folder))
        ]
        self._data = sorted(data, key=lambda datum: datum.timestamp)
        self._by_key: Dict[str, List[DebugTensorDatum]] = {}
        for datum in self._data:
            self._by_key.setdefault(datum.watch_key, []).append(datum)

    @property
    def dumped_tensor_data(self) -> List[DebugTensorDatum]:
        """The files, the oldest first."""
        return list(self._data)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._data)

    @property
    def t0(self) -> Optional[int]:
        """When the first was written, in microseconds since 1970."""
        return self._data[0].timestamp if self._data else None

    @property
    def run_fetches_info(self) -> Optional[str]:
        """What the run fetched, as Python writes it."""
        return read_message(os.path.join(self._root, FETCHES_FILE))

    @property
    def run_feed_keys_info(self) -> Optional[str]:
        """The keys of what it was fed, as Python writes them."""
        return read_message(os.path.join(self._root, FEEDS_FILE))

    @property
    def python_graph(self) -> Optional[Graph]:
        """The graph that set_python_graph was given."""
        return self._graph

    def set_python_graph(self, python_graph: Graph) -> None:
        """Says which graph the tensors belong to.

        Args:
            python_graph: The graph.
        """
        self._graph = python_graph

    def devices(self) -> List[str]:
        """The devices whose tensors there are.

        Returns:
            A list of names.
        """
        return sorted({datum.device_name for datum in self._data})

    def nodes(self, device_name: Optional[str] = None) -> List[str]:
        """The operations of the graph.

        Args:
            device_name: Leaves out those whose tensors are on another device.

        Returns:
            A list of names.

        Raises:
            LookupError: The graph is not known.
        """
        if device_name is not None:
            return list({d.node_name: None for d in self._data if d.device_name == device_name})
        return [op.name for op in self._known_graph().get_operations()]

    def node_exists(self, node_name: str, device_name: Optional[str] = None) -> bool:
        """Whether the graph has an operation.

        Args:
            node_name: Its name.
            device_name: As for nodes.

        Returns:
            The answer.

        Raises:
            LookupError: The graph is not known.
        """
        return node_name in self.nodes(device_name)

    def node_op_type(self, node_name: str, device_name: Optional[str] = None) -> str:
        """The type of an operation.

        Args:
            node_name: Its name.
            device_name: Has no effect.

        Returns:
            The type.

        Raises:
            LookupError: The graph is not known.
            ValueError: It has no such operation.
        """
        return self.node(node_name).type

    def node_inputs(
        self, node_name: str, is_control: bool = False, device_name: Optional[str] = None
    ) -> List[str]:
        """What an operation takes.

        Args:
            node_name: Its name.
            is_control: Whether those are wanted that it waits for.
            device_name: Has no effect.

        Returns:
            The names of tensors, or of operations, which is that of a tensor 0 without its number.

        Raises:
            LookupError: The graph is not known.
            ValueError: It has no such operation.
        """
        op = self.node(node_name)
        if is_control:
            return [each.name for each in op.control_inputs]
        return [_short(tensor.name) for tensor in op.inputs]

    def node_recipients(
        self, node_name: str, is_control: bool = False, device_name: Optional[str] = None
    ) -> List[str]:
        """The operations that take what one gives.

        Args:
            node_name: Its name.
            is_control: Whether those are wanted that wait for it.
            device_name: Has no effect.

        Returns:
            A list of names.

        Raises:
            LookupError: The graph is not known.
            ValueError: It has no such operation.
        """
        op = self.node(node_name)
        if is_control:
            every = self._known_graph().get_operations()
            return [each.name for each in every if op in each.control_inputs]
        return [each.name for tensor in op.outputs for each in tensor.consumers()]

    def node_traceback(self, element_name: str) -> Any:
        """Where the program made an operation.

        Args:
            element_name: The name of it, or of a tensor.

        Returns:
            A list of frames.

        Raises:
            LookupError: The graph is not known.
            ValueError: It has no such operation.
        """
        return self.node(element_name.split(":")[0]).traceback

    def node(self, name: str) -> Operation:
        """An operation of the graph.

        Args:
            name: Its name.

        Returns:
            The operation.

        Raises:
            LookupError: The graph is not known.
            ValueError: It has no such operation.
        """
        try:
            op = self._known_graph().get_operation_by_name(name)
        except KeyError:
            raise ValueError(f'There is no node named "{name}" in the graph') from None
        return op

    def debug_watch_keys(self, node_name: str, device_name: Optional[str] = None) -> List[str]:
        """What there is of an operation.

        Args:
            node_name: Its name.
            device_name: Has no effect.

        Returns:
            A list of names of tensors with what was kept of them.
        """
        return [key for key, data in self._by_key.items() if data[0].node_name == node_name]

    def watch_key_to_data(
        self, debug_watch_key: str, device_name: Optional[str] = None
    ) -> List[DebugTensorDatum]:
        """The files of a tensor.

        Args:
            debug_watch_key: The name of the tensor with what was kept of it.
            device_name: Has no effect.

        Returns:
            A list, which is empty for other names.
        """
        return list(self._by_key.get(debug_watch_key, []))

    def get_tensors(
        self, node_name: str, output_slot: int, debug_op: str, device_name: Optional[str] = None
    ) -> List[Any]:
        """The values of a tensor.

        Args:
            node_name: The name of its operation.
            output_slot: Which of the operation's outputs it is.
            debug_op: What was kept of it.
            device_name: Has no effect.

        Returns:
            A list of arrays.

        Raises:
            WatchKeyDoesNotExistInDebugDumpDirError: There is none.
        """
        key = f"{node_name}:{output_slot}:{debug_op}"
        if key not in self._by_key:
            raise WatchKeyDoesNotExistInDebugDumpDirError(
                f'Watch key "{key}" does not exist in the debug dump'
            )
        return [datum.get_tensor() for datum in self._by_key[key]]

    def find(
        self,
        predicate: Callable[[DebugTensorDatum, Any], Any],
        first_n: int = 0,
        device_name: Optional[str] = None,
        exclude_node_names: Optional[str] = None,
    ) -> List[DebugTensorDatum]:
        """The tensors of which something is true.

        Args:
            predicate: A function of a file and an array, such as has_inf_or_nan.
            first_n: How many at most; all for 0.
            device_name: Leaves out those of another device.
            exclude_node_names: A pattern of names of operations that are left out.

        Returns:
            A list of files, the oldest first.
        """
        excluded = re.compile(exclude_node_names) if exclude_node_names else None
        found: List[DebugTensorDatum] = []
        for datum in self._data:
            if device_name not in (None, datum.device_name):
                continue
            if excluded is not None and excluded.match(datum.node_name):
                continue
            if predicate(datum, datum.get_tensor()):
                found.append(datum)
                if len(found) == first_n:
                    break
        return found

    def _known_graph(self) -> Graph:
        if self._graph is None:
            raise LookupError("Python graph is not available for debug dump: set_python_graph()")
        return self._graph


@set_module("troupe.debug")
class WatchKeyDoesNotExistInDebugDumpDirError(ValueError):
    """There is no file of such a tensor."""


def _short(tensor_name: str) -> str:
    return tensor_name[:-2] if tensor_name.endswith(":0") else tensor_name
