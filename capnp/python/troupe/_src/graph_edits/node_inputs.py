"""What nodes take, and changes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Tuple

from troupe._src.graph_edits.edits import edit_of
from troupe._src.types import errors

if TYPE_CHECKING:
    from troupe._src.graph.elements import Operation, Tensor
    from troupe._src.graph.graph import Graph


class NodeInputs:
    """The inputs of an operation. Edits of them reach the runtime when the graph is used next."""

    __slots__ = ()

    _graph: Graph
    _id: int
    name: Any
    type: Any

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        """The tensors that it takes, in order."""
        edit = self._graph._edits.get(self)  # type: ignore[call-overload]
        if edit is not None and edit.inputs is not None:
            return tuple(edit.inputs)
        places = self._graph._native_root.node_inputs(self._id)
        return tuple(self._graph._tensor(node, index) for node, index in places)

    @property
    def control_inputs(self) -> List[Operation]:
        """The nodes that run before it although it takes nothing of them."""
        edit = self._graph._edits.get(self)  # type: ignore[call-overload]
        if edit is not None and edit.control_inputs is not None:
            return list(edit.control_inputs)
        nodes = self._graph._native_root.node_control_inputs(self._id)
        return [self._graph._operation(node) for node in nodes]

    def _update_input(self, index: int, tensor: Tensor) -> None:
        """Replaces an input.

        Args:
            index: Its number.
            tensor: A tensor of the same graph and dtype.

        Raises:
            TypeError: It has another dtype.
            ValueError: It is of another graph.
            IndexError: There is no such input.
        """
        if tensor.graph is not self._graph:
            raise ValueError(f"{tensor!r} is of another graph than the operation {self.name!r}")
        inputs = list(self.inputs)
        before = inputs[index]
        if tensor.dtype.base_dtype != before.dtype.base_dtype:
            message = (
                f"Input {index} of '{self.name}' has the dtype {before.dtype.name}, and cannot be "
                f"replaced by {tensor!r}"
            )
            raise errors.build_error(True, message, self.name, self.type)
        edit = edit_of(self)  # type: ignore[arg-type]
        inputs[index] = tensor
        edit.inputs = inputs
        self._graph._consumers.move(self, before, tensor)

    def _add_control_inputs(self, ops: Iterable[Operation]) -> None:
        """Lets it run after further nodes.

        Args:
            ops: Operations of the same graph.

        Raises:
            ValueError: One is of another graph.
        """
        added = list(ops)
        for op in added:
            if op.graph is not self._graph:
                raise ValueError(f"{op!r} is of another graph than the operation {self.name!r}")
        if added:
            controls = self.control_inputs
            edit = edit_of(self)  # type: ignore[arg-type]
            edit.control_inputs = list(dict.fromkeys(controls + added))

    def _add_control_input(self, op: Operation) -> None:
        """Lets it run after a further node.

        Args:
            op: An operation of the same graph.

        Raises:
            ValueError: It is of another graph.
        """
        self._add_control_inputs([op])

    def _remove_all_control_inputs(self) -> None:
        """Lets it wait for nothing but its inputs."""
        if self.control_inputs:
            edit_of(self).control_inputs = []  # type: ignore[arg-type]

    def _set_attr(self, attr_name: str, attr_value: Any) -> None:
        """Changes an attribute.

        Args:
            attr_name: Its name.
            attr_value: An AttrValue.
        """
        edit_of(self).attrs[attr_name] = attr_value  # type: ignore[arg-type]

    def _set_device(self, device: Any) -> None:
        """Constrains it to another device.

        Args:
            device: A full or partial name, or a DeviceSpec; "" for no constraint.
        """
        name = device if isinstance(device, str) else device.to_string()
        edit_of(self).device = name  # type: ignore[arg-type]
