"""Signatures of a SavedModel: functions whose arguments and results have names."""

from __future__ import annotations

import collections.abc
from typing import Any, Dict, Mapping, Optional

from troupe._src.control_flow.structure import is_nested
from troupe._src.functions.definition import FunctionDefinition, unique_function_name
from troupe._src.functions.traced import ConcreteFunction, Function
from troupe._src.graph.elements import Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.object_saved_models.restored_functions import (
    RestoredFunction,
    SignatureFunction,
    SignatureMap,
)
from troupe._src.saved_model import constants

DEFAULT_FUNCTION = "_default_save_signature"


def signature_map(signatures: Any, functions: Mapping[str, Any]) -> SignatureMap:
    """The signatures of an object.

    Args:
        signatures: A function, or a dict of some by the names of signatures; None for the function
            of the object that has an input signature, if there is just one.
        functions: Those of the object by their names.

    Returns:
        The signatures.

    Raises:
        ValueError: A function has no signature, or no flat results.
    """
    if signatures is None:
        signatures = _only_one(functions)
    if signatures is None:
        return SignatureMap()
    if not isinstance(signatures, collections.abc.Mapping):
        signatures = {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    return SignatureMap({key: _signature(key, each) for key, each in signatures.items()})


def _only_one(functions: Mapping[str, Any]) -> Any:
    if DEFAULT_FUNCTION in functions:
        return functions[DEFAULT_FUNCTION]
    found = [each for each in map(_concrete, functions.values()) if each and _is_valid(each)]
    return found[0] if len(found) == 1 else None


def _concrete(function: Any) -> Optional[ConcreteFunction]:
    if isinstance(function, (Function, RestoredFunction)) and function.input_signature is not None:
        function = function.get_concrete_function()
    return function if isinstance(function, ConcreteFunction) else None


def _is_valid(function: ConcreteFunction) -> bool:
    try:
        return bool(function.outputs) and bool(_named(function.structured_outputs, "", ""))
    except ValueError:
        return False


def _signature(key: str, function: Any) -> SignatureFunction:
    """The function with arguments by name."""
    concrete = _concrete(function)
    if concrete is None:
        raise ValueError(
            f"Expected a TensorFlow function to generate a signature for, but got {function}. Only "
            "`tf.functions` with an input signature or concrete functions can be used as a "
            "signature."
        )
    own = len(concrete.inputs) - len(concrete.captured_inputs)
    names = getattr(concrete, "_keywords", None)
    if names is None:
        names = [_name_of(tensor) for tensor in concrete.inputs[:own]]
    specs = {
        name: TensorSpec(tensor.shape, tensor.dtype, name)
        for name, tensor in zip(names, concrete.inputs)
    }
    body = FunctionGraph(get_default_graph(), orders_effects=True)
    with body.as_default():
        given = {
            name: body.add_argument(spec.dtype, spec.shape, name)
            for name, spec in sorted(specs.items())
        }
        result = ConcreteFunction._call(concrete, [given[name] for name in names])
        outputs = _named(result, concrete.name, key)
        found = [body._adopt(outputs[name]) for name in sorted(outputs)]
    definition = FunctionDefinition(unique_function_name("signature_wrapper"), body, found)
    return SignatureFunction(
        ConcreteFunction(definition, outputs, [[], specs]), sorted(specs), 1 if own == 1 else 0
    )


def _name_of(tensor: Tensor) -> str:
    return tensor.op.name.replace("/", "_")


def _named(outputs: Any, function_name: str, key: str) -> Dict[str, Any]:
    """Results by their names."""
    if isinstance(outputs, collections.abc.Mapping):
        for name, value in outputs.items():
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"Got a dictionary containing non-Tensor value {value} for key {name} in the "
                    f"output of the function {function_name} used to generate a SavedModel "
                    "signature. Dictionaries outputs for functions used as signatures should have "
                    "one Tensor output per string key."
                )
        return dict(outputs)
    listed = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if any(is_nested(each) for each in listed):
        raise ValueError(
            f"Got non-flat outputs '{outputs}' from '{function_name}' for SavedModel signature "
            f"'{key}'. Signatures have one Tensor per output, so to have predictable names Python "
            "functions used to generate these signatures should avoid outputting Tensors in nested "
            "structures."
        )
    return {f"output_{number}": each for number, each in enumerate(listed)}
