"""Variables of models: how they are made, and found by name."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional, Sequence, Union

from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import VariableScope, get_variable_scope


@add_arg_scope
def variable(
    name: str, shape: ShapeLike = None, dtype: Optional[DTypeLike] = None, initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None, trainable: bool = True,
    collections: Optional[Sequence[str]] = None, caching_device: Any = None, device: Any = None,
    partitioner: Optional[Callable[..., Any]] = None,
    custom_getter: Optional[Callable[..., Any]] = None, use_resource: Optional[bool] = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:  # fmt: skip
    """`tf.get_variable` on a device, by a getter that is given the name in the scope.

    Args:
        shape: Its shape; may be omitted with an initializer that has one.
        dtype: Its dtype, by default float32.
        initializer: Makes its first value: a function of a shape, or a value. By default the
            scope's.
        regularizer: Makes a loss of it, which is added to REGULARIZATION_LOSSES.
        trainable: Whether optimizers train it by default.
        collections: The collections that it is added to, by default GLOBAL_VARIABLES.
        caching_device: Where a step keeps the value that it has read.
        device: Its device.
        partitioner: Divides it into parts.
        custom_getter: Called instead of `tf.get_variable`, with the name in the scope.
        use_resource: Whether it is a variable of a resource; by default as the scope says.
        synchronization: Is kept and not used.
        aggregation: Is kept and not used.

    Returns:
        The variable, or its parts with a partitioner.

    Raises:
        ValueError: There is such a variable and the scope does not reuse it, or there is none and
            it does.
    """
    getter: Callable[..., Any] = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with get_default_graph().device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(keys)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name: str, shape: ShapeLike = None, dtype: Any = dtypes.float32, initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None, trainable: bool = True,
    collections: Optional[Sequence[str]] = None, caching_device: Any = None, device: Any = None,
    partitioner: Optional[Callable[..., Any]] = None,
    custom_getter: Optional[Callable[..., Any]] = None, use_resource: Optional[bool] = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:  # fmt: skip
    """A `variable` that is in MODEL_VARIABLES too.

    Args:
        shape: Its shape; may be omitted with an initializer that has one.
        dtype: Its dtype, by default float32.
        initializer: Makes its first value: a function of a shape, or a value. By default the
            scope's.
        regularizer: Makes a loss of it, which is added to REGULARIZATION_LOSSES.
        trainable: Whether optimizers train it by default.
        collections: Those that it is added to beside GLOBAL_VARIABLES and MODEL_VARIABLES.
        caching_device: Where a step keeps the value that it has read.
        device: Its device.
        partitioner: Divides it into parts.
        custom_getter: Called instead of `tf.get_variable`, with the name in the scope.
        use_resource: Whether it is a variable of a resource; by default as the scope says.
        synchronization: Is kept and not used.
        aggregation: Is kept and not used.

    Returns:
        The variable, or its parts with a partitioner.

    Raises:
        ValueError: There is such a variable and the scope does not reuse it, or there is none and
            it does.
    """
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[
            *(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES,
        ],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )  # fmt: skip


def local_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: Optional[str] = None,
    use_resource: Optional[bool] = None,
) -> Variable:
    """A variable that is not trained, among the local ones.

    Args:
        initial_value: Its first value, or a function that gives it.
        validate_shape: Whether the shape must be known.
        name: Its name.
        use_resource: False for a variable of references.

    Returns:
        The variable.
    """
    return Variable(
        initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape, name=name, use_resource=use_resource,
    )  # fmt: skip


def global_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: Optional[str] = None,
    use_resource: Optional[bool] = None,
) -> Variable:
    """A variable that is not trained, among the global ones.

    Args:
        initial_value: Its first value, or a function that gives it.
        validate_shape: Whether the shape must be known.
        name: Its name.
        use_resource: False for a variable of references.

    Returns:
        The variable.
    """
    return Variable(
        initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape, name=name, use_resource=use_resource,
    )  # fmt: skip


def get_variables(
    scope: Union[VariableScope, str, None] = None,
    suffix: Optional[str] = None,
    collection: str = GraphKeys.GLOBAL_VARIABLES,
) -> List[Any]:
    """The variables of a collection whose names begin and end in some way.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.
        collection: The name of the collection.

    Returns:
        The variables, in the order of the collection.
    """
    prefix = scope.name if isinstance(scope, VariableScope) else scope
    if suffix is not None:
        prefix = f"{prefix or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return get_default_graph().get_collection(collection, prefix)


def get_model_variables(
    scope: Union[VariableScope, str, None] = None, suffix: Optional[str] = None
) -> List[Any]:
    """`get_variables` of MODEL_VARIABLES.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(
    scope: Union[VariableScope, str, None] = None, suffix: Optional[str] = None
) -> List[Any]:
    """`get_variables` of LOCAL_VARIABLES.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(
    scope: Union[VariableScope, str, None] = None, suffix: Optional[str] = None
) -> List[Any]:
    """`get_variables` of TRAINABLE_VARIABLES.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(
    suffix: str, scope: Union[VariableScope, str, None] = None
) -> List[Any]:
    """`get_variables` with the suffix first.

    Args:
        suffix: A regular expression that names end with, without ":0"; by default any.
        scope: A scope, or a regular expression that names begin with; by default all names.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix)


def get_variables_by_name(
    given_name: str, scope: Union[VariableScope, str, None] = None
) -> List[Any]:
    """The variables whose last part of the name is the given one.

    Args:
        given_name: The last part of the names, without ":0".
        scope: A scope, or a regular expression that names begin with; by default all names.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """The variable of a name.

    Args:
        var_op_name: The whole name, without ":0".

    Returns:
        The variable.

    Raises:
        ValueError: There is none of that name.
    """
    candidates = get_variables(var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for each in candidates:
        if each.op.name == var_op_name:
            return each
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variables_to_restore(
    include: Optional[Sequence[Any]] = None, exclude: Optional[Sequence[Any]] = None
) -> List[Any]:
    """The variables of some scopes.

    Args:
        include: A list of scopes, by default one of all variables.
        exclude: A list of scopes whose variables are left out, by default empty.

    Returns:
        The variables, in the order of the scopes.

    Raises:
        TypeError: An argument is no list or tuple.
    """
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{name} is provided but is not a list or a tuple.")
    scopes = [None] if include is None else include
    without = [each for scope in exclude or () for each in get_variables(scope)]
    included = [each for scope in scopes for each in get_variables(scope)]
    return [each for each in included if all(each is not other for other in without)]


def add_model_variable(var: Any) -> None:
    """Adds it to MODEL_VARIABLES, once.

    Args:
        var: The variable.
    """
    if all(var is not each for each in get_model_variables()):
        get_default_graph().add_to_collection(GraphKeys.MODEL_VARIABLES, var)
