"""The variables of `tf.compat.v2`: those of resources."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables import variable as variables
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization


class _OfAnyKind(type):
    """Makes variables, and takes all for its instances: they are of the class of TensorFlow 1."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, variables.Variable)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, variables.Variable)

    def __getattr__(cls, name: str) -> Any:
        return getattr(variables.Variable, name)

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: Optional[bool] = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: Optional[str] = None,
        variable_def: Any = None,
        dtype: Optional[DTypeLike] = None,
        import_scope: Optional[str] = None,
        constraint: Optional[Callable[[Tensor], Tensor]] = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
    ) -> variables.Variable:
        given = {} if variable_def is None else {"variable_def": variable_def}
        return variables.Variable(
            initial_value=initial_value, trainable=trainable, validate_shape=validate_shape,
            caching_device=caching_device, name=name, dtype=dtype, import_scope=import_scope,
            constraint=constraint, use_resource=True, synchronization=synchronization,
            aggregation=aggregation, shape=shape, **given,
        )  # fmt: skip


class Variable(metaclass=_OfAnyKind):
    """Makes a variable of resources, in the collection of global ones, as `tf.Variable` does.

    All variables are instances of it.
    """
