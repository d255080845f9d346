"""The collections of variables, and ops that initialize or check all variables of one."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import raw_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.convert import constant
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable


def _collected(key: str, scope: Optional[str]) -> List[Any]:
    return get_default_graph().get_collection(key, scope)


def global_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that the cluster shares: by default, all.

    Args:
        scope: A prefix of the names of those that count; None for all.

    Returns:
        A list of variables, in the order in which they were made.
    """
    return _collected(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that only this program uses, in the collection LOCAL_VARIABLES.

    Args:
        scope: A prefix of the names of those that count; None for all.

    Returns:
        A list of variables, in the order in which they were made.
    """
    return _collected(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that optimizers train by default.

    Args:
        scope: A prefix of the names of those that count; None for all.

    Returns:
        A list of variables, in the order in which they were made.
    """
    return _collected(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables in the collection MODEL_VARIABLES, which programs fill.

    Args:
        scope: A prefix of the names of those that count; None for all.

    Returns:
        A list of variables, in the order in which they were added.
    """
    return _collected(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that have a moving average, in MOVING_AVERAGE_VARIABLES.

    Args:
        scope: A prefix of the names of those that count; None for all.

    Returns:
        A list of variables, in the order in which they were added.
    """
    return _collected(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """An op that runs the initializers of those variables.

    Args:
        var_list: The variables.

    Returns:
        The operation.
    """
    return group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Operation:
    """An op that initializes all global variables created so far."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An op that initializes all local variables created so far."""
    return variables_initializer(local_variables(), "init_local")


def is_variable_initialized(variable: Union[Variable, Tensor]) -> Tensor:
    """Whether a variable has a value when the step runs.

    Args:
        variable: The variable, or the tensor that a graph has under its name.

    Returns:
        A scalar of bool.

    Raises:
        TypeError: The tensor is no variable's.
    """
    if isinstance(variable, Tensor):
        every, place = variable.graph._variables.values(), variable._place
        found = [each for each in every if each._snapshot._place == place]
        if not found:
            raise TypeError(f"{variable} is not the value of a variable")
        return is_variable_initialized(found[0])
    with get_default_graph().colocate_with(variable.op):
        return raw_ops.VarIsInitializedOp(resource=variable.handle)


def report_uninitialized_variables(
    var_list: Optional[Sequence[Variable]] = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of variables that have no value when the step runs.

    Args:
        var_list: The variables; None for all global and local ones.

    Returns:
        Strings, [count].
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    graph = get_default_graph()
    # On the device of the session, whatever function the scopes choose devices by.
    with graph.name_scope(name), graph.control_dependencies(None), graph.device(None):
        names = constant([v._shared_name for v in variables], dtypes.string, [len(variables)])
        if not variables:
            return names
        has_value = raw_ops.Pack(values=[is_variable_initialized(v) for v in variables])
        missing = raw_ops.Where(input=raw_ops.LogicalNot(x=has_value))
        indices = raw_ops.Squeeze(input=missing, squeeze_dims=[1])
        return raw_ops.GatherV2(params=names, indices=indices, axis=0)


def assert_variables_initialized(var_list: Optional[Sequence[Variable]] = None) -> Optional[Tensor]:
    """A tensor whose step fails with FailedPrecondition where a variable has no value.

    Args:
        var_list: The variables; None for all global and local ones.

    Returns:
        The tensor; None where there are no variables.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not variables:
        return None
    ranks = []
    for variable in variables:
        with get_default_graph().colocate_with(variable.op):
            ranks.append(raw_ops.Rank(input=variable.read_value()))
    return ranks[0] if len(ranks) == 1 else raw_ops.Pack(values=ranks)
