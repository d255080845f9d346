"""Variables of references: what variables are in older graphs."""

from __future__ import annotations

from typing import Any, Optional

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops import raw_ops
from troupe._src.ops.apply_op import OP_DEFS
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import ShapeLike, TensorShape
from troupe._src.variables import variable_protos as protos
from troupe._src.variables.variable import Variable


class RefVariable(Variable):
    """A variable that ops read and write by a reference, such as Assign and ScatterUpdate.

    Its handle is another name of the same variable, by which savers, optimizers and monitored
    sessions know it. Used as a tensor, it is read once a step, before or after the step's
    assignments unless control dependencies say which.
    """

    def _checked(self, initial: Tensor, validate_shape: bool) -> Tensor:
        if not validate_shape:
            # Hides the shape: values of any other may follow.
            return raw_ops.PlaceholderWithDefault(input=initial, shape=TensorShape(None))
        if not initial.shape.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {initial!r}")
        return initial

    def _set_up(self, graph: Graph, native: _native.Variable, initial: Optional[Tensor]) -> None:
        super()._set_up(graph, native, initial)
        self._reference = add_reference(self)
        with (
            graph.control_dependencies(None),
            graph.colocate_with(self.handle.op),
            graph.name_scope(f"{native.name}/"),
        ):
            self._assign_initial = super().initializer
            if initial is not None:
                is_fixed = self._reference.shape.is_fully_defined()
                assigned = raw_ops.Assign(
                    self._reference, initial, validate_shape=is_fixed, name="Assign"
                )
                self._assign_initial = assigned.op
            self._snapshot = raw_ops.Identity(input=self._reference, name="read")
        self._snapshot._fed_name = self._reference.name

    def _take_nodes(self, graph: Graph, names: Any, scope: Optional[str]) -> None:
        self._reference = protos.take_nodes(self, graph, names, scope)
        initializer: Any = graph._of_value(self._native.initializer)
        self._assign_initial = getattr(initializer, "op", initializer)
        self._reference.op._variable_name = self._native.name

    def _ref(self) -> Tensor:
        """The reference, which ops that write take."""
        return self._reference

    @property
    def _read_from(self) -> Tensor:
        return self._reference

    @property
    def dtype(self) -> DType:
        """ "float32_ref" or the like; `base_dtype` is that of its values."""
        return self._dtype._as_ref

    @property
    def op(self) -> Operation:
        """The operation that gives the reference."""
        return self._reference.op

    @property
    def initializer(self) -> Operation:
        replaced = self._graph._replaced_initializers.get(self._shared_name)
        return replaced or self._assign_initial

    @property
    def shape(self) -> TensorShape:
        return self._reference.shape

    def set_shape(self, shape: ShapeLike) -> None:
        self._reference.set_shape(shape)
        self._snapshot.set_shape(shape)

    def value(self) -> Tensor:
        """Its value, read once a step."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """Its value, read after the current control dependencies."""
        if _in_function():
            return super().read_value()
        with self._graph.colocate_with(self.op):
            return raw_ops.Identity(input=self._reference)

    def _as_tensor(self) -> Tensor:
        return super().read_value() if _in_function() else self._snapshot

    def _change(
        self, operation: str, value: Any, read_value: bool = True, name: Optional[str] = None
    ) -> Any:
        if _in_function():
            return self._change_of_handle(operation, value, read_value, name)
        op: Any = {"assign": raw_ops.Assign, "add": raw_ops.AssignAdd, "sub": raw_ops.AssignSub}
        changed = op[operation](self._reference, convert_to_tensor(value, self._dtype), name=name)
        return changed if read_value else changed.op

    def count_up_to(self, limit: int) -> Tensor:
        return raw_ops.CountUpTo(ref=self._reference, limit=limit)

    def gather_nd(self, indices: Any, name: Optional[str] = None) -> Tensor:
        return raw_ops.GatherNd(params=self._snapshot, indices=indices, name=name)

    def sparse_read(self, indices: Any, name: Optional[str] = None) -> Tensor:
        return raw_ops.GatherV2(params=self._snapshot, indices=indices, axis=0, name=name)

    def _scatter(self, op: str, indices: Any, updates: Any, name: Optional[str]) -> Tensor:
        given = convert_to_tensor(updates, self._dtype)
        changed: Tensor = getattr(raw_ops, op)(self._reference, indices, given, name=name)
        return changed

    def load(self, value: Any, session: Any = None) -> None:
        session = self._graph._session_for(session)
        session.run(self.initializer, {self.initializer.inputs[1]: value})


Variable._of_references = RefVariable


def _in_function() -> bool:
    """Whether the body of a function is traced, which gets handles as arguments."""
    return get_default_graph()._is_function


def add_reference(variable: Variable) -> Tensor:
    """A new node that gives a reference to a variable: another name of what its handle names."""
    handle, name = variable.handle.op, variable._native.name
    graph = variable.graph
    with (
        graph.control_dependencies(None),
        graph.colocate_with(handle),
        graph.name_scope(f"{name}/"),
    ):
        reference: Tensor = raw_ops.VariableV2(
            shape=TensorShape(variable._native.shape),
            dtype=variable._dtype,
            container=handle.get_attr("container").decode(),
            shared_name=handle.get_attr("shared_name").decode(),
            name="ref",
        )
    reference.op._variable_name = name
    return reference


def reference_of(value: Any) -> Optional[Tensor]:
    """The reference that a variable has or that a tensor is, or None."""
    if isinstance(value, RefVariable):
        return None if _in_function() else value._ref()
    if not isinstance(value, Tensor) or isinstance(value, Variable):
        return None
    outputs = OP_DEFS[value.op.type]["outputs"] if value.op.type in OP_DEFS else []
    is_declared = value.value_index < len(outputs) and outputs[value.value_index]["is_ref"]
    return value if is_declared else None
