"""Parts of graphs that one step runs at a time."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, NamedTuple, Optional

from troupe._src.control_flow.effects import effects_before
from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.functions.traced import function
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import (
    add_to_collection, colocate_with, control_dependencies, get_collection, init_scope, name_scope,
)  # fmt: skip
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import identity
from troupe._src.ops.convert import constant
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

CRITICAL_SECTIONS = "critical_sections"
CRITICAL_SECTION_EXECUTIONS = "critical_section_executions"


class _Execution(NamedTuple):
    """One call of execute(), as the collection of the graph has it."""

    op: Operation
    handle: Tensor
    resources: List[Tensor]
    exclusive_resource_access: bool


def _with_end(fn: Callable[[], Any]) -> Callable[[], Any]:
    """The function, which also gives a value that is there after its results and all effects."""

    @functools.wraps(fn)
    def section() -> Any:
        result = fn()
        leaves = [leaf for leaf in flatten(result) if leaf is not None]
        with control_dependencies([*leaves, *effects_before(get_default_graph())]):
            return result, constant(True)

    return section


@set_module("troupe")
class CriticalSection:
    """Runs functions one after the other, whichever steps and sessions they are of.

    What a function changes, such as a variable, no other function of the section sees half done.
    The lock is a mutex in a container, on the device where the section was made. A step that fails
    or ends lets the next one in.
    """

    def __init__(
        self,
        name: Optional[str] = None,
        shared_name: Optional[str] = None,
        critical_section_def: Any = None,
        import_scope: Optional[str] = None,
    ) -> None:
        """Adds the mutex to the graph.

        Args:
            name: Of its node.
            shared_name: What other sessions know it by; the name of the node without.
            critical_section_def: Has to be None, as in TensorFlow.
            import_scope: Not used without a definition.
        """
        if critical_section_def is not None:
            raise NotImplementedError("a critical section cannot be made of a definition")
        scope = "CriticalSection" if name is None else name
        with name_scope(scope) as prefix, init_scope():
            full_name = prefix.rstrip("/")
            self._handle: Tensor = raw_ops.MutexV2(
                container=get_default_graph()._scopes.container,
                shared_name=full_name if shared_name is None else shared_name,
                name=prefix,
            )
        add_to_collection(CRITICAL_SECTIONS, self)

    @property
    def name(self) -> str:
        """The name of its node."""
        return self._handle.op.name

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: Optional[str] = None,
    ) -> Any:
        """Adds what `fn` adds, to be run by one step at a time.

        It begins when all that `fn` uses of the graph around it is there, and ends with all of it,
        whichever part of its result is fetched. `fn` makes no variables.

        Args:
            fn: Takes nothing and returns tensors or operations, in any structure.
            exclusive_resource_access: Whether no other section may use the resources that it uses.
            name: A scope for its nodes.

        Returns:
            What `fn` returned.

        Raises:
            ValueError: `fn` uses this section, for which it would wait forever; or another section
                uses a resource that one of them wants for itself.
        """
        with name_scope(name, "critical_section_execute"):
            body = function(_with_end(fn)).get_concrete_function()
            captured = body.captured_inputs
            resources = [tensor for tensor in captured if tensor.dtype is dtypes.resource]
            if any(self._is_handle(tensor) for tensor in resources):
                raise ValueError(
                    "the function fn attempts to directly access the CriticalSection in which it "
                    f"would be running: it would wait for '{self.name}' forever"
                )
            self._check_access(resources, exclusive_resource_access)
            with control_dependencies([tensor.op for tensor in captured]):
                lock = raw_ops.MutexLock(mutex=self._handle)
            with control_dependencies([lock]):
                called = body._definition.call(captured, "section")
            # Of the nodes of a branch, those that do not run cannot be waited for.
            ended = identity(called.outputs[-1])
            with control_dependencies([ended]), colocate_with(self._handle):
                freed = raw_ops.ConsumeMutexLock(mutex_lock=lock)
            with control_dependencies([freed]):
                outputs = [identity(tensor) for tensor in called.outputs[:-1]]
                end = group(freed)
        execution = _Execution(lock.op, self._handle, resources, exclusive_resource_access)
        add_to_collection(CRITICAL_SECTION_EXECUTIONS, execution)
        rest = iter(outputs)
        structure = body._structure[0]
        leaves = [end if leaf is None else next(rest) for leaf in flatten(structure)]
        return pack_as(structure, leaves) if is_nested(structure) else (leaves or [end])[0]

    def _is_handle(self, tensor: Tensor) -> bool:
        mine, other = self._handle.op, tensor.op
        return mine is other or (
            other.type == "MutexV2"
            and other.get_attr("shared_name") == mine.get_attr("shared_name")
            and other.get_attr("container") == mine.get_attr("container")
            and other.device == mine.device
        )

    def _check_access(self, resources: List[Tensor], exclusive: bool) -> None:
        names = {tensor.name for tensor in resources}
        for other in get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._is_handle(other.handle):
                continue
            if not exclusive and not other.exclusive_resource_access:
                continue
            shared = names & {tensor.name for tensor in other.resources}
            if shared:
                raise ValueError(
                    f"This execution would access resources: {sorted(shared)}. Either this lock "
                    f"(CriticalSection: {self.name}) or lock '{other.op.name}' (CriticalSection: "
                    f"{other.handle.op.name}) requested exclusive resource access of this "
                    "resource. Did you mean to call execute with keyword argument "
                    "exclusive_resource_access=False?"
                )
