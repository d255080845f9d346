"""get_variable, and the variable scopes in which variables are shared by name."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables.synchronization import (
    VariableAggregation,
    VariableSynchronization,
)
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_creation import get_or_create
from troupe._src.variables.variable_store import (
    Reuse,
    chain_getters,
    get_variable_scope,
    variable_scope,
)


def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: Optional[str] = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Reuse = None,
    dtype: Optional[DTypeLike] = None,
    use_resource: Optional[bool] = None,
    constraint: Any = None,
) -> Any:
    """`variable_scope` with the argument order of older programs.

    Args:
        values: Has no effect.
        name_or_scope: As for `variable_scope`; so are the others.
        default_name: The name where that is None, made unique.
        initializer: That of variables whose `get_variable` gives none.
        regularizer: That of such variables: a function of one that gives a loss.
        caching_device: Makes a step read such variables once.
        partitioner: Says into how many parts such variables are cut.
        custom_getter: Is called in place of the getter, which it gets as its first argument.
        reuse: True or `tf.AUTO_REUSE`; None and False for that of the scope around, or of the
            scope that is given.
        dtype: The dtype of such variables.
        use_resource: False for variables of references.
        constraint: That of such variables.

    Returns:
        The context of `variable_scope`.
    """
    return variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    )


def get_local_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = False,
    collections: Optional[Sequence[str]] = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Optional[bool] = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """`get_variable` for a local variable, which is not trainable.

    Args:
        shape: The sizes, where the initializer is no value.
        dtype: The dtype, by default that of the scope.
        initializer: A value, or a function of a shape and a dtype; by default that of the scope,
            else `tf.glorot_uniform_initializer`.
        regularizer: A function of the variable that gives a loss; by default that of the scope.
        trainable: Has no effect.
        collections: Further collections that it is added to, besides LOCAL_VARIABLES.
        caching_device: Makes a step read it once; by default that of the scope.
        partitioner: Says into how many parts it is cut; by default that of the scope.
        validate_shape: Whether its shape must be known, and stay.
        use_resource: False for a variable of references; by default as the scope.
        custom_getter: Is called in place of the getter, which it gets as its first argument.
        constraint: A function of the value after each update of an optimizer.
        synchronization: A `tf.VariableSynchronization`.
        aggregation: A `tf.VariableAggregation`.

    Returns:
        The variable, as `get_variable` gives it.

    Raises:
        ValueError: As by `get_variable`.
    """
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or []), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None,
    trainable: Optional[bool] = None,
    collections: Optional[Sequence[str]] = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Optional[bool] = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Variable:
    """The variable of that name in the current scope, which is created if the scope allows it.

    Args:
        shape: The sizes, where the initializer is no value.
        dtype: The dtype, by default that of the scope.
        initializer: A value, or a function of a shape and a dtype; by default that of the scope,
            else `tf.glorot_uniform_initializer`.
        regularizer: A function of the variable that gives a loss; by default that of the scope.
        trainable: Whether optimizers train it, by default unless it is synchronized on reads.
        collections: The names of the collections that it is added to, by default GLOBAL_VARIABLES.
        caching_device: Makes a step read it once; by default that of the scope.
        partitioner: Says into how many parts it is cut; by default that of the scope.
        validate_shape: Whether its shape must be known, and stay.
        use_resource: False for a variable of references; by default as the scope.
        custom_getter: Is called in place of the getter, which it gets as its first argument.
        constraint: A function of the value after each update of an optimizer.
        synchronization: A `tf.VariableSynchronization`.
        aggregation: A `tf.VariableAggregation`.

    Returns:
        The variable; a PartitionedVariable with a partitioner; or what a custom getter returns.

    Raises:
        ValueError: It exists but the scope does not reuse variables, it does not exist but the
            scope only reuses, it has another shape or dtype, or it is to be trainable and
            synchronized on reads.
    """
    if trainable is None:
        trainable = synchronization is not VariableSynchronization.ON_READ
    scope = get_variable_scope()
    full_name = f"{scope.name}/{name}" if scope.name else name
    getter = chain_getters(custom_getter, scope.custom_getter)
    arguments = {
        "shape": shape,
        "dtype": as_dtype(dtype) if dtype is not None else None,
        "initializer": initializer,
        "regularizer": regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device or scope.caching_device,
        "partitioner": partitioner or scope.partitioner,
        "validate_shape": validate_shape,
        "use_resource": scope.use_resource if use_resource is None else use_resource,
        "constraint": constraint or scope.constraint,
        "synchronization": synchronization or VariableSynchronization.AUTO,
        "aggregation": aggregation or VariableAggregation.NONE,
    }
    if getter is None:
        return get_or_create(full_name, **arguments)  # type: ignore[no-any-return]
    # What a custom getter adds is named as what it says, not after the scope of its caller.
    with get_default_graph().name_scope(None):
        variable: Variable = getter(getter=get_or_create, name=full_name, **arguments)
    return variable


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: DTypeLike = dtypes.float32,
    trainable: bool = True,
    collections: Optional[Sequence[str]] = None,
    name: Optional[str] = None,
    reuse: Reuse = None,
) -> List[Variable]:
    """The parts of a new variable.

    Args:
        shape: The sizes of the whole.
        slicing: The number of parts along each axis, of which one is cut.
        initializer: A function of a shape and a dtype, or a tensor with the values, which says the
            dtype.
        dtype: The dtype.
        trainable: Whether optimizers train it.
        collections: The names of the collections that the parts are added to, by default
            GLOBAL_VARIABLES.
        name: The name, by default "PartitionedVariable", made unique.
        reuse: True, False or `tf.AUTO_REUSE`; None for that of the scope around.

    Returns:
        A list of variables, in the order of their offsets.

    Raises:
        ValueError: Shape and parts do not fit, or the scope has a custom getter.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    if any(parts > size for parts, size in zip(slicing, shape) if size is not None):
        raise ValueError(f"There cannot be more parts than elements: {slicing} of shape {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        if scope.custom_getter is not None:
            raise ValueError("create_partitioned_variables does not call the scope's custom getter")
        is_value = isinstance(initializer, Tensor)  # which has a shape and a dtype
        made = get_or_create(
            scope.name,
            None if is_value else shape,
            None if is_value else dtype,
            initializer,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **_: list(slicing),
            use_resource=scope.use_resource,
        )
    return list(made)
