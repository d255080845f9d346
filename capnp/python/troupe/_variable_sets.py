"""The variables of a graph, by what they are for, and what brings all of some to life."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from troupe import _dtypes, raw_ops
from troupe._array import group
from troupe._convert import constant
from troupe._elements import Operation, Tensor
from troupe._graph import get_default_graph
from troupe._graph_keys import GraphKeys
from troupe._variables import Variable


def _collected(key: str, scope: Optional[str]) -> List[Any]:
    return get_default_graph().get_collection(key, scope)


def global_variables(scope: Optional[str] = None) -> List[Any]:
    """All that are shared by the cluster, which are all but those of other collections."""
    return _collected(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: Optional[str] = None) -> List[Any]:
    """Those that are the program's own, in the collection LOCAL_VARIABLES."""
    return _collected(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: Optional[str] = None) -> List[Any]:
    """Those that optimizers train unless they are told others."""
    return _collected(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: Optional[str] = None) -> List[Any]:
    """Those that the program has put into the collection MODEL_VARIABLES."""
    return _collected(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: Optional[str] = None) -> List[Any]:
    """Those of which an ExponentialMovingAverage keeps averages."""
    return _collected(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """A node that runs the initializers of those variables."""
    return group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Operation:
    """A node that runs the initializers of all global variables made so far."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """A node that runs the initializers of all local variables made so far."""
    return variables_initializer(local_variables(), "init_local")


def is_variable_initialized(variable: Variable) -> Tensor:
    """True once it has a value."""
    return raw_ops.VarIsInitializedOp(resource=variable.handle)


def report_uninitialized_variables(
    var_list: Optional[Sequence[Variable]] = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of those variables, by default all, that have no value when a step runs it."""
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    graph = get_default_graph()
    with graph.name_scope(name), graph.control_dependencies(None):
        names = constant([v._shared_name for v in variables], _dtypes.string, [len(variables)])
        if not variables:
            return names
        has_value = raw_ops.Pack(values=[is_variable_initialized(v) for v in variables])
        return _where(raw_ops.LogicalNot(x=has_value), names)


def _where(mask: Tensor, values: Tensor) -> Tensor:
    """The values at which the mask is true: each is counted to its place by a sum of the mask."""
    count = values.shape.as_list()[0] or 0
    counted = raw_ops.Cast(x=mask, DstT=_dtypes.float32)
    before = constant(np.tri(count, k=-1, dtype=np.float32))
    places = raw_ops.MatMul(a=before, b=raw_ops.ExpandDims(input=counted, dim=1))
    order = constant(np.arange(count, dtype=np.float32))
    hits = raw_ops.Cast(x=raw_ops.Equal(x=places, y=order), DstT=_dtypes.float32)
    weights = raw_ops.Mul(x=counted, y=order)
    indices = raw_ops.MatMul(a=raw_ops.ExpandDims(input=weights, dim=0), b=hits)
    total = raw_ops.Sum(input=counted, reduction_indices=constant([0]), keep_dims=True)
    found = raw_ops.Slice(
        input=raw_ops.Squeeze(input=raw_ops.Cast(x=indices, DstT=_dtypes.int32), squeeze_dims=[0]),
        begin=[0],
        size=raw_ops.Cast(x=total, DstT=_dtypes.int32),
    )
    return raw_ops.GatherV2(params=values, indices=found, axis=0)
