"""The functions of a SavedModel under names of their own, as functions of this program."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Sequence

from troupe._src.control_flow.structure import flatten
from troupe._src.functions.definition import FunctionDefinition, unique_function_name
from troupe._src.graph.elements import Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import FunctionDefLibrary, GraphDef


class FunctionLibrary:
    """The functions of a message, of which each has a new name: others may have the old ones.

    Args:
        library: The message; it stays as it is.
    """

    def __init__(self, library: FunctionDefLibrary) -> None:
        self._names = {
            each.signature.name: unique_function_name(each.signature.name.lstrip("_"))
            for each in library.function
        }
        self._functions: Dict[str, Any] = {}
        self._called: Dict[str, List[str]] = {}
        for each in library.function:
            old = each.signature.name
            copy = type(each)()
            copy.CopyFrom(each)
            copy.signature.name = self._names[old]
            self._called[old] = list(self._rename(copy))
            self._functions[old] = copy

    def _rename(self, function: Any) -> Iterator[str]:
        """Gives the functions that a function calls their new names; yields the old ones."""
        for node in function.node_def:
            if node.op in self._names:  # a call, without an op for calls
                yield node.op
                node.op = self._names[node.op]
            for value in node.attr.values():
                held = [value.func] if value.WhichOneof("value") == "func" else value.list.func
                for each in held:
                    if each.name in self._names:
                        yield each.name
                        each.name = self._names[each.name]
            node.attr.pop("_gradient_op_type", None)  # of the program that wrote it

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def arguments_of(self, name: str) -> int:
        """How many arguments a function has, with those that it captures."""
        return len(self._functions[name].signature.input_arg)

    def definition_of(
        self, name: str, specs: Sequence[TensorSpec], captured: Sequence[Tensor], results: Any
    ) -> FunctionDefinition:
        """A function of the default graph that calls it.

        Args:
            name: The function, by its name in the message.
            specs: What its own arguments are.
            captured: Tensors of the default graph, which are the other arguments.
            results: The structure of its results, with a TensorSpec for each.
        """
        body = FunctionGraph(get_default_graph())
        shapes = [each.shape for each in flatten(results) if isinstance(each, TensorSpec)]
        with body.as_default():
            given = [
                body.add_argument(spec.dtype, spec.shape, spec.name or f"arg_{number}")
                for number, spec in enumerate(specs)
            ]
            given += [body._adopt(each) for each in captured]
            found = self._call(name, given)
        for tensor, shape in zip(found, shapes):
            tensor.set_shape(shape)
        return FunctionDefinition(unique_function_name(f"restored_{name.lstrip('_')}"), body, found)

    def _call(self, name: str, given: Sequence[Tensor]) -> List[Tensor]:
        """Adds the functions and a call to the body."""
        function = self._functions[name]
        message = GraphDef()
        is_stateful = any(self._functions[each].signature.is_stateful for each in self._all(name))
        call = message.node.add(
            name="call", op="StatefulPartitionedCall" if is_stateful else "PartitionedCall"
        )
        call.attr["f"].func.name = self._names[name]
        call.attr["Tin"].list.SetInParent()
        call.attr["Tout"].list.SetInParent()
        replaced = {}
        for number, tensor in enumerate(given):
            call.input.append(f"given_{number}")
            call.attr["Tin"].list.type.append(tensor.dtype.as_datatype_enum)
            replaced[f"given_{number}:0"] = tensor
        for result in function.signature.output_arg:
            call.attr["Tout"].list.type.append(result.type)
        message.library.function.extend(self._functions[each] for each in self._all(name))
        names = [f"call:{number}" for number in range(len(function.signature.output_arg))]
        results: Any = import_graph_def(message, replaced, names, name="")
        return list(results or ())

    def _all(self, name: str) -> List[str]:
        """A function and all that it calls."""
        found, left = [], [name]
        while left:
            name = left.pop()
            if name not in found:
                found.append(name)
                left += self._called[name]
        return found
