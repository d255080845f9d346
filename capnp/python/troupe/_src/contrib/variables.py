"""Variables of models: how they are made, found by name, and assigned."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops
from troupe._src.platform import logging
from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable_scope import get_variable, get_variable_scope
from troupe._src.variables.variable_store import VariableScope

_Assignment = Tuple[Any, Dict[Any, Any]]


@add_arg_scope
def variable(
    name: str, shape: Any = None, dtype: Optional[DTypeLike] = None, initializer: Any = None,
    regularizer: Any = None, trainable: bool = True, collections: Any = None,
    caching_device: Any = None, device: Any = None, partitioner: Any = None,
    custom_getter: Any = None, use_resource: Optional[bool] = None,
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
    name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None,
    regularizer: Any = None, trainable: bool = True, collections: Any = None,
    caching_device: Any = None, device: Any = None, partitioner: Any = None,
    custom_getter: Any = None, use_resource: Optional[bool] = None,
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


def get_variables(
    scope: Any = None, suffix: Optional[str] = None, collection: str = GraphKeys.GLOBAL_VARIABLES
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


def get_model_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """`get_variables` of MODEL_VARIABLES.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """`get_variables` of LOCAL_VARIABLES.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """`get_variables` of TRAINABLE_VARIABLES.

    Args:
        scope: A scope, or a regular expression that names begin with; by default all names.
        suffix: A regular expression that names end with, without ":0"; by default any.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> List[Any]:
    """`get_variables` with the suffix first.

    Args:
        suffix: A regular expression that names end with, without ":0"; by default any.
        scope: A scope, or a regular expression that names begin with; by default all names.

    Returns:
        The variables, in the order of the collection.
    """
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> List[Any]:
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


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> List[Any]:
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


def _assigned(values: List[Tuple[Any, Any]]) -> _Assignment:
    feeds, ops = {}, []
    for target, value in values:
        fed = array_ops.placeholder(
            target.dtype.base_dtype, target.shape, name=f"placeholder/{target.op.name}"
        )
        ops.append(target.assign(fed))
        feeds[fed] = value
    return array_ops.group(*ops), feeds


def assign_from_values(var_names_to_values: Dict[str, Any]) -> _Assignment:
    """An op that assigns values to variables, and what it is to be fed.

    Args:
        var_names_to_values: {name of a variable: array}; an array is reshaped to its variable's
            shape.

    Returns:
        (the op, the dict to feed it with).

    Raises:
        ValueError: A name is not that of one variable, or an array has another number of elements.
    """
    pairs = []
    for name, value in var_names_to_values.items():
        found = get_variables(name)
        if not found:
            raise ValueError(f"Variable {name} wasn't found")
        exact = found if len(found) == 1 else [each for each in found if each.op.name == name]
        if not exact:
            raise ValueError(f"Variable {name} doesn't uniquely identify a variable")
        pairs.append((exact[0], np.reshape(value, exact[0].shape.as_list())))
    return _assigned(pairs)


def assign_from_values_fn(var_names_to_values: Dict[str, Any]) -> Callable[[Any], Any]:
    """A function that assigns the values in the session that it is given.

    Args:
        var_names_to_values: {name of a variable: array}; an array is reshaped to its variable's
            shape.

    Returns:
        The function of a session.

    Raises:
        ValueError: A name is not that of one variable, or an array has another number of elements.
    """
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> _Assignment:
    """An op that assigns what a checkpoint has for variables, and what it is to be fed.

    Args:
        model_path: The name of the checkpoint.
        var_list: Variables, or {name in the checkpoint: a variable or several ones}.
        ignore_missing_vars: Leaves out what the checkpoint lacks, with a warning.

    Returns:
        (the op, the dict to feed it with).

    Raises:
        ValueError: The checkpoint lacks a variable, or has it with another shape.
    """
    if isinstance(var_list, dict):
        named = [
            (name, each)
            for name, given in var_list.items()
            for each in (given if isinstance(given, (tuple, list)) else [given])
        ]
    else:
        named = [(each.op.name, each) for each in var_list]
    reader = CheckpointReader(model_path)
    pairs = []
    for name, target in named:
        if not reader.has_tensor(name):
            message = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(message)
            logging.warning(message)
            continue
        value = reader.get_tensor(name)
        if target.shape.as_list() != list(value.shape):
            raise ValueError(
                f"Total size of new array must be unchanged for {name} lh_shape: "
                f"[{value.shape}], rh_shape: [{target.shape}]"
            )
        pairs.append((target, value))
    return _assigned(pairs)


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], Any]:  # fmt: skip
    """A function that assigns what a checkpoint has in the session that it is given.

    Args:
        model_path: The name of the checkpoint.
        var_list: Variables, or {name in the checkpoint: a variable or several ones}.
        ignore_missing_vars: Leaves out what the checkpoint lacks, with a warning.
        reshape_variables: Must be False: values have the shapes of their variables.

    Returns:
        The function of a session.

    Raises:
        ValueError: The checkpoint lacks a variable, or has it with another shape.
        NotImplementedError: `reshape_variables` is true.
    """
    if reshape_variables:
        raise NotImplementedError("values of other shapes are not part of this version")
    op, feeds = assign_from_checkpoint(model_path, var_list, ignore_missing_vars)
    return lambda session: session.run(op, feeds)
