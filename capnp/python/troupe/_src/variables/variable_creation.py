"""Variables that get_variable finds by their full names, or creates: whole or in parts."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import TensorShape, as_shape
from troupe._src.variables.initializers import GlorotUniform, Zeros
from troupe._src.variables.partitioned_variable import PartitionedVariable, PartitionInfo
from troupe._src.variables.save_slice_info import SaveSliceInfo
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import AUTO_REUSE, Reuse, VariableScope, VariableStore


def get_or_create(
    name: str,
    shape: Any = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None,
    reuse: Reuse = None,
    trainable: Optional[bool] = True,
    collections: Any = None,
    partitioner: Any = None,
    **options: Any,
) -> Any:
    """The variable of that name: what custom getters call."""
    store = VariableStore.of(get_default_graph())
    # What a custom getter passes: None takes a variable that is there, or makes it.
    reuse = AUTO_REUSE if reuse is None else reuse
    arguments = {"regularizer": regularizer, "trainable": trainable, "collections": collections}
    arguments.update(options)
    if partitioner is not None and not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    is_scalar = shape is not None and as_shape(shape).rank == 0
    is_known = reuse is True and name in store.partitioned
    if is_known or (partitioner is not None and not is_scalar):
        return _in_parts(store, name, shape, dtype, initializer, reuse, partitioner, arguments)
    if f"{name}/part_0" in store.variables:
        raise ValueError(
            "No partitioner was provided, but a partitioned version of the variable was found: "
            f"{name}/part_0. Perhaps a variable of the same name was already created with "
            "partitioning?"
        )
    return _whole(store, name, shape, dtype, initializer, reuse, arguments)


def _whole(
    store: VariableStore,
    name: str,
    shape: Any,
    dtype: Optional[DTypeLike],
    initializer: Any,
    reuse: Reuse,
    arguments: Dict[str, Any],
    part: Optional[PartitionInfo] = None,
) -> Variable:
    found = store.variables.get(name)
    if found is not None:
        if not reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True "
                f"or reuse=tf.AUTO_REUSE in VarScope? Originally defined at {_place_of(found)}"
            )
        _check_same(found, name, shape, dtype)
        return found
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). "
            "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    initial_value = _initial_value(store.scope, shape, dtype, initializer, name, part)
    graph = get_default_graph()
    with graph.name_scope(None):
        variable = Variable(
            initial_value,
            bool(arguments["trainable"]),
            arguments["collections"],
            validate_shape=arguments.get("validate_shape", True),
            caching_device=arguments.get("caching_device"),
            name=name,
            dtype=None if shape is None else as_dtype(dtype or store.scope.dtype),
            expected_shape=shape,
            constraint=arguments.get("constraint"),
            use_resource=arguments.get("use_resource"),
            synchronization=arguments.get("synchronization", VariableSynchronization.AUTO),
            aggregation=arguments.get("aggregation", VariableAggregation.NONE),
        )
    store.variables[name] = variable
    regularizer = arguments["regularizer"] or store.scope.regularizer
    if regularizer is not None:
        with graph.name_scope(None), graph.name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _place_of(variable: Any) -> str:
    """ "file:line" of the program where it was made."""
    return str(variable.op.defined_at)


def _check_same(found: Any, name: str, shape: Any, dtype: Optional[DTypeLike]) -> None:
    if shape is not None and not found.shape.is_compatible_with(shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {as_shape(shape)} and found "
            f"shape {found.shape}."
        )
    if dtype is not None and found.dtype.base_dtype != as_dtype(dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and "
            f"found dtype {found.dtype.name}."
        )


def _initial_value(
    scope: VariableScope,
    shape: Any,
    dtype: Optional[DTypeLike],
    initializer: Any,
    name: str,
    part: Optional[PartitionInfo],
) -> Any:
    variable_dtype = as_dtype(dtype or scope.dtype)
    initializer = _initializer(scope, variable_dtype, initializer)
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return lambda: convert_to_tensor(initializer, dtype)
    if shape is None and _needs_no_arguments(initializer):
        return lambda: convert_to_tensor(initializer(), dtype)  # which says the shape
    if shape is None or not as_shape(shape).is_fully_defined():
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was "
            f"{as_shape(shape)}."
        )
    given: Dict[str, Any] = {"dtype": variable_dtype}
    if _takes_partition_info(initializer, of_a_part=part is not None):
        given["partition_info"] = part
    return lambda: initializer(as_shape(shape).as_list(), **given)


def _initializer(scope: VariableScope, dtype: DType, given: Any) -> Any:
    initializer = given if given is not None else scope.initializer
    if isinstance(initializer, type):
        initializer = initializer()
    if initializer is None:
        initializer = GlorotUniform() if dtype.is_floating else Zeros()
    return initializer


def _needs_no_arguments(initializer: Any) -> bool:
    try:
        inspect.signature(initializer).bind()
    except (TypeError, ValueError):
        return False
    return True


def _takes_partition_info(initializer: Any, of_a_part: bool) -> bool:
    """Whether it names the argument, which is None for a whole, or takes any for a part."""
    try:
        parameters = inspect.signature(initializer).parameters
    except ValueError:  # of a function of an extension
        return False
    if "partition_info" in parameters:
        return True
    return of_a_part and any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _in_parts(
    store: VariableStore,
    name: str,
    shape: Any,
    dtype: Optional[DTypeLike],
    initializer: Any,
    reuse: Reuse,
    partitioner: Any,
    arguments: Dict[str, Any],
) -> PartitionedVariable:
    if name in store.variables:
        raise ValueError(
            "A partitioner was provided, but an unpartitioned version of the variable was found: "
            f"{name}. Perhaps a variable of the same name was already created without "
            "partitioning?"
        )
    variable_dtype = as_dtype(dtype or store.scope.dtype)
    made = _initializer(store.scope, variable_dtype, initializer)
    whole = None if callable(made) else convert_to_tensor(made, dtype)
    sizes = as_shape(shape)
    if whole is not None:
        variable_dtype, sizes = whole.dtype, sizes.merge_with(whole.shape)
    partitions = None
    if partitioner is not None:
        partitions = _partitions(partitioner, sizes, variable_dtype)
    found = store.partitioned.get(name)
    if found is not None:
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope? Originally defined at "
                f"{_place_of(list(found)[0])}"
            )
        _check_same(found, name, shape, dtype)
        if partitions is not None and partitions != found._get_partitions():
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified partitions "
                f"{partitions} and found partitions {found._get_partitions()}."
            )
        return found
    if reuse is True or partitions is None:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    full_shape = [int(size) for size in sizes]
    parts = []
    for number, (offset, size) in enumerate(_slices(full_shape, partitions)):
        part = _whole(
            store,
            f"{name}/part_{number}",
            size if whole is None else None,
            variable_dtype,
            made if whole is None else array_ops.slice(whole, offset, size),
            reuse,
            arguments,
            PartitionInfo(full_shape, offset),
        )
        part._set_save_slice_info(SaveSliceInfo(name, full_shape, offset, size))
        parts.append(part)
    store.partitioned[name] = PartitionedVariable(name, sizes, variable_dtype, parts, partitions)
    return store.partitioned[name]


def _partitions(partitioner: Any, shape: TensorShape, dtype: DType) -> List[int]:
    """What a partitioner says, of which it is checked that it cuts at most one axis."""
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, but has shape {shape}")
    partitions = partitioner(shape=shape, dtype=dtype)
    if not isinstance(partitions, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {partitions}")
    if len(partitions) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: "
            f"{partitions} vs. {shape}"
        )
    if any(count < 1 for count in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
    if sum(count > 1 for count in partitions) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: {partitions}")
    return [int(count) for count in partitions]


def _slices(shape: List[int], partitions: List[int]) -> Iterator[Tuple[List[int], List[int]]]:
    """The offset and shape of each part; the first parts have one more, where some must."""
    axis = next((i for i, count in enumerate(partitions) if count > 1), 0)
    each, longer = divmod(shape[axis], partitions[axis])
    start = 0
    for number in range(partitions[axis]):
        offset, size = [0] * len(shape), list(shape)
        offset[axis], size[axis] = start, each + (number < longer)
        yield offset, size
        start += size[axis]
