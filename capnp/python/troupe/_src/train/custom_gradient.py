"""Functions with gradients of their own."""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import Any, Callable, Dict, List, Optional

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.gradient_functions import RegisterGradient
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import identity
from troupe._src.ops.raw_ops import IdentityN
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.ref_variable import RefVariable
from troupe._src.variables.variable import Variable

_numbers = itertools.count()
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")


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
    the function reads trainable variables, `grad` takes them as `variables=` and returns a pair:
    the gradients of the arguments, and the list of those of the variables.

    Args:
        f: The function of tensors; None for a decorator with parentheses. Its result may be a
            nested structure of tensors, of which `grad` gets the gradients in order.

    Returns:
        A function that gives the result alone. It raises TypeError where `f` makes variables of
        references, or where it reads variables and `grad` does not take them.
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


def _add(graph: Graph, f: Callable[..., Any], args: Any) -> Any:
    arguments = [identity(convert_to_tensor(arg)) for arg in args]
    first, before = graph.version, set(graph._variables)
    result, grad = f(*arguments)
    made = [v for name, v in graph._variables.items() if name not in before]
    if any(isinstance(variable, RefVariable) for variable in made):
        raise TypeError(
            "A function with a custom gradient makes no variables of references, of which "
            "use_resource=False or tf.disable_resource_variables() makes new ones."
        )
    reads = variables_read_since(graph, first)
    variables = list(reads)
    if variables and not _takes_variables(grad):
        raise TypeError(
            "A function with a custom gradient that reads variables needs a gradient function with "
            "the argument 'variables'."
        )
    results = [convert_to_tensor(value) for value in nest.flatten(result)]
    name = f"CustomGradient-{next(_numbers)}"
    name_of_f = getattr(f, "__name__", repr(f))
    results_count, arguments_count = len(results), len(arguments)

    # It is registered for good, so it holds no tensors, of which each keeps its graph alive.
    @RegisterGradient(name)
    def _gradients(_op: Any, *given: Any) -> List[Any]:
        of_results = given[:results_count]
        of_variables: List[Any] = []
        if variables:
            of_arguments, of_variables = grad(*of_results, variables=variables)
        else:
            of_arguments = grad(*of_results)
        of_inputs = nest.flatten(of_arguments) + list(of_variables)
        if len(of_inputs) != arguments_count + len(variables):
            raise ValueError(
                f"{name_of_f} has {arguments_count} arguments and {len(variables)} variables, and "
                f"its gradient function returned {len(of_inputs)} gradients."
            )
        return [None] * results_count + of_inputs

    with graph.gradient_override_map({"IdentityN": name}):
        passed = IdentityN(input=results + arguments + [reads[variable] for variable in variables])
    outputs = passed[: len(results)]
    return nest.pack_sequence_as(result, list(outputs))


def _takes_variables(grad: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad).parameters.values()
    return any(each.name == "variables" or each.kind is each.VAR_KEYWORD for each in parameters)


def variables_read_since(graph: Graph, first: int) -> Dict[Variable, Tensor]:
    """The trainable variables that nodes from `first` on read, each with a tensor of its value."""
    reads: Dict[Variable, Tensor] = {}
    for op in graph.get_operations()[first:]:
        if op.type not in _READS or op.inputs[0].dtype != dtypes.resource:
            continue
        variable = _variable_of(graph, op.inputs[0])
        if variable is not None and variable not in reads and variable.trainable:
            is_whole = op.type == "ReadVariableOp"
            reads[variable] = op.outputs[0] if is_whole else variable.read_value()
    return reads


def _variable_of(graph: Graph, handle: Tensor) -> Optional[Variable]:
    """The variable of a handle, which in a function is an argument for that outside."""
    while isinstance(graph, FunctionGraph):
        outside = next((t for t, inner in graph.captures.items() if inner is handle), None)
        if outside is None:
            return None
        graph, handle = graph.outer_graph, outside
    name = handle.op._variable_name
    found = graph._variables.get(name) if name else None
    return found if isinstance(found, Variable) else None


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function of which gradients are those of the identity.

    As `tf.grad_pass_through`. Variables that it reads get no gradients.

    Args:
        f: The function, whose results have the shapes of its arguments.

    Returns:
        A function with the same results.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        def pass_through(*arguments: Any) -> Any:
            def grad(*given: Any, variables: Any = None) -> Any:
                return given if variables is None else (given, [None] * len(variables))

            return f(*arguments, **kwargs), grad

        return custom_gradient(pass_through)(*args)

    return decorated
