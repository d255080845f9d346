"""Names in modules of TensorFlow's source that this package has elsewhere."""

from __future__ import annotations

from typing import Dict

_LIBRARIES = "_src.libraries.source_libraries"
_PRIVATE = "_src.libraries.private_functions"

# module -> the classes of feature columns that it has, but for those that programs derive from
_COLUMNS = {
    "categories": (
        "HashedCategoricalColumn IdentityCategoricalColumn VocabularyFileCategoricalColumn "
        "VocabularyListCategoricalColumn"
    ),
    "combinations": "CrossedColumn WeightedCategoricalColumn",
    "embeddings": "EmbeddingColumn IndicatorColumn SharedEmbeddingColumn",
    "numbers": "BucketizedColumn NumericColumn",
    "sequences": "SequenceCategoricalColumn",
}
_COLUMN_PATHS = {
    name: f"_src.feature_columns.{module}.{name}"
    for module, names in _COLUMNS.items()
    for name in names.split()
}

# module -> {its name: the public name}
RENAMED: Dict[str, Dict[str, str]] = {
    "contrib.factorization.python.ops.gmm_ops": {
        "_covariance": "_src.factorization.mixtures.covariance",
    },
    "contrib.framework.python.framework": {"experimental": "contrib.framework.experimental"},
    "contrib.distributions.python.ops.bijectors.masked_autoregressive": {
        "MASK_EXCLUSIVE": "_src.flows.masked_dense.MASK_EXCLUSIVE",
        "MASK_INCLUSIVE": "_src.flows.masked_dense.MASK_INCLUSIVE",
        "_gen_mask": "_src.flows.masked_dense.gen_mask",
    },
    "contrib.framework.python.ops": {"arg_scope": "contrib.framework.arg_scope"},
    "contrib.framework.python.ops.audio_ops": {
        "decode_wav": "audio.decode_wav",
    },
    "contrib.image.python.ops.dense_image_warp": {
        "_interpolate_bilinear": "contrib.image.interpolate_bilinear",
    },
    "contrib.layers.python.layers.embedding_ops": {
        "_sampled_scattered_embedding_lookup": "_src.model_layers.scattered.sampled_lookup",
        "_sampled_scattered_embedding_lookup_sparse": (
            "_src.model_layers.scattered.sampled_lookup_sparse"
        ),
    },
    "contrib.layers.python.layers.feature_column_ops": {
        "_Transformer": "_src.contrib_columns.column.MadeInPlace",
    },
    "contrib.layers.python.layers.feature_column": {
        "_FeatureColumn": "_src.contrib_columns.column.ContribColumn",
        "_create_sequence_feature_spec_for_parsing": (
            "_src.contrib_columns.checks.create_sequence_feature_spec_for_parsing"
        ),
        "_real_valued_var_len_column": "_src.contrib_columns.numbers.real_valued_var_len_column",
        **{
            f"_{name}": f"_src.contrib_columns.{module}.{name}"
            for module, names in {
                "sparse": (
                    "SparseColumn SparseColumnHashed SparseColumnIntegerized SparseColumnKeys "
                    "SparseColumnVocabulary SparseIdLookupConfig"
                ),
                "weighted": "OneHotColumn WeightedSparseColumn",
                "embeddings": "EmbeddingColumn ScatteredEmbeddingColumn",
                "numbers": "BucketizedColumn RealValuedColumn RealValuedVarLenColumn",
                "crossed": "CrossedColumn",
            }.items()
            for name in names.split()
        },
    },
    "contrib.layers.python.layers.layers": {
        "_inner_flatten": "_src.model_layers.flattening.inner_flatten",
    },
    "contrib.learn.python.learn.estimators.head": {
        f"_{name}_head": f"contrib.learn.head.{name}_head"
        for name in ("binary_svm", "multi_class", "multi", "multi_label", "poisson_regression",
                     "regression")
    },
    **{
        f"contrib.learn.python.learn.estimators.{module}": {
            f"_{name}_model_fn": f"_src.learn_models.{owner}.{owner}_model_fn"
        }
        for module, name, owner in (
            ("dnn", "dnn", "dnn"), ("linear", "linear", "linear"),
            ("dnn_linear_combined", "dnn_linear_combined", "combined"),
        )
    },
    "contrib.legacy_seq2seq.python.ops.seq2seq": {
        "Linear": "_src.rnn_cells.linear.Linear",
        "_extract_argmax_and_embed": "_src.legacy_seq2seq.decoders.extract_argmax_and_embed",
    },
    "contrib.rnn.python.ops.core_rnn_cell": {
        "_Linear": "_src.rnn_cells.linear.Linear", "_linear": "_src.rnn_cells.linear.linear",
    },
    "contrib.seq2seq.python.ops.attention_wrapper": {
        "_BaseAttentionMechanism": "_src.seq2seq.attention.BaseAttentionMechanism",
        "_bahdanau_score": "_src.seq2seq.attention.bahdanau_score",
        "_compute_attention": "_src.seq2seq.attention_wrapper.compute_attention",
        "_luong_score": "_src.seq2seq.attention.luong_score",
    },
    "contrib.seq2seq.python.ops.decoder": {"_transpose_batch_time": "_src.rnn.dynamic.transposed"},
    "core.framework.types_pb2": {
        f"DT_{name}": f"_src.api.source_values.DT_{name}"
        for name in (
            "INVALID", "FLOAT", "DOUBLE", "HALF", "BFLOAT16", "INT8", "INT16", "INT32", "INT64",
            "UINT8", "UINT16", "UINT32", "UINT64", "BOOL", "STRING", "COMPLEX64", "COMPLEX128",
            "RESOURCE", "VARIANT",
        )
    },
    "core.protobuf.rewriter_config_pb2": {
        name: f"_src.messages.config.{name}"
        for name in ("RewriterConfig", "ScopedAllocatorOptions")
    },
    "python.client.session": {
        "register_session_run_conversion_functions": (
            "_src.session.fetch.register_session_run_conversion_functions"
        ),
    },
    "python.client.device_lib": {"list_local_devices": "_src.api.source_names.list_local_devices"},
    "python.data.ops.dataset_ops": {
        **{name: "data.Dataset" for name in ("DatasetV1", "DatasetV1Adapter", "DatasetV2")},
        **{
            f"get_legacy_output_{name}": f"data.get_output_{name}"
            for name in ("classes", "shapes", "types")
        },
    },
    "python.data.util.nest": {
        "is_sequence": "_src.data.nest.is_nested", "pack_sequence_as": "_src.data.nest.pack_as",
    },
    "python.distribute.summary_op_util": {"skip_summary": f"{_PRIVATE}.skip_summary"},
    "python.eager.context": {
        "graph_mode": f"{_PRIVATE}.graph_mode",
        "in_eager_mode": "executing_eagerly",
    },
    # In TensorFlow since 1.13, these are other classes than those of `tf.feature_column`; the
    # programs that name them are older, and ask which kind a column is.
    "python.feature_column.feature_column": {
        **{f"_{name}": path for name, path in _COLUMN_PATHS.items()},
        **{
            f"_{name}": f"feature_column.{name}"
            for name in (
                "bucketized_column", "categorical_column_with_hash_bucket",
                "categorical_column_with_identity", "categorical_column_with_vocabulary_file",
                "categorical_column_with_vocabulary_list", "crossed_column", "embedding_column",
                "indicator_column", "numeric_column", "weighted_categorical_column",
            )
        },
    },
    "python.feature_column.feature_column_v2": {
        name: path for name, path in _COLUMN_PATHS.items() if name != "SharedEmbeddingColumn"
    },
    "python.framework.sparse_tensor": {"is_sparse": "_src.api.source_names.is_sparse"},
    "python.framework.constant_op": {
        "_tensor_shape_tensor_conversion_function": f"{_PRIVATE}.tensor_shape_tensor",
        "constant": "_src.api.source_values.constant", "constant_v1": "constant",
    },
    "python.framework.device": {
        "DeviceSpec": "DeviceSpec", "merge_device": "_src.api.source_names.merge_device",
    },
    "python.framework.function": {"Defun": "_src.functions.defun.Defun"},
    "python.ops.functional_ops": {
        name: f"_src.functions.functional_ops.{name}"
        for name in (
            "For", "Gradient", "If", "While", "partitioned_call", "remote_call",
            "symbolic_gradient",
        )
    },
    "python.framework.ops": {
        "prepend_name_scope": f"{_LIBRARIES}.prepend_name_scope",
        "strip_name_scope": f"{_LIBRARIES}.strip_name_scope",
        **{
            name: f"_src.graph_defs.meta_graph.{name}"
            for name in (
                "register_proto_function", "get_collection_proto_type", "get_to_proto_function",
                "get_from_proto_function",
            )
        },
        "uid": f"{_PRIVATE}.uid",
        "convert_n_to_tensor": "_src.api.source_names.convert_n_to_tensor",
        "internal_convert_to_tensor": "convert_to_tensor",
        "register_dense_tensor_like_type": (
            "_src.api.source_names.register_dense_tensor_like_type"
        ),
        "_TensorLike": "_src.api.source_names.TENSOR_LIKE",
        "is_dense_tensor_like": "_src.api.source_names.is_dense_tensor_like",
    },
    "python.framework.meta_graph": {
        "read_meta_graph_file": "_src.graph_defs.meta_graph.read_meta_graph_file",
        **{
            name: f"_src.graph_defs.scoped_meta_graphs.{name}"
            for name in (
                "add_collection_def", "copy_scoped_meta_graph", "export_scoped_meta_graph",
                "import_scoped_meta_graph",
            )
        },
    },
    "python.framework.common_shapes": {"broadcast_shape": "broadcast_static_shape"},
    "python.framework.test_util": {
        "TensorFlowTestCase": "test.TestCase",
        "deprecated_graph_mode_only": "_src.testing.test_util.run_deprecated_v1",
    },
    "python.framework.tensor_shape": {
        **{
            name: f"_src.types.shapes.{name}"
            for name in (
                "as_shape", "dimension_at_index", "matrix", "scalar", "unknown_shape", "vector",
            )
        },
        **{name: f"_src.types.dimensions.{name}" for name in ("as_dimension", "dimension_value")},
    },
    "python.framework.tensor_spec": {
        "BoundedTensorSpec": "_src.libraries.bounded_tensor_spec.BoundedTensorSpec",
    },
    "python.framework.tensor_util": {
        "constant_value": "get_static_value", "is_tensor": "is_tensor",
        "MakeNdarray": "make_ndarray",
        "constant_value_as_shape": "_src.api.source_shapes.constant_value_as_shape",
    },
    "python.keras.optimizer_v2.optimizer_v2": {"OptimizerV2": "keras.optimizers.Optimizer"},
    "python.keras.utils.tf_utils": {
        "register_symbolic_tensor_type": "_src.api.source_names.register_symbolic_tensor_type",
    },
    "python.ops.array_ops": {
        "quantize_and_dequantize": "quantization.quantize_and_dequantize",
        **{
            name: f"_src.api.source_shapes.{name}"
            for name in ("shape_internal", "size_internal", "rank_internal")
        },
    },
    "python.ops.cond_v2": {"cond_v2": "cond"},
    "python.ops.while_v2": {"while_loop": f"{_PRIVATE}.while_v2"},
    "python.ops.metrics_impl": {
        "_streaming_confusion_matrix": "_src.metrics.classes.streaming_confusion_matrix",
    },
    "python.ops.state_ops": {"init_variable": f"{_PRIVATE}.init_variable"},
    "python.ops.summary_op_util": {
        "clean_tag": "_src.summary.summary_ops.clean_tag",
        "collect": f"{_PRIVATE}.collect",
        "summary_scope": "_src.summary.summary_ops.summary_scope",
    },
    "python.autograph.pyct.transformer": {"Base": f"{_LIBRARIES}.NodeTransformer"},
    "python.ops.linalg.linear_operator_algebra": {
        **{
            f"_{name}": f"_src.linalg.operator_algebra.{name}"
            for name in ("ADJOINTS", "CHOLESKY_DECOMPS", "INVERSES", "MATMUL", "SOLVE")
        },
        **{
            f"_{name}": f"_src.linalg.operator_algebra.{name}"
            for name in (
                "registered_adjoint", "registered_cholesky", "registered_inverse",
                "registered_matmul", "registered_solve",
            )
        },
    },
    "python.ops.linalg.linear_operator_circulant": {
        "_to_complex": "_src.linalg.circulant.to_complex",
    },
    "python.ops.linalg.linear_operator_toeplitz": {
        "_to_complex": "_src.linalg.circulant.to_complex",
    },
    "python.ops.linalg.linear_operator_addition": {
        f"_{name}": f"_src.linalg.operator_addition.{name}"
        for name in (
            "Adder", "AddAndReturnDiag", "AddAndReturnMatrix", "AddAndReturnScaledIdentity",
            "AddAndReturnTriL", "Hints",
        )
    },
    "python.ops.linalg.linear_operator_util": {
        name: f"_src.libraries.operator_utilities.{name}"
        for name in (
            "assert_compatible_matrix_dimensions", "assert_no_entries_with_modulus_zero",
            "assert_zero_imag_part", "broadcast_matrix_batch_dims",
            "cholesky_solve_with_broadcast", "matrix_solve_with_broadcast",
            "matrix_triangular_solve_with_broadcast",
            "use_operator_or_provided_hint_unless_contradicting",
        )
    },
    "python.pywrap_tensorflow": {
        "TF_TryEvaluateConstant_wrapper": f"{_LIBRARIES}.try_evaluate_constant",
        "EventsWriter": "_src.libraries.events_writer.EventsWriter",
    },
    "python.util.nest": {
        "_is_namedtuple": f"{_LIBRARIES}.is_namedtuple",
        "get_traverse_shallow_structure": f"{_LIBRARIES}.get_traverse_shallow_structure",
    },
    "python.util.lazy_loader": {"LazyLoader": f"{_LIBRARIES}.LazyLoader"},
    "python.ops.control_flow_ops": {
        "_case_helper": f"{_LIBRARIES}.case_helper",
        "with_dependencies": "_src.api.source_names.with_dependencies",
    },
    "python.ops.control_flow_util": {
        "GraphOrParentsInXlaContext": f"{_LIBRARIES}.is_in_xla_context",
        "GetContainingXLAContext": "_src.api.source_names.containing_xla_context",
    },
    "python.ops.critical_section_ops": {
        "CRITICAL_SECTIONS": "_src.data_flow.critical_section.CRITICAL_SECTIONS",
        "CRITICAL_SECTION_EXECUTIONS": (
            "_src.data_flow.critical_section.CRITICAL_SECTION_EXECUTIONS"
        ),
        "CriticalSection": "CriticalSection",
    },
    "python.ops.data_flow_ops": {
        "Barrier": "_src.data_flow.barrier.Barrier",
        "BaseStagingArea": "_src.data_flow.staging_area.BaseStagingArea",
        "MapStagingArea": "_src.data_flow.staging_area.MapStagingArea",
        "StagingArea": "_src.data_flow.staging_area.StagingArea",
    },
    "python.ops.gen_audio_ops": {"decode_wav": "audio.decode_wav"},
    "python.ops.init_ops": {
        "Initializer": "_src.variables.initializers.Initializer",
        "Constant": "constant_initializer", "Ones": "ones_initializer",
        "RandomNormal": "random_normal_initializer", "RandomUniform": "random_uniform_initializer",
        "TruncatedNormal": "truncated_normal_initializer", "Zeros": "zeros_initializer",
        "VarianceScaling": "variance_scaling_initializer",
        **{
            name: f"_src.variables.orthogonal.{kind}"
            for kind, function in (
                ("ConvolutionDeltaOrthogonal", "convolutional_delta_orthogonal"),
                ("ConvolutionOrthogonal1D", "convolutional_orthogonal_1d"),
                ("ConvolutionOrthogonal2D", "convolutional_orthogonal_2d"),
                ("ConvolutionOrthogonal3D", "convolutional_orthogonal_3d"),
            )
            for name in (kind, function)
        },
    },
    "python.ops.lookup_ops": {
        name: f"_src.lookup.index_tables.{name}"
        for name in ("index_table_from_tensor", "index_to_string_table_from_tensor")
    },
    "python.ops.resource_variable_ops": {
        "ResourceVariable": "_src.api.source_values.ResourceVariable",
        "is_resource_variable": f"{_PRIVATE}.is_resource_variable",
    },
    "python.ops.rnn": {
        "rnn_cell_impl": "python.ops.rnn_cell_impl",
        "_best_effort_input_batch_size": "_src.rnn.dynamic.batch_size_of",
        "_maybe_tensor_shape_from_tensor": f"{_PRIVATE}.maybe_tensor_shape_from_tensor",
        "_transpose_batch_time": "_src.rnn.dynamic.transposed",
    },
    "python.ops.rnn_cell_impl": {
        "LayerRNNCell": "_src.rnn.cell.LayerRNNCell",
        "_concat": "_src.api.source_names.concat_sizes",
        "_zero_state_tensors": "_src.rnn.sizes.zeros_like_sizes",
        "assert_like_rnncell": "_src.rnn.cell.assert_like_rnncell",
    },
    "python.ops.variable_scope": {
        "_pure_variable_scope": "_src.api.source_names.pure_variable_scope",
        "variable": "Variable",
    },
    "python.ops.variables": {
        "PartitionedVariable": "_src.variables.partitioned_variable.PartitionedVariable",
        "RefVariable": "Variable", "VariableV1": "Variable", "Variable": "Variable",
    },
    "python.summary.text_summary": {"text_summary": "summary.text"},
    "python.training.moving_averages": {
        "assign_moving_average": "_src.train.moving_averages.assign_moving_average",
    },
    "python.training.checkpoint_management": {
        "_prefix_to_checkpoint_path": f"{_PRIVATE}.prefix_to_checkpoint_path",
    },
    "python.training.device_setter": {
        "STANDARD_PS_OPS": "_src.cluster.device_setter.PS_OPS",
        "_RoundRobinStrategy": f"{_PRIVATE}.RoundRobinStrategy",
    },
    "python.training.optimizer": {
        "_deduplicate_indexed_slices": f"{_PRIVATE}.deduplicate_indexed_slices",
    },
    "python.training.saver": {
        "_get_saver_or_default": f"{_PRIVATE}.get_saver_or_default",
        **{
            name: f"_src.checkpoints.saver_builder.{name}"
            for name in ("BaseSaverBuilder", "BulkSaverBuilder")
        },
    },
    "python.training.saving.saveable_object": {
        name: f"_src.checkpoints.saveables.{name}" for name in ("SaveSpec", "SaveableObject")
    },
}  # fmt: skip
