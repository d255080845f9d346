"""Troupe for Python: dataflow graphs on a cluster, with the API of TensorFlow 1.x.

    import troupe as tf

    with tf.Session("troupe://localhost:2222") as session:
        print(session.run(tf.constant(1.0) + 2.0))

Programs for `tensorflow.compat.v1` in graph mode run with this import line.
"""

from typing import TYPE_CHECKING

from troupe import (
    app, audio, bitwise, contrib, data, debugging, distributions, dtypes, errors, flags, gfile,
    graph_util, image, initializers, io, layers, linalg, logging, lookup, losses, manip, math,
    metrics, mixed_precision, nest, nn, python_io, quantization, queue, ragged, random, raw_ops,
    resource_loader, sets, signal, sparse, spectral, strings, summary, train, version,
)  # fmt: skip
from troupe._src import late_names as _late_names  # noqa: F401
from troupe._src.autograph import api as _autograph  # noqa: F401
from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.api.op_library import load_op_library
from troupe._src.api.v2_compat import (
    control_flow_v2_enabled, disable_control_flow_v2, disable_eager_execution,
    disable_tensor_equality, disable_v2_behavior, disable_v2_tensorshape, executing_eagerly,
    executing_eagerly_outside_functions,
)  # fmt: skip
from troupe._src.platform.version import (
    COMPILER_VERSION, CXX11_ABI_FLAG, GIT_VERSION, GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER, MONOLITHIC_BUILD, VERSION,
)  # fmt: skip
from troupe._src.platform.version import COMPILER_VERSION as CXX_VERSION
from troupe._src.platform.version import COMPILER_VERSION as __compiler_version__
from troupe._src.platform.version import GIT_VERSION as __git_version__
from troupe._src.platform.version import VERSION as __version__
from troupe._src.control_flow.conditional import case, cond, switch_case
from troupe._src.control_flow.functional import foldl, foldr, map_fn, scan, vectorized_map
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.data_flow.accumulators import (
    ConditionalAccumulator, ConditionalAccumulatorBase, SparseConditionalAccumulator,
)  # fmt: skip
from troupe._src.data_flow.critical_section import CriticalSection
from troupe._src.framework.static_values import get_static_value
from troupe._src.functions.batching import batch_function as nondifferentiable_batch_function
from troupe._src.functions.traced import function
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.elements import Operation, Tensor, is_numeric_tensor
from troupe._src.graph.gradient_functions import RegisterGradient
from troupe._src.graph.gradient_functions import no_gradient as NoGradient  # noqa: N812
from troupe._src.graph.gradient_functions import no_gradient as NotDifferentiable  # noqa: N812
from troupe._src.graph.graph import (
    Graph, get_default_graph, get_default_session, reset_default_graph,
)  # fmt: skip
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from troupe._src.graph.random_seed import get_seed, set_random_seed
from troupe._src.graph.scopes import (
    add_to_collection, add_to_collections, colocate_with, container, control_dependencies, device,
    get_collection, get_collection_ref, init_scope, name_scope, op_scope,
)  # fmt: skip
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.io.reader_ops import (
    FixedLengthRecordReader, IdentityReader, LMDBReader, ReaderBase, TextLineReader, TFRecordReader,
    WholeFileReader,
)  # fmt: skip
from troupe._src.lookup.initializers import tables_initializer
from troupe._src.lookup.initializers import tables_initializer as initialize_all_tables
from troupe._src.messages.config import (
    ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RPCOptions, RunOptions,
)  # fmt: skip
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.graph_defs.tensor_protos import make_ndarray, make_tensor_proto
from troupe._src.messages.graph_messages import AttrValue, GraphDef, NameAttrList, NodeDef
from troupe._src.messages.meta_graph_messages import MetaGraphDef, TensorInfo
from troupe._src.messages.metadata import RunMetadata
from troupe._src.messages.tensor_messages import TensorProto, TensorShapeProto
from troupe._src.messages.summary_messages import (
    Event, HistogramProto, LogMessage, SessionLog, Summary, SummaryMetadata,
)  # fmt: skip
from troupe._src.linalg.einsum_ops import einsum
from troupe._src.linalg.linear_ops import norm, sparse_matmul, tensordot
from troupe._src.linalg.matrix_ops import (
    cholesky_solve, matrix_solve_ls, self_adjoint_eig, self_adjoint_eigvals, trace,
)  # fmt: skip
from troupe._src.metrics.confusion_matrix import confusion_matrix
from troupe._src.module_scopes.module import Module
from troupe._src.ops.arithmetic_ops import (
    abs, accumulate_n, add_n, broadcast_dynamic_shape, broadcast_static_shape, equal, floordiv,
    is_non_decreasing, is_strictly_increasing, lbeta, log_sigmoid, logical_xor, not_equal,
)  # fmt: skip
from troupe._src.ops.cast_ops import (
    angle, complex, conj, imag, real, saturate_cast, to_bfloat16, to_complex128, to_complex64,
    to_double, to_float, to_int32, to_int64,
)  # fmt: skip
from troupe._src.ops.array_ops import (
    broadcast_to, concat, expand_dims, identity, identity_n, matrix_transpose, newaxis, rank,
    reshape, shape, size, slice, split, squeeze, stack, transpose, unstack,
)  # fmt: skip
from troupe._src.ops.selection_ops import gather, where, where_v2
from troupe._src.ops.creation_ops import (
    fill, one_hot, ones, ones_like, pad, placeholder, placeholder_with_default, zeros, zeros_like,
)  # fmt: skip
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.ops.grouping_ops import tuple_of as tuple
from troupe._src.platform.logging import get_logger
from troupe._src.ops.assert_ops import (
    Assert, Print, add_check_numerics_ops, assert_equal, assert_greater, assert_greater_equal,
    assert_less, assert_less_equal, assert_near, assert_negative, assert_non_negative,
    assert_non_positive, assert_none_equal, assert_positive, check_numerics,
    verify_tensor_all_finite,
)  # fmt: skip
from troupe._src.control_flow.printing import print_v2 as print
from troupe._src.checks.shape_ops import ensure_shape
from troupe._src.linalg.diagonal_ops import matrix_diag, matrix_diag_part, matrix_set_diag
from troupe._src.ops.space_ops import (
    batch_to_space, depth_to_space, extract_image_patches, required_space_to_batch_paddings,
    space_to_batch, space_to_depth,
)  # fmt: skip
from troupe._src.sparse.distances import edit_distance
from troupe._src.checks.check_ops import (
    assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_scalar, assert_type,
)  # fmt: skip
from troupe._src.ops.clip_ops import (
    clip_by_average_norm, clip_by_global_norm, clip_by_norm, clip_by_value, global_norm,
)  # fmt: skip
from troupe._src.ops.convert import (
    constant, convert_to_tensor, register_tensor_conversion_function,
)  # fmt: skip
from troupe._src.ops.gen_ops import (
    acos, acosh, as_string, asin, asinh, atan, atan2, atanh, betainc, bitcast, ceil, cos, cosh,
    cross, decode_base64, decode_compressed, decode_json_example, digamma, div_no_nan,
    encode_base64, erf, erfc, exp, expm1, extract_volume_patches, fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient, fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient, fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient, floor, floor_div, floormod, greater,
    greater_equal, igamma, igammac, is_finite, is_inf, is_nan, less, less_equal, lgamma, log, log1p,
    logical_and, logical_not, logical_or, matching_files, maximum, minimum, multiply, negative,
    parse_tensor, polygamma, pow, read_file, realdiv, reciprocal, rint, round, rsqrt,
    serialize_tensor, sigmoid, sign, sin, sinh, sqrt, square, squared_difference, stop_gradient,
    string_strip, string_to_hash_bucket_fast, string_to_hash_bucket_strong, subtract, tan, tanh,
    truncatediv, truncatemod, write_file, zeta,
)  # fmt: skip
from troupe._src.ops.gen_ops import fft2_d as fft2d
from troupe._src.ops.gen_ops import fft3_d as fft3d
from troupe._src.ops.gen_ops import floormod as mod
from troupe._src.ops.gen_ops import ifft2_d as ifft2d
from troupe._src.ops.gen_ops import ifft3_d as ifft3d
from troupe._src.ops.gen_ops import lin_space as linspace
from troupe._src.ops.gen_ops import tensor_scatter_add as tensor_scatter_nd_add
from troupe._src.ops.gen_ops import tensor_scatter_sub as tensor_scatter_nd_sub
from troupe._src.ops.gen_ops import tensor_scatter_update as tensor_scatter_nd_update
from troupe._src.ops.math_ops import (
    add, cast, div, divide, matmul, range, reduce_all, reduce_any, reduce_max, reduce_mean,
    reduce_min, reduce_prod, reduce_sum, scalar_mul, truediv,
)  # fmt: skip
from troupe._src.ops.reduction_ops import (
    arg_max, arg_min, argmax, argmin, count_nonzero, reduce_logsumexp,
)  # fmt: skip
from troupe._src.random.random_ops import (
    multinomial, random_crop, random_gamma, random_normal, random_poisson, random_shuffle,
    random_uniform, truncated_normal,
)  # fmt: skip
from troupe._src.checks.rank_ops import assert_rank, assert_rank_at_least, assert_rank_in
from troupe._src.ops.order_ops import argsort, searchsorted, sort
from troupe._src.ops.rearrange_ops import (
    batch_gather, boolean_mask, eye, gather_nd, meshgrid, parallel_stack, repeat, reverse,
    reverse_sequence, reverse_v2, sequence_mask, setdiff1d, svd,
)  # fmt: skip
from troupe._src.ops.segment_ops import (
    bincount, cumprod, cumsum, histogram_fixed_width, histogram_fixed_width_bins,
    sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum, unsorted_segment_mean,
    unsorted_segment_sqrt_n,
)  # fmt: skip
from troupe._src.ops.slicing import strided_slice
from troupe._src.ops.sparse_tensor import (
    SparseTensor, SparseTensorSpec, SparseTensorValue, convert_to_tensor_or_indexed_slices,
    convert_to_tensor_or_sparse_tensor, is_tensor, sparse_placeholder,
)  # fmt: skip
from troupe._src.optionals.optional import OptionalSpec
from troupe._src.strings.string_ops import (
    fingerprint, reduce_join, regex_replace, string_join, string_to_hash_bucket, string_to_number,
    substr,
)  # fmt: skip
from troupe._src.parsing.example_ops import (
    deserialize_many_sparse, parse_example, parse_single_example, parse_single_sequence_example,
    serialize_many_sparse, serialize_sparse,
)  # fmt: skip
from troupe._src.parsing.feature_configs import (
    FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature,
)  # fmt: skip
from troupe._src.parsing.parsing_ops import decode_csv, decode_raw
from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queues import FIFOQueue, PaddingFIFOQueue, PriorityQueue, RandomShuffleQueue
from troupe._src.ragged.spec import RaggedTensorSpec
from troupe._src.ragged.tensor import RaggedTensor
from troupe._src.ragged_functions.splitting import string_split
from troupe._src.session.py_func import numpy_function, py_func
from troupe._src.immediate.py_function import py_function
from troupe._src.session.session import InteractiveSession, Session
from troupe._src.session.tensor_handles import (
    delete_session_tensor, get_session_handle, get_session_tensor,
)  # fmt: skip
from troupe._src.sparse.arithmetic import (
    sparse_add, sparse_maximum, sparse_minimum, sparse_reduce_max, sparse_reduce_max_sparse,
    sparse_reduce_sum, sparse_reduce_sum_sparse, sparse_softmax, sparse_tensor_dense_matmul,
)  # fmt: skip
from troupe._src.sparse.arrangement import (
    sparse_concat, sparse_fill_empty_rows, sparse_reorder, sparse_reset_shape, sparse_reshape,
    sparse_retain, sparse_slice, sparse_split, sparse_transpose,
)  # fmt: skip
from troupe._src.sparse.conversions import (
    sparse_mask, sparse_merge, sparse_tensor_to_dense, sparse_to_dense, sparse_to_indicator,
)  # fmt: skip
from troupe._src.train.custom_gradient import custom_gradient, grad_pass_through
from troupe._src.tape.gradient_tape import GradientTape
from troupe._src.train.gradients import (
    AggregationMethod, UnconnectedGradients, gradients, hessians,
)  # fmt: skip
from troupe._src.train.recompute import recompute_grad
from troupe._src.types.dtypes import (
    DType, as_dtype, bfloat16, bool_, complex64, complex128, double, float16, float32, float64,
    half, int8, int16, int32, int64, resource, string, uint8, uint16, uint32, uint64, variant,
)  # fmt: skip
from troupe._src.types.dtypes import bool_ as bool
from troupe._src.types.errors import OpError
from troupe._src.types.dimensions import Dimension, dimension_value
from troupe._src.types.shapes import TensorShape, dimension_at_index
from troupe._src.types.type_spec import TypeSpec
from troupe._src.variables.assign_ops import assign, assign_add, assign_sub
from troupe._src.variables.creators import variable_creator_scope
from troupe._src.variables.initializers import Constant as constant_initializer
from troupe._src.variables.initializers import GlorotNormal as glorot_normal_initializer
from troupe._src.variables.initializers import GlorotUniform as glorot_uniform_initializer
from troupe._src.variables.initializers import Ones as ones_initializer
from troupe._src.variables.orthogonal import Orthogonal as orthogonal_initializer
from troupe._src.variables.initializers import RandomNormal as random_normal_initializer
from troupe._src.variables.initializers import RandomUniform as random_uniform_initializer
from troupe._src.variables.initializers import TruncatedNormal as truncated_normal_initializer
from troupe._src.variables.initializers import (
    UniformUnitScaling as uniform_unit_scaling_initializer,
)  # fmt: skip
from troupe._src.variables.initializers import VarianceScaling as variance_scaling_initializer
from troupe._src.variables.initializers import Zeros as zeros_initializer
from troupe._src.variables.scatter_ops import (
    batch_scatter_update, count_up_to, scatter_add, scatter_div, scatter_max, scatter_min,
    scatter_mul, scatter_nd_add, scatter_nd_sub, scatter_nd_update, scatter_sub, scatter_update,
)  # fmt: skip
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.template import make_template
from troupe._src.variables.variable import (
    Variable, disable_resource_variables, enable_resource_variables, resource_variables_enabled,
)  # fmt: skip
from troupe._src.variables.partitioners import (
    fixed_size_partitioner, min_max_variable_partitioner, variable_axis_size_partitioner,
)  # fmt: skip
from troupe._src.variables.variable_scope import (
    create_partitioned_variables, get_local_variable, get_variable, variable_op_scope,
)  # fmt: skip
from troupe._src.variables.variable_sets import (
    assert_variables_initialized, global_variables, global_variables_initializer,
    is_variable_initialized, local_variables, local_variables_initializer, model_variables,
    moving_average_variables, report_uninitialized_variables, trainable_variables,
    variables_initializer,
)  # fmt: skip
from troupe._src.variables.variable_store import (
    AUTO_REUSE, VariableScope, get_variable_scope, no_regularizer, variable_scope,
)  # fmt: skip
from troupe._src.variables.variable_sets import global_variables as all_variables
from troupe._src.variables.variable_sets import (
    global_variables_initializer as initialize_all_variables,
    local_variables_initializer as initialize_local_variables,
)  # fmt: skip
from troupe._src.variables.variable_sets import variables_initializer as initialize_variables

if TYPE_CHECKING:
    from troupe import (
        autograph, compat, config, core, distribute, estimator, feature_column, keras, profiler,
        python, saved_model, test, tpu, xla,
    )  # fmt: skip
else:
    __getattr__, __dir__ = _missing_names(
        __name__,
        has_ops=True,
        lazy=(
            "autograph", "compat", "config", "core", "distribute", "estimator", "feature_column",
            "keras", "profiler", "python", "saved_model", "test", "tpu", "xla",
        ),
    )

__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "COMPILER_VERSION", "CXX11_ABI_FLAG",
    "CXX_VERSION", "ConditionalAccumulator", "ConditionalAccumulatorBase", "ConfigProto",
    "CriticalSection", "DType", "DeviceSpec", "Dimension", "Event", "FIFOQueue", "FixedLenFeature",
    "FixedLenSequenceFeature", "FixedLengthRecordReader", "GIT_VERSION", "GPUOptions",
    "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER", "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "GradientTape", "Graph", "GraphDef", "GraphKeys", "GraphOptions", "HistogramProto",
    "IdentityReader", "IndexedSlices", "IndexedSlicesValue", "InteractiveSession", "LMDBReader",
    "LogMessage", "MONOLITHIC_BUILD", "MetaGraphDef", "Module", "NameAttrList", "NoGradient",
    "NodeDef", "NotDifferentiable", "OpError", "Operation", "OptimizerOptions", "OptionalSpec",
    "PaddingFIFOQueue", "Print", "PriorityQueue", "QueueBase", "RPCOptions", "RaggedTensor",
    "RaggedTensorSpec", "RandomShuffleQueue", "ReaderBase", "RegisterGradient", "RunMetadata",
    "RunOptions", "Session", "SessionLog", "SparseConditionalAccumulator", "SparseFeature",
    "SparseTensor", "SparseTensorSpec", "SparseTensorValue", "Summary", "SummaryMetadata",
    "TFRecordReader", "Tensor", "TensorArray", "TensorInfo", "TensorProto", "TensorShape",
    "TensorShapeProto", "TensorSpec", "TextLineReader", "TypeSpec", "UnconnectedGradients",
    "VERSION", "VarLenFeature", "Variable", "VariableAggregation", "VariableScope",
    "VariableSynchronization", "WholeFileReader", "__compiler_version__", "__git_version__",
    "__version__", "abs", "accumulate_n", "acos", "acosh", "add", "add_check_numerics_ops", "add_n",
    "add_to_collection", "add_to_collections", "all_variables", "angle", "app", "arg_max",
    "arg_min", "argmax", "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh",
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer", "assert_less",
    "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
    "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable",
    "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype",
    "assert_scalar", "assert_type", "assert_variables_initialized", "assign", "assign_add",
    "assign_sub", "atan", "atan2", "atanh", "audio", "autograph", "batch_gather",
    "batch_scatter_update", "batch_to_space", "betainc", "bfloat16", "bincount", "bitcast",
    "bitwise", "bool", "bool_", "boolean_mask", "broadcast_dynamic_shape", "broadcast_static_shape",
    "broadcast_to", "case", "cast", "ceil", "check_numerics", "cholesky_solve",
    "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "colocate_with",
    "compat", "complex", "complex128", "complex64", "concat", "cond", "config", "confusion_matrix",
    "conj", "constant", "constant_initializer", "container", "contrib", "control_dependencies",
    "control_flow_v2_enabled", "convert_to_tensor", "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor", "core", "cos", "cosh", "count_nonzero", "count_up_to",
    "create_partitioned_variables", "cross", "cumprod", "cumsum", "custom_gradient", "data",
    "debugging", "decode_base64", "decode_compressed", "decode_csv", "decode_json_example",
    "decode_raw", "delete_session_tensor", "depth_to_space", "deserialize_many_sparse", "device",
    "digamma", "dimension_at_index", "dimension_value", "disable_control_flow_v2",
    "disable_eager_execution", "disable_resource_variables", "disable_tensor_equality",
    "disable_v2_behavior", "disable_v2_tensorshape", "distribute", "distributions", "div",
    "div_no_nan", "divide", "double", "dtypes", "edit_distance", "einsum",
    "enable_resource_variables", "encode_base64", "ensure_shape", "equal", "erf", "erfc", "errors",
    "estimator", "executing_eagerly", "executing_eagerly_outside_functions", "exp", "expand_dims",
    "expm1", "extract_image_patches", "extract_volume_patches", "eye",
    "fake_quant_with_min_max_args", "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars", "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel", "fake_quant_with_min_max_vars_per_channel_gradient",
    "feature_column", "fft2d", "fft3d", "fill", "fingerprint", "fixed_size_partitioner", "flags",
    "float16", "float32", "float64", "floor", "floor_div", "floordiv", "floormod", "foldl", "foldr",
    "function", "gather", "gather_nd", "get_collection", "get_collection_ref", "get_default_graph",
    "get_default_session", "get_local_variable", "get_logger", "get_seed", "get_session_handle",
    "get_session_tensor", "get_static_value", "get_variable", "get_variable_scope", "gfile",
    "global_norm", "global_variables", "global_variables_initializer", "glorot_normal_initializer",
    "glorot_uniform_initializer", "grad_pass_through", "gradients", "graph_util", "greater",
    "greater_equal", "group", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "ifft2d", "ifft3d", "igamma", "igammac",
    "imag", "image", "import_graph_def", "init_scope", "initialize_all_tables",
    "initialize_all_variables", "initialize_local_variables", "initialize_variables",
    "initializers", "int16", "int32", "int64", "int8", "io", "is_finite", "is_inf", "is_nan",
    "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing", "is_tensor",
    "is_variable_initialized", "keras", "layers", "lbeta", "less", "less_equal", "lgamma", "linalg",
    "linspace", "load_op_library", "local_variables", "local_variables_initializer", "log", "log1p",
    "log_sigmoid", "logging", "logical_and", "logical_not", "logical_or", "logical_xor", "lookup",
    "losses", "make_ndarray", "make_template", "make_tensor_proto", "manip", "map_fn",
    "matching_files", "math", "matmul", "matrix_diag", "matrix_diag_part", "matrix_set_diag",
    "matrix_solve_ls", "matrix_transpose", "maximum", "meshgrid", "metrics",
    "min_max_variable_partitioner", "minimum", "mixed_precision", "mod", "model_variables",
    "moving_average_variables", "multinomial", "multiply", "name_scope", "negative", "nest",
    "newaxis", "nn", "no_op", "no_regularizer", "nondifferentiable_batch_function", "norm",
    "not_equal", "numpy_function", "one_hot", "ones", "ones_initializer", "ones_like", "op_scope",
    "orthogonal_initializer", "pad", "parallel_stack", "parse_example", "parse_single_example",
    "parse_single_sequence_example", "parse_tensor", "placeholder", "placeholder_with_default",
    "polygamma", "pow", "print", "profiler", "py_func", "py_function", "python", "python_io",
    "quantization", "queue", "ragged", "random", "random_crop", "random_gamma", "random_normal",
    "random_normal_initializer", "random_poisson", "random_shuffle", "random_uniform",
    "random_uniform_initializer", "range", "rank", "raw_ops", "read_file", "real", "realdiv",
    "reciprocal", "recompute_grad", "reduce_all", "reduce_any", "reduce_join", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "regex_replace",
    "register_tensor_conversion_function", "repeat", "report_uninitialized_variables",
    "required_space_to_batch_paddings", "reset_default_graph", "reshape", "resource",
    "resource_loader", "resource_variables_enabled", "reverse", "reverse_sequence", "reverse_v2",
    "rint", "round", "rsqrt", "saturate_cast", "saved_model", "scalar_mul", "scan", "scatter_add",
    "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd_add", "scatter_nd_sub",
    "scatter_nd_update", "scatter_sub", "scatter_update", "searchsorted", "self_adjoint_eig",
    "self_adjoint_eigvals", "sequence_mask", "serialize_many_sparse", "serialize_sparse",
    "serialize_tensor", "set_random_seed", "setdiff1d", "sets", "shape", "sigmoid", "sign",
    "signal", "sin", "sinh", "size", "slice", "sort", "space_to_batch", "space_to_depth", "sparse",
    "sparse_add", "sparse_concat", "sparse_fill_empty_rows", "sparse_mask", "sparse_matmul",
    "sparse_maximum", "sparse_merge", "sparse_minimum", "sparse_placeholder", "sparse_reduce_max",
    "sparse_reduce_max_sparse", "sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_reorder",
    "sparse_reset_shape", "sparse_reshape", "sparse_retain", "sparse_segment_mean",
    "sparse_segment_sqrt_n", "sparse_segment_sum", "sparse_slice", "sparse_softmax", "sparse_split",
    "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense",
    "sparse_to_indicator", "sparse_transpose", "spectral", "split", "sqrt", "square",
    "squared_difference", "squeeze", "stack", "stop_gradient", "strided_slice", "string",
    "string_join", "string_split", "string_strip", "string_to_hash_bucket",
    "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number", "strings",
    "substr", "subtract", "summary", "svd", "switch_case", "tables_initializer", "tan", "tanh",
    "tensor_scatter_nd_add", "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot",
    "test", "to_bfloat16", "to_complex128", "to_complex64", "to_double", "to_float", "to_int32",
    "to_int64", "tpu", "trace", "train", "trainable_variables", "transpose", "truediv",
    "truncated_normal", "truncated_normal_initializer", "truncatediv", "truncatemod", "tuple",
    "uint16", "uint32", "uint64", "uint8", "uniform_unit_scaling_initializer",
    "unsorted_segment_mean", "unsorted_segment_sqrt_n", "unstack", "variable_axis_size_partitioner",
    "variable_creator_scope", "variable_op_scope", "variable_scope", "variables_initializer",
    "variance_scaling_initializer", "variant", "vectorized_map", "verify_tensor_all_finite",
    "version", "where", "where_v2", "while_loop", "write_file", "xla", "zeros", "zeros_initializer",
    "zeros_like", "zeta",
]  # fmt: skip
