"""The collections of variables, and ops that initialize or check all variables of one."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import group
from troupe._src.ops.convert import constant
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable


def _collected(key: str, scope: Optional[str]) -> List[Any]:
    return get_default_graph().get_collection(key, scope)


def global_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that the cluster shares: by default, all."""
    return _collected(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that only this program uses, in the collection LOCAL_VARIABLES."""
    return _collected(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that optimizers train by default."""
    return _collected(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables in the collection MODEL_VARIABLES, which programs fill."""
    return _collected(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables that have a moving average, in MOVING_AVERAGE_VARIABLES."""
    return _collected(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """An op that runs the initializers of those variables."""
    return group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Operation:
    """An op that initializes all global variables created so far."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An op that initializes all local variables created so far."""
    return variables_initializer(local_variables(), "init_local")


def is_variable_initialized(variable: Variable) -> Tensor:
    """True if the variable has a value when the step runs."""
    return raw_ops.VarIsInitializedOp(resource=variable.handle)


def report_uninitialized_variables(
    var_list: Optional[Sequence[Variable]] = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of the variables, by default all, that have no value when the step runs."""
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    graph = get_default_graph()
    with graph.name_scope(name), graph.control_dependencies(None):
        names = constant([v._shared_name for v in variables], dtypes.string, [len(variables)])
        if not variables:
            return names
        has_value = raw_ops.Pack(values=[is_variable_initialized(v) for v in variables])
        return _boolean_mask(raw_ops.LogicalNot(x=has_value), names)


def _boolean_mask(mask: Tensor, values: Tensor) -> Tensor:
    """The values at which the mask is true, as boolean_mask gives them, composed of other ops.

    A prefix sum of the mask, by a triangular matrix, gives each value its index in the result.
    """
    count = values.shape.as_list()[0] or 0
    counted = raw_ops.Cast(x=mask, DstT=dtypes.float32)
    before = constant(np.tri(count, k=-1, dtype=np.float32))
    positions = raw_ops.MatMul(a=before, b=raw_ops.ExpandDims(input=counted, dim=1))
    order = constant(np.arange(count, dtype=np.float32))
    hits = raw_ops.Cast(x=raw_ops.Equal(x=positions, y=order), DstT=dtypes.float32)
    weights = raw_ops.Mul(x=counted, y=order)
    indices = raw_ops.MatMul(a=raw_ops.ExpandDims(input=weights, dim=0), b=hits)
    total = raw_ops.Sum(input=counted, reduction_indices=constant([0]), keep_dims=True)
    found = raw_ops.Slice(
        input=raw_ops.Squeeze(input=raw_ops.Cast(x=indices, DstT=dtypes.int32), squeeze_dims=[0]),
        begin=[0],
        size=raw_ops.Cast(x=total, DstT=dtypes.int32),
    )
    return raw_ops.GatherV2(params=values, indices=found, axis=0)
