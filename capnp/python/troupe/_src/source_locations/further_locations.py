"""Where TensorFlow's source has what fewer programs import by its place."""

from __future__ import annotations

from typing import Dict

_OPS = "_src.api.source_ops"  # the functions of all ops

# The public modules whose names a module has, by the folder of TensorFlow's source.
FURTHER_OWNERS: Dict[str, Dict[str, str]] = {
    "contrib.estimator.python.estimator": {
        "boosted_trees dnn dnn_linear_combined early_stopping export exporter": "contrib.estimator",
        "extenders head hooks linear logit_fns multi_head rnn": "contrib.estimator",
        "saved_model_estimator": "contrib.estimator",
    },
    "core.framework": {"op_def_pb2": "_src.messages.graph_messages"},
    "core.protobuf": {"saved_model_pb2 struct_pb2": "_src.messages.meta_graph_messages"},
    "python.autograph.impl": {"api": "autograph autograph.experimental"},
    "python.compat": {"compat": "compat"},
    "python.data.experimental.ops": {"threadpool": "_src.data.transformations"},
    "python.eager": {"function": "contrib.eager ", "monitoring": "_src.libraries.monitoring"},
    "python.estimator": {
        "early_stopping estimator_lib keras": "estimator",
        "util": "_src.api.source_utilities",
    },
    "python.estimator.canned": {
        "baseline boosted_trees dnn dnn_linear_combined linear parsing_utils": "estimator",
        "prediction_keys": "_src.libraries.prediction_keys",
    },
    "python.estimator.head": {
        "base_head binary_class_head multi_class_head multi_head multi_label_head": "estimator",
        "regression_head": "estimator",
    },
    "python.feature_column": {"dense_features dense_features_v2": "keras.layers"},
    "python.framework": {"op_def_registry": "_src.libraries.op_registry"},
    "python.keras": {
        "backend_config": "keras.backend",
        "engine": "keras.engine",
        "layers": "keras.layers",
    },
    "python.keras.engine": {
        "base_layer_utils": "_src.keras_layers.source_names _src.mixed_precision.policy",
        "input_spec node": "keras.engine.base_layer",
    },
    "python.keras.layers": {"dense_attention serialization": "keras.layers"},
    "python.keras.saving": {
        "hdf5_format": "keras.engine.saving",
        "model_config save": "keras.models",
    },
    "python.keras.utils": {"tf_utils": "_src.keras.reachable _src.keras_layers.source_names"},
    "python.ops": {
        "gen_list_ops": _OPS,
        "list_ops": f"_src.libraries.tensor_lists {_OPS}",
        "summary_ops_v2": "contrib.summary compat.v2.summary",
    },
    "python.platform": {"resource_loader": "resource_loader"},
    "python.saved_model": {"nested_structure_coder": "_src.object_saved_models.structure_coder"},
    "python.tools": {"saved_model_utils": "_src.saved_model.loader"},
    "python.training": {"evaluation": "contrib.training"},
    "python.training.tracking": {
        "base data_structures tracking": "contrib.checkpoint _src.libraries.tracked",
    },
    "python.util": {
        "decorator_utils": "_src.libraries.docstring_notices",
        "serialization": "_src.libraries.json_types",
    },
}

# The modules that are names of `tensorflow.python`, too, by their folder.
_IN_PYTHON = {
    "client": "session",
    "eager": "context",
    "framework": (
        "constant_op dtypes errors graph_util ops random_seed sparse_tensor tensor_shape "
        "tensor_spec tensor_util type_spec"
    ),
    "lib.io": "file_io",
    "ops": (
        "array_ops check_ops clip_ops control_flow_ops control_flow_util gen_array_ops "
        "gen_control_flow_ops gen_data_flow_ops gen_io_ops gen_linalg_ops gen_math_ops gen_nn_ops "
        "gen_parsing_ops gen_random_ops gen_sparse_ops gen_state_ops gen_string_ops list_ops "
        "map_fn math_ops nn nn_ops random_ops resource_variable_ops rnn rnn_cell sparse_ops "
        "state_ops tensor_array_ops"
    ),
    "platform": "resource_loader tf_logging",
    "util": "deprecation function_utils nest tf_inspect",
}

# module -> {its name: the public name}
FURTHER_RENAMED: Dict[str, Dict[str, str]] = {
    "python": {
        name: f"python.{folder}.{name}"
        for folder, names in _IN_PYTHON.items()
        for name in names.split()
    },
    "python.ops.nn_ops": {"Convolution": "_src.libraries.private_functions.Convolution"},
    "python.tools.saved_model_utils": {
        "read_saved_model": "_src.saved_model.loader.parse_saved_model",
    },
    "python.training.evaluation": {
        "_StopAfterNEvalsHook": "contrib.training.StopAfterNEvalsHook",
        "_get_or_create_eval_step": "_src.slim.evaluations.get_or_create_eval_step",
    },
    "python.util.decorator_utils": {
        "_normalize_docstring": "_src.libraries.docstring_notices.normalize_docstring",
    },
    "python.util.deprecation": {
        "_call_location": "_src.libraries.docstring_notices.call_location",
        "_validate_deprecation_args": (
            "_src.libraries.docstring_notices.validate_deprecation_args"
        ),
    },
    "python.training.tracking.base": {"Trackable": "contrib.checkpoint.CheckpointableBase"},
    "python.training.tracking.tracking": {"AutoTrackable": "contrib.checkpoint.Checkpointable"},
}
