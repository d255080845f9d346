"""Functions with gradients of their own."""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import Any, Callable, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.gradient_functions import RegisterGradient
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import identity
from troupe._src.ops.raw_ops import IdentityN
from troupe._src.set_module import set_module
from troupe._src.variables.variable import Variable

_numbers = itertools.count()


@set_module("troupe")
def custom_gradient(f: Optional[Callable[..., Any]] = None) -> Callable[..., Any]:
    """Decorates a function that returns its result and the function of its gradients.

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)
            def grad(dy):
                return dy * (1 - 1 / (1 + e))
            return tf.log(1 + e), grad

    `grad` gets the gradient with respect to each result, and returns one for each argument. Where
    the function reads variables, `grad` takes them as `variables=` and returns a pair: the
    gradients of the arguments, and the list of those of the variables.

    Args:
        f: The function of tensors; None for a decorator with parentheses.

    Returns:
        A function that gives the result alone.
    """

    if f is None:
        return custom_gradient
    function = f

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError("A function with a custom gradient takes no keyword arguments.")
        graph = get_default_graph()
        with graph.name_scope("CustomGradient"):
            return _add(graph, function, args)

    return decorated


def _listed(values: Any) -> List[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _add(graph: Graph, f: Callable[..., Any], args: Any) -> Any:
    arguments = [identity(convert_to_tensor(arg)) for arg in args]
    first = graph.version
    result, grad = f(*arguments)
    reads = _reads_of_variables(graph, first)
    variables = list(reads)
    if variables and "variables" not in inspect.signature(grad).parameters:
        raise TypeError(
            "A function with a custom gradient that reads variables needs a gradient function with "
            "the argument 'variables'."
        )
    results = [convert_to_tensor(value) for value in _listed(result)]
    name = f"CustomGradient-{next(_numbers)}"

    @RegisterGradient(name)
    def _gradients(_op: Any, *given: Any) -> List[Any]:
        of_results = given[: len(results)]
        of_variables: List[Any] = []
        if variables:
            of_arguments, of_variables = grad(*of_results, variables=variables)
        else:
            of_arguments = grad(*of_results)
        made = [None] * len(results) + _listed(of_arguments) + list(of_variables)
        if len(made) != len(results) + len(arguments) + len(variables):
            raise ValueError(
                f"{f.__name__} has {len(arguments)} arguments and {len(variables)} variables, and "
                f"its gradient function returned {len(made) - len(results)} gradients."
            )
        return made

    with graph.gradient_override_map({"IdentityN": name}):
        passed = IdentityN(input=results + arguments + [reads[variable] for variable in variables])
    outputs = passed[: len(results)]
    if not isinstance(result, (list, tuple)):
        return outputs[0]
    return type(result)(outputs)


def _reads_of_variables(graph: Graph, first: int) -> Any:
    """The variables that nodes from `first` on read, each with a tensor of its value."""
    by_handle = {
        variable.handle.op._id: variable
        for variable in graph._variables.values()
        if isinstance(variable, Variable)
    }
    reads = {}
    for op in graph.get_operations()[first:]:
        if op.type != "ReadVariableOp":
            continue
        variable = by_handle.get(op.inputs[0].op._id)
        if variable is not None and variable not in reads:
            reads[variable] = _read(op)
    return reads


def _read(op: Any) -> Tensor:
    value: Tensor = op.outputs[0]
    return value
