"""Scopes of arguments, and variables of models."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.api.source_utilities import (
    deprecated,
    deprecated_arg_values,
    deprecated_args,
)
from troupe._src.checkpoints.checkpoint_reader import (
    list_variables,
    load_checkpoint,
    load_variable,
)
from troupe._src.checks.check_ops import assert_same_float_dtype, assert_scalar
from troupe._src.contrib.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from troupe._src.contrib.assignments import (
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    get_variable_full_name,
)
from troupe._src.contrib.variables import (
    add_model_variable,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
)
from troupe._src.control_flow.smart_cond import smart_case, smart_cond, smart_constant_value
from troupe._src.framework.experiments import (
    experimental,
)
from troupe._src.framework.graph_parts import (
    fuse_op,
    get_graph_from_inputs,
    get_placeholders,
    prepend_name_scope,
    strip_name_scope,
)
from troupe._src.framework.model_variables import (
    VariableDeviceChooser,
    assert_or_get_global_step,
    filter_variables,
    zero_initializer,
)
from troupe._src.framework.printed_values import (
    print_op,
)
from troupe._src.framework.tensor_checks import (
    assert_scalar_int,
    reduce_sum_n,
    remove_squeezable_dimensions,
    with_same_shape,
    with_shape,
)
from troupe._src.graph.elements import is_numeric_tensor
from troupe._src.graph.scopes import get_name_scope
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.ops.arithmetic_ops import is_non_decreasing, is_strictly_increasing
from troupe._src.ops.order_ops import argsort, sort
from troupe._src.ops.sparse_tensor import convert_to_tensor_or_sparse_tensor, is_tensor
from troupe._src.session.py_func import py_func
from troupe._src.train.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from troupe._src.variables.orthogonal import (
    ConvolutionDeltaOrthogonal as convolutional_delta_orthogonal,
)
from troupe._src.variables.orthogonal import (
    ConvolutionOrthogonal1D as convolutional_orthogonal_1d,
)
from troupe._src.variables.orthogonal import (
    ConvolutionOrthogonal2D as convolutional_orthogonal_2d,
)
from troupe._src.variables.orthogonal import (
    ConvolutionOrthogonal3D as convolutional_orthogonal_3d,
)
from troupe._src.warm_starting.init_from_checkpoint import init_from_checkpoint
from troupe._src.warm_starting.remapped_matrices import (
    load_and_remap_matrix_initializer,
    load_embedding_initializer,
    load_linear_multiclass_bias_initializer,
    load_variable_slot_initializer,
)
from troupe.contrib.framework import nest
from troupe._src.contrib_ops.record_input import RecordInput
from troupe._src.libraries.bounded_tensor_spec import BoundedTensorSpec

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "BoundedTensorSpec",
    "RecordInput",
    "TensorSpec",
    "VariableDeviceChooser",
    "add_arg_scope",
    "add_model_variable",
    "arg_scope",
    "arg_scope_func_key",
    "arg_scoped_arguments",
    "argsort",
    "assert_global_step",
    "assert_or_get_global_step",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_scalar_int",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "convert_to_tensor_or_sparse_tensor",
    "convolutional_delta_orthogonal",
    "convolutional_orthogonal_1d",
    "convolutional_orthogonal_2d",
    "convolutional_orthogonal_3d",
    "create_global_step",
    "current_arg_scope",
    "deprecated",
    "deprecated_arg_values",
    "deprecated_args",
    "experimental",
    "filter_variables",
    "fuse_op",
    "get_global_step",
    "get_graph_from_inputs",
    "get_local_variables",
    "get_model_variables",
    "get_name_scope",
    "get_or_create_global_step",
    "get_placeholders",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "has_arg_scope",
    "init_from_checkpoint",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_tensor",
    "list_variables",
    "load_and_remap_matrix_initializer",
    "load_checkpoint",
    "load_embedding_initializer",
    "load_linear_multiclass_bias_initializer",
    "load_variable",
    "load_variable_slot_initializer",
    "local_variable",
    "model_variable",
    "nest",
    "prepend_name_scope",
    "print_op",
    "py_func",
    "reduce_sum_n",
    "remove_squeezable_dimensions",
    "smart_case",
    "smart_cond",
    "smart_constant_value",
    "sort",
    "strip_name_scope",
    "variable",
    "with_same_shape",
    "with_shape",
    "zero_initializer",
]
