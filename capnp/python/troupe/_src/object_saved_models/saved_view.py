"""The objects of a SavedModel, with their functions, as messages."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.functions.traced import ConcreteFunction, Function
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.control_flow.structure import map_leaves
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer as OptimizerV2
from troupe._src.messages.meta_graph_messages import SavedObject, SavedObjectGraph
from troupe._src.object_checkpoints.object_view import ObjectView
from troupe._src.module_scopes.checkpointable import CheckpointableBase
from troupe._src.object_saved_models.restored_functions import (
    RestoredFunction,
    SignatureFunction,
    SignatureMap,
)
from troupe._src.object_saved_models.structures import encode
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable import Variable

_FUNCTIONS = (Function, RestoredFunction)


class Description(NamedTuple):
    """What a SavedModel says of an object of a class that it knows.

    Args:
        identifier: The name of what it is.
        metadata: What its program needs to make it again.
        children: More objects that it has, by name.
    """

    identifier: str
    metadata: str = ""
    children: List[Tuple[str, Any]] = []  # noqa: RUF012


Describe = Callable[[Any], Optional[Description]]


class SavedList(CheckpointableBase):
    """A list of variables, functions and other objects.

    Args:
        items: The objects.
    """

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = list(items)

    @property
    def _checkpoint_dependencies(self) -> List[Tuple[str, Any]]:
        return [(str(number), each) for number, each in enumerate(self.items)]


def describe() -> Describe:
    """What a SavedModel says of objects of classes that have `_describe_saved`: the objects that it
    said before are known to it."""
    saved: Dict[int, Any] = {}

    def told(value: Any) -> Optional[Description]:
        own = getattr(type(value), "_describe_saved", None)
        return None if own is None else own(value, saved)

    return told


def functions_of(value: Any) -> Dict[str, Any]:
    """The functions that are attributes of an object, by their names.

    Args:
        value: The object.

    Returns:
        Those that `tf.function` has made, and traces of such.
    """
    if not isinstance(value, CheckpointableBase):
        return {}
    names = {*dir(type(value)), *vars(value)}
    kinds = (*_FUNCTIONS, ConcreteFunction)
    static = {name: inspect.getattr_static(value, name, None) for name in sorted(names)}
    return {
        name: getattr(value, name) for name, found in static.items() if isinstance(found, kinds)
    }


class SavedView(ObjectView):
    """The objects that a root has.

    Args:
        root: The root.
        signatures: Its signatures.
        describe: Says what a SavedModel has of an object, or None for what it has of any.
    """

    def __init__(self, root: Any, signatures: SignatureMap, describe: Describe) -> None:
        self._root, self._signatures, self._describe = root, signatures, describe
        self.described: Dict[int, Optional[Description]] = {}
        self.concrete: Dict[str, ConcreteFunction] = {}
        self.constants: List[Tensor] = []
        super().__init__(root)

    def _children_of(self, value: Any) -> List[Tuple[str, Any]]:
        if isinstance(value, SignatureMap):
            return list(value.items())
        if isinstance(value, (*_FUNCTIONS, ConcreteFunction)):
            return []
        told = self._describe(value)
        self.described[id(value)] = told
        found = dict(super()._children_of(value))
        found.update(told.children if told else ())
        if value is self._root:
            found["signatures"] = self._signatures
        found.update(functions_of(value))
        return list(found.items())

    def variables(self) -> List[Variable]:
        """The variables among the objects."""
        return [each for each in self.objects if isinstance(each, Variable)]

    def number_of(self, tensor: Tensor) -> int:
        """The number of the object whose tensor a function captures.

        Args:
            tensor: The tensor.

        Returns:
            The number.

        Raises:
            AssertionError: It is of a variable that no object has.
            ValueError: It is no constant.
        """
        for number, value in enumerate(self.objects):
            if value is tensor or isinstance(value, Variable) and value.handle is tensor:
                return number
        if tensor.op.type == "Const":
            return self._add(tensor, "")
        if tensor.op.type == "VarHandleOp":
            raise AssertionError(
                f"Tried to export a function which references untracked object {tensor}. "
                "TensorFlow objects (e.g. tf.Variable) captured by functions must be tracked by "
                "assigning them to an attribute of a tracked object or assigned to an attribute of "
                "the main object directly."
            )
        raise ValueError(
            f"Attempted to save a function which references a symbolic Tensor {tensor} that is not "
            "a simple constant. This is not supported."
        )

    def message(self) -> SavedObjectGraph:
        """The message of all objects and functions."""
        found = SavedObjectGraph()
        described = [self._description_of(value) for value in list(self.objects)]
        for name, function in self.concrete.items():
            told = found.concrete_functions[name]
            told.bound_inputs.extend(self.number_of(each) for each in function.captured_inputs)
            args, kwargs = function._arguments
            signature = (tuple(_named(function, args)), kwargs)
            told.canonicalized_input_signature.CopyFrom(encode(signature))
            told.output_signature.CopyFrom(encode(map_leaves(_spec, function.structured_outputs)))
        described += [self._description_of(each) for each in self.objects[len(described) :]]
        for number, message in enumerate(described):
            for name, child in self.children[number]:
                message.children.add(node_id=child, local_name=name)
            for slot in self.slots.get(number, ()):
                message.slot_variables.add(
                    original_variable_node_id=slot.original, slot_name=slot.name,
                    slot_variable_node_id=slot.variable,
                )  # fmt: skip
            found.nodes.append(message)
        return found

    def _description_of(self, value: Any) -> SavedObject:
        message = SavedObject()
        if isinstance(value, Variable):
            _describe_variable(message, value)
        elif isinstance(value, ConcreteFunction):
            self._describe_concrete(message, value)
        elif isinstance(value, _FUNCTIONS):
            self._describe_function(message, value)
        elif isinstance(value, Tensor):
            message.constant.operation = value.op.name
        else:
            told = self.described.get(id(value)) or Description(_identifier(value))
            message.user_object.identifier = told.identifier
            message.user_object.metadata = told.metadata
            message.user_object.version.producer = 1
            message.user_object.version.min_consumer = 1
        return message

    def _describe_concrete(self, message: SavedObject, function: ConcreteFunction) -> None:
        self.concrete[function.name] = function
        held = message.bare_concrete_function
        held.concrete_function_name = function.name
        if isinstance(function, SignatureFunction):
            held.argument_keywords.extend(function._keywords)
            held.allowed_positional_arguments = function._positional
            return
        own = len(function.inputs) - len(function.captured_inputs)
        held.argument_keywords.extend(each.op.name for each in function.inputs[:own])
        held.allowed_positional_arguments = own

    def _describe_function(self, message: SavedObject, function: Any) -> None:
        message.function.SetInParent()
        for each in function.concrete_functions(get_default_graph()):
            self.concrete[each.name] = each
            message.function.concrete_functions.append(each.name)
        spec = message.function.function_spec
        spec.fullargspec.CopyFrom(_arguments(inspect.signature(function.python_function)))
        signature = function.input_signature
        spec.input_signature.CopyFrom(encode(None if signature is None else tuple(signature)))


def _named(function: ConcreteFunction, args: Any) -> Any:
    """The arguments by position, with the names that they have in the function."""
    names = iter([each.op.name for each in function.inputs])

    def with_name(leaf: Any) -> Any:
        if not isinstance(leaf, TensorSpec):
            return leaf
        return TensorSpec(leaf.shape, leaf.dtype, leaf.name or next(names))

    return map_leaves(with_name, list(args))


def _spec(leaf: Any) -> Any:
    return TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, Tensor) else leaf


def _describe_variable(message: SavedObject, variable: Variable) -> None:
    held = message.variable
    held.dtype = variable.dtype.base_dtype.as_datatype_enum
    held.shape.CopyFrom(TensorShape(variable.shape).as_proto())
    held.trainable = variable.trainable
    held.synchronization = int(variable.synchronization.value)
    held.aggregation = int(variable.aggregation.value)
    held.name = variable._shared_name


def _identifier(value: Any) -> str:
    if isinstance(value, SignatureMap):
        return "signature_map"
    if isinstance(value, (list, SavedList)):
        return "trackable_list_wrapper"
    if isinstance(value, dict):
        return "trackable_dict_wrapper"
    return "optimizer" if isinstance(value, OptimizerV2) else "_generic_user_object"


def _arguments(signature: inspect.Signature) -> Any:
    """The arguments of a function of Python as a message."""
    by_kind: Dict[Any, List[inspect.Parameter]] = {}
    for each in signature.parameters.values():
        by_kind.setdefault(each.kind, []).append(each)
    kind, none = inspect.Parameter, inspect.Parameter.empty
    plain = by_kind.get(kind.POSITIONAL_ONLY, []) + by_kind.get(kind.POSITIONAL_OR_KEYWORD, [])
    defaults = tuple(each.default for each in plain if each.default is not none)
    only = by_kind.get(kind.KEYWORD_ONLY, [])
    only_defaults = {each.name: each.default for each in only if each.default is not none}
    message = encode(None)
    fields = {
        "args": [each.name for each in plain],
        "varargs": next((each.name for each in by_kind.get(kind.VAR_POSITIONAL, [])), None),
        "varkw": next((each.name for each in by_kind.get(kind.VAR_KEYWORD, [])), None),
        "defaults": defaults or None,
        "kwonlyargs": [each.name for each in only],
        "kwonlydefaults": only_defaults or None,
        "annotations": {},
    }
    message.Clear()
    message.named_tuple_value.name = "FullArgSpec"
    for name, value in fields.items():
        message.named_tuple_value.values.add(key=name).value.CopyFrom(encode(value))
    return message
