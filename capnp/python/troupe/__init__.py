"""Troupe from Python: graphs on a cluster, under the names that TensorFlow 1.x gave it all.

    import troupe as tf

    with tf.Session("troupe://localhost:2222") as session:
        print(session.run(tf.constant(1.0) + 2.0))

A program for `tensorflow.compat.v1` in graph mode runs when this is its import line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import _missing as _missing_names
from troupe import (
    app,
    compat,
    errors,
    flags,
    gfile,
    initializers,
    logging,
    losses,
    math,
    nn,
    random,
    raw_ops,
    train,
)
from troupe._array import (
    broadcast_to,
    concat,
    expand_dims,
    fill,
    gather,
    get_static_value,
    group,
    identity,
    no_op,
    one_hot,
    ones,
    ones_like,
    pad,
    placeholder,
    placeholder_with_default,
    random_normal,
    random_uniform,
    reshape,
    shape,
    size,
    slice,
    split,
    squeeze,
    stack,
    transpose,
    truncated_normal,
    tuple_of,
    unstack,
    where,
    zeros,
    zeros_like,
)
from troupe._config import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunOptions,
)
from troupe._convert import constant, convert_to_tensor
from troupe._dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from troupe._elements import Operation, Tensor
from troupe._gen_ops import rank, stop_gradient
from troupe._gradients import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
    gradients,
)
from troupe._graph import (
    Graph,
    GraphKeys,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from troupe._initializers import Constant as constant_initializer
from troupe._initializers import GlorotNormal as glorot_normal_initializer
from troupe._initializers import GlorotUniform as glorot_uniform_initializer
from troupe._initializers import Ones as ones_initializer
from troupe._initializers import RandomNormal as random_normal_initializer
from troupe._initializers import RandomUniform as random_uniform_initializer
from troupe._initializers import TruncatedNormal as truncated_normal_initializer
from troupe._initializers import UniformUnitScaling as uniform_unit_scaling_initializer
from troupe._initializers import VarianceScaling as variance_scaling_initializer
from troupe._initializers import Zeros as zeros_initializer
from troupe._metadata import GraphDef, NodeDef, RunMetadata
from troupe._scopes import (
    add_to_collection,
    add_to_collections,
    colocate_with,
    container,
    control_dependencies,
    device,
    get_collection,
    get_collection_ref,
    name_scope,
    op_scope,
)
from troupe._seeds import get_seed, set_random_seed
from troupe._session import InteractiveSession, Session
from troupe._shapes import Dimension, TensorShape
from troupe._template import make_template
from troupe._variable_scope import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
    variable_op_scope,
    variable_scope,
)
from troupe._variable_sets import (
    global_variables,
    global_variables_initializer,
    is_variable_initialized,
    local_variables,
    local_variables_initializer,
    model_variables,
    moving_average_variables,
    report_uninitialized_variables,
    trainable_variables,
    variables_initializer,
)
from troupe._variables import Variable, assign, assign_add, assign_sub
from troupe.math import (
    abs,
    add,
    add_n,
    argmax,
    argmin,
    cast,
    conj,
    div,
    divide,
    equal,
    exp,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    matmul,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    range,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    rsqrt,
    scalar_mul,
    sigmoid,
    sign,
    sqrt,
    square,
    squared_difference,
    subtract,
    tanh,
    to_float,
    to_int32,
    to_int64,
    truediv,
)

if TYPE_CHECKING:
    from troupe import test

bool = bool_
tuple = tuple_of
newaxis = None
arg_max = argmax
arg_min = argmin
accumulate_n = add_n
initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer
initialize_variables = variables_initializer
all_variables = global_variables
OpError = errors.OpError
VERSION = __version__ = "0.1.0"


class AggregationMethod:
    """How gradients that meet are summed: always at once."""

    DEFAULT = ADD_N = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def is_numeric_tensor(tensor: Any) -> Any:
    """True for a tensor whose elements are numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype not in (bool_, string, resource)


def disable_v2_behavior() -> None:
    """Nothing: there is graph mode only."""


def disable_eager_execution() -> None:
    """Nothing: there is graph mode only."""


def executing_eagerly() -> Any:
    """False."""
    return False


def __getattr__(name: str) -> Any:
    if name == "test":  # only when it is needed, as it needs unittest
        import importlib

        return importlib.import_module("troupe.test")
    return _missing_names.missing(__name__, name)


__all__ = [
    "AUTO_REUSE", "AggregationMethod", "ConfigProto", "DType", "Dimension", "GPUOptions", "Graph",
    "GraphDef", "GraphKeys", "GraphOptions", "InteractiveSession", "NodeDef", "OpError",
    "Operation", "OptimizerOptions", "RunMetadata", "RunOptions", "Session", "TYPE_CHECKING",
    "Tensor", "TensorShape", "VERSION", "Variable", "VariableScope", "abs", "accumulate_n", "add",
    "add_n", "add_to_collection", "add_to_collections", "all_variables", "app", "arg_max",
    "arg_min", "argmax", "argmin", "as_dtype", "assign", "assign_add", "assign_sub", "bfloat16",
    "bool", "bool_", "broadcast_to", "cast", "clip_by_global_norm", "clip_by_norm",
    "clip_by_value", "colocate_with", "compat", "complex128", "complex64", "concat", "conj",
    "constant", "constant_initializer", "container", "control_dependencies", "convert_to_tensor",
    "device", "disable_eager_execution", "disable_v2_behavior", "div", "divide", "double", "equal",
    "errors", "executing_eagerly", "exp", "expand_dims", "fill", "flags", "float16", "float32",
    "float64", "gather", "get_collection", "get_collection_ref", "get_default_graph",
    "get_default_session", "get_local_variable", "get_seed", "get_static_value", "get_variable",
    "get_variable_scope", "gfile", "global_norm", "global_variables",
    "global_variables_initializer", "glorot_normal_initializer", "glorot_uniform_initializer",
    "gradients", "greater", "greater_equal", "group", "half", "identity",
    "initialize_all_variables", "initialize_local_variables", "initialize_variables",
    "initializers", "int16", "int32", "int64", "int8", "is_numeric_tensor",
    "is_variable_initialized", "less", "less_equal", "local_variables",
    "local_variables_initializer", "log", "logging", "logical_and", "logical_not", "logical_or",
    "logical_xor", "losses", "make_template", "math", "matmul", "maximum", "minimum",
    "model_variables", "moving_average_variables", "multiply", "name_scope", "negative", "newaxis",
    "nn", "no_op", "not_equal", "one_hot", "ones", "ones_initializer", "ones_like", "op_scope",
    "pad", "placeholder", "placeholder_with_default", "pow", "random", "random_normal",
    "random_normal_initializer", "random_uniform", "random_uniform_initializer", "range", "rank",
    "raw_ops", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_prod", "reduce_sum", "report_uninitialized_variables",
    "reset_default_graph", "reshape", "resource", "rsqrt", "scalar_mul", "set_random_seed",
    "shape", "sigmoid", "sign", "size", "slice", "split", "sqrt", "square", "squared_difference",
    "squeeze", "stack", "stop_gradient", "string", "subtract", "tanh", "test", "to_float",
    "to_int32", "to_int64", "train", "trainable_variables", "transpose", "truediv",
    "truncated_normal", "truncated_normal_initializer", "tuple", "tuple_of", "uint16", "uint32",
    "uint64", "uint8", "uniform_unit_scaling_initializer", "unstack", "variable_op_scope",
    "variable_scope", "variables_initializer", "variance_scaling_initializer", "where", "zeros",
    "zeros_initializer", "zeros_like",
]  # fmt: skip
