"""Variables of models: how they are made, found by name, and assigned."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops, creation_ops
from troupe._src.platform import logging
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
    """`tf.get_variable` on a device, by a getter that is given the name in the scope."""
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
    """A `variable` that is in MODEL_VARIABLES too."""
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
    """The variables whose names begin with the scope, a pattern, and end with the suffix."""
    prefix = scope.name if isinstance(scope, VariableScope) else scope
    if suffix is not None:
        prefix = f"{prefix or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return get_default_graph().get_collection(collection, prefix)


def get_model_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """`get_variables` of MODEL_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """`get_variables` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """`get_variables` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> List[Any]:
    """`get_variables` with the suffix first."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> List[Any]:
    """The variables whose last part of the name is the given one."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """The variable of that name; ValueError if there is none."""
    candidates = get_variables(var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for each in candidates:
        if each.op.name == var_op_name:
            return each
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> List[Any]:
    """The variables of the scopes that are included, by default all, but for the excluded ones."""
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{name} is provided but is not a list or a tuple.")
    scopes = [None] if include is None else include
    without = [each for scope in exclude or () for each in get_variables(scope)]
    included = [each for scope in scopes for each in get_variables(scope)]
    return [each for each in included if all(each is not other for other in without)]


def add_model_variable(var: Any) -> None:
    """Adds it to MODEL_VARIABLES, once."""
    if all(var is not each for each in get_model_variables()):
        get_default_graph().add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def _assigned(values: List[Tuple[Any, Any]]) -> _Assignment:
    feeds, ops = {}, []
    for target, value in values:
        fed = creation_ops.placeholder(
            target.dtype.base_dtype, target.shape, name=f"placeholder/{target.op.name}"
        )
        ops.append(target.assign(fed))
        feeds[fed] = value
    return array_ops.group(*ops), feeds


def assign_from_values(var_names_to_values: Dict[str, Any]) -> _Assignment:
    """An op that assigns the values to the variables of those names, and what it is to be fed.

    ValueError for a name that is not that of one variable.
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
    """A function that assigns the values in the session that it is given."""
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> _Assignment:
    """An op that assigns what a checkpoint has for variables, and what it is to be fed.

    Args:
        model_path: the checkpoint's path.
        var_list: variables, or {name in the checkpoint: a variable or several ones}.
        ignore_missing_vars: leaves out what the checkpoint lacks, with a warning.

    Raises:
        ValueError: for a variable that the checkpoint lacks, or has with another shape.
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

    NotImplementedError for `reshape_variables`: values have the shapes of their variables.
    """
    if reshape_variables:
        raise NotImplementedError("values of other shapes are not part of this version")
    op, feeds = assign_from_checkpoint(model_path, var_list, ignore_missing_vars)
    return lambda session: session.run(op, feeds)
