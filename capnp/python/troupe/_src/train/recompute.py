"""Functions that gradients compute again, so that steps need not keep what they have computed."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Sequence

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, grouping_ops
from troupe._src.train.custom_gradient import custom_gradient, variables_read_since
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable_store import get_variable_scope, variable_scope


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that gradients compute again, instead of keeping its tensors.

    As `tf.recompute_grad`. `tf.get_variable` gives the same variables again.

    Args:
        f: The function of tensors, which gives one or a nested structure of them.

    Returns:
        A function with the same results. Its gradients raise ValueError where `f` reads other
        variables when it is called again.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        compute = functools.partial(f, **kwargs)
        return call_recomputed(compute, compute, args)

    return decorated


def call_recomputed(
    compute: Callable[..., Any],
    compute_again: Callable[..., Any],
    args: Sequence[Any],
    joins_gradients: bool = False,
) -> Any:
    """The results of a function, whose gradients are those of calling the other one.

    With `joins_gradients`, no gradient is used before all are there.
    """

    def with_gradient(*tensors: Any) -> Any:
        scope = get_variable_scope()

        def grad(*given: Any, variables: Optional[Sequence[Any]] = None) -> Any:
            graph, known = get_default_graph(), list(variables or [])
            # Begins only where the gradients are there: before, it would keep what it computes.
            with graph.control_dependencies([each for each in given if each is not None]):
                inputs = [array_ops.identity(tensor) for tensor in tensors]
                first = graph.version
                with variable_scope(scope, reuse=True, auxiliary_name_scope=False):
                    outputs = nest.flatten(compute_again(*inputs))
            if set(variables_read_since(graph, first)) != set(known):
                raise ValueError(
                    "A function that gradients compute again reads other variables than at first: "
                    f"these were {[variable.name for variable in known]}."
                )
            used = [pair for pair in zip(outputs, given) if pair[1] is not None]
            ys, initial = ([pair[i] for pair in used] for i in range(2))
            found = gradients(ys, [*inputs, *known], initial)
            if joins_gradients:
                found = grouping_ops.tuple_of(found)
            count = len(inputs)
            return (found[:count], found[count:]) if known else found[:count]

        return compute(*tensors), grad

    return custom_gradient(with_gradient)(*args)
