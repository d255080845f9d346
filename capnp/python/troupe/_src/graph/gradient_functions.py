"""Gradients of ops that a program defines."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.graph.elements import Operation
from troupe._src.set_module import set_module

GradientFunction = Callable[..., Any]

_OVERRIDE_ATTR = "_gradient_op_type"
# What they name in an imported graph exists in the program that made it.
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_functions: Dict[str, Optional[GradientFunction]] = {}


@set_module("troupe")
class RegisterGradient:
    """Decorates the gradient function of an op, or of what `Graph.gradient_override_map` names.

        @tf.RegisterGradient("RowNorms")
        def _row_norms_grad(op, grad):
            return op.inputs[0] * tf.expand_dims(grad / op.outputs[0], 1)

    The function gets the operation and the gradient with respect to each of its outputs, and
    returns one for each input, or None. It is called when `tf.gradients` builds the graph.
    """

    def __init__(self, op_type: str) -> None:
        """Makes a decorator.

        Args:
            op_type: The op, or a name for `Graph.gradient_override_map`.

        Raises:
            TypeError: It is no text.
        """
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: GradientFunction) -> GradientFunction:
        """Registers a function.

        Args:
            f: A function of a node and of the gradient of each of its outputs; gives the gradient
                of each of its inputs, or None.

        Returns:
            The function.

        Raises:
            KeyError: There is one of that name.
        """
        _register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Says that nothing passes through nodes of that op.

    Args:
        op_type: The op.

    Raises:
        TypeError: It is no text.
        KeyError: There is a gradient function of that name.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


def _register(op_type: str, function: Optional[GradientFunction]) -> None:
    if op_type in _functions:
        raise KeyError(f"Registering two gradients with the name '{op_type}'")
    _functions[op_type] = function


def find_gradient_function(op: Operation) -> Optional[GradientFunction]:
    """That of the program for this operation; None where the op's own is to be used.

    LookupError where a scope of the graph named one that nobody has registered.
    """
    overridden = op._attr(_OVERRIDE_ATTR)
    name = op.type if overridden is None else overridden.decode()
    if name in _functions:
        return _functions[name] or _pass_nothing_on
    if overridden is not None and op.type not in _CALLS:
        raise LookupError(f"No gradient '{name}' is registered for operation '{op.name}'.")
    return None


def _pass_nothing_on(op: Operation, *_: Any) -> Any:
    return [None] * len(op.inputs)


def register_function_gradient(name: str, function: GradientFunction) -> str:
    """Registers the gradients of calls of a function of a graph.

    Args:
        name: The name of that function.
        function: Gets the operation of the call and the gradients of its results.

    Returns:
        The value of the attribute of a call that has these gradients.
    """
    key = f"gradient of {name}"
    _functions[key] = function
    return key
