"""Layers that gradients compute again, in the scopes in which they were computed."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

from troupe._src.contrib.arg_scope import arg_scope, current_arg_scope
from troupe._src.graph.elements import Tensor
from troupe._src.train.recompute import call_recomputed
from troupe._src.variables.variable import Variable


def recompute_grad(
    fn: Any = None, use_data_dep: Any = None, tupleize_grads: bool = False
) -> Callable[..., Any]:
    """Decorates a function that gradients compute again, instead of keeping its tensors.

    As `tf.contrib.layers.recompute_grad`. It is called again in the scopes of variables and of
    arguments of the first call. A function with an argument `is_recomputing` is told which it is,
    so that it changes state and draws random numbers only once.

    Args:
        fn: The function of tensors, which gives one or several; None for a decorator with
            arguments.
        use_data_dep: Has no effect: control dependencies keep the order.
        tupleize_grads: No gradient is used before all are there.

    Returns:
        A function of the same positional arguments, with the same results. Its gradients raise
        ValueError where `fn` reads other variables when it is called again.

    Raises:
        ValueError: `fn` uses a tensor or a variable of the function around it, which would have no
            gradient by it.
    """
    if fn is None:
        return functools.partial(
            recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads
        )
    outside = inspect.getclosurevars(fn).nonlocals if inspect.isfunction(fn) else {}
    for name, value in outside.items():
        if isinstance(value, (Tensor, Variable)):
            raise ValueError(
                f"A function that gradients compute again uses {value.name} ({name}) of the "
                "function around it, which has to be an argument to have a gradient."
            )
    parameters = inspect.signature(fn).parameters.values()
    is_told = any(p.name == "is_recomputing" or p.kind is p.VAR_KEYWORD for p in parameters)

    @functools.wraps(fn)
    def decorated(*args: Any) -> Any:
        arguments = dict(current_arg_scope())

        def compute(is_recomputing: bool, *tensors: Any) -> Any:
            with arg_scope(arguments):
                return fn(*tensors, **({"is_recomputing": is_recomputing} if is_told else {}))

        first, again = (functools.partial(compute, value) for value in (False, True))
        return call_recomputed(first, again, args, tupleize_grads)

    return decorated
