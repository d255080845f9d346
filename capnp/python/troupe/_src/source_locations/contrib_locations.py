"""Where TensorFlow's source has what is in `tf.contrib`, and bijectors."""

from __future__ import annotations

from typing import Dict

_OPS = "_src.api.source_ops"  # the functions of all ops
_SERIES = "_src.timeseries"
_BIJECTORS = "contrib.distributions.bijectors"
_DISTRIBUTIONS = "contrib.distributions"
_UTILITIES = " ".join(
    [
        *(
            f"_src.distribution_utilities.{name}"
            for name in ("functions", "mixtures", "parameter_checks", "static_shapes")
        ),
        *(f"_src.bijectors.{name}" for name in ("columns", "scales")),
        "_src.transformed_distributions.static_choices",
        _DISTRIBUTIONS,
    ]
)

_FOREST_OPS = {
    "data_ops": "_src.tensor_forest.data_spec",
    "model_ops stats_ops": f"_src.tensor_forest.variables {_OPS}",
    "gen_model_ops gen_stats_ops gen_tensor_forest_ops tensor_forest_ops": _OPS,
}

# The public modules whose names a module has, by the folder of TensorFlow's source.
CONTRIB_OWNERS: Dict[str, Dict[str, str]] = {
    "contrib.all_reduce.python": {"all_reduce": "contrib.all_reduce"},
    "contrib.copy_graph.python.util": {"copy_elements": "contrib.copy_graph"},
    "contrib.crf.python.ops": {"crf": "contrib.crf"},
    "contrib.grid_rnn.python.ops": {"grid_rnn_cell": "contrib.grid_rnn"},
    "contrib.input_pipeline.python.ops": {
        "input_pipeline_ops": "_src.contrib_ops.input_pipeline",
    },
    "contrib.integrate.python.ops": {"odes": "contrib.integrate"},
    "contrib.nccl.python.ops": {"nccl_ops": "contrib.nccl"},
    "contrib.periodic_resample.python.ops": {
        "periodic_resample_op": "contrib.periodic_resample",
    },
    "contrib.receptive_field": {"receptive_field_api": "contrib.receptive_field"},
    "contrib.receptive_field.python.util": {
        "graph_compute_order": "_src.receptive_field.compute_order",
        "parse_layer_parameters": "_src.receptive_field.layers",
        "receptive_field": "_src.receptive_field.fields",
    },
    "contrib.recurrent.python.ops": {"functional_rnn recurrent": "contrib.recurrent"},
    "contrib.cudnn_rnn.python.layers": {"cudnn_rnn": "contrib.cudnn_rnn"},
    "contrib.cudnn_rnn.python.ops": {"cudnn_rnn_ops": "contrib.cudnn_rnn"},
    "contrib.data.python.ops": {
        "batching grouping interleave_ops": "contrib.data",
        "threadpool": "_src.data.transformations",
    },
    "contrib.eager.python": {"tfe": "contrib.eager"},
    "contrib.factorization.python.ops": {
        "clustering_ops": f"contrib.factorization {_OPS}",
        "gmm_ops kmeans": "contrib.factorization",
        "gen_factorization_ops": "_src.factorization.masked_products",
    },
    "contrib.framework.python": {"framework ops": "contrib.framework"},
    "contrib.framework.python.framework": {
        "checkpoint_utils experimental graph_util tensor_util": "contrib.framework",
    },
    "contrib.framework.python.ops": {
        "arg_scope checkpoint_ops ops prettyprint_ops script_ops sort_ops": "contrib.framework",
        "variables": "contrib.framework",
        "audio_ops": _OPS,
    },
    "contrib.gan.python": {
        "namedtuples train": "contrib.gan",
        **{name: f"contrib.gan.{name}" for name in ("estimator", "eval", "features", "losses")},
    },
    "contrib.gan.python.estimator.python": {
        "gan_estimator latent_gan_estimator stargan_estimator": "contrib.gan.estimator",
    },
    "contrib.gan.python.eval.python": {
        "classifier_metrics eval_utils sliced_wasserstein summaries": "contrib.gan.eval",
    },
    "contrib.gan.python.features.python": {
        "clip_weights conditioning_utils random_tensor_pool": "contrib.gan.features",
        "spectral_normalization virtual_batchnorm": "contrib.gan.features",
    },
    "contrib.gan.python.losses.python": {
        "losses_impl losses_wargs": "contrib.gan.losses.wargs",
        "tuple_losses tuple_losses_impl": "contrib.gan.losses",
    },
    "contrib.graph_editor.tests": {"match": "_src.graph_editor.match"},
    "contrib.image.python.ops": {
        "dense_image_warp distort_image_ops image_ops interpolate_spline": "contrib.image",
        "sparse_image_warp": "contrib.image",
    },
    "contrib.layers.python": {"layers": "contrib.layers"},
    "contrib.layers.python.ops": {
        "sparse_feature_cross_op": "_src.model_layers.crosses",
        "sparse_ops": "_src.model_layers.sparse_ids",
    },
    "contrib.layers.python.layers": {
        "embedding_ops encoders initializers layers normalization optimizers": "contrib.layers",
        "regularizers rev_block_lib": "contrib.layers",
        "feature_column": "contrib.layers.feature_column",
        "feature_column_ops": "contrib.layers",
        "summaries": "contrib.layers.summaries",
        "utils": "contrib.layers.utils",
    },
    "contrib.learn.python": {"learn": "contrib.learn"},
    "contrib.learn.python.learn": {
        "evaluable experiment export_strategy metric_spec trainable": "contrib.learn",
        "graph_actions": "contrib.learn",
        "datasets": "contrib.learn.datasets",
        "learn_runner": "contrib.learn.learn_runner",
        "models": "contrib.learn.models",
        "monitors": "contrib.learn.monitors",
        "basic_session_run_hooks monitored_session session_run_hook": "train",
        "summary_writer_cache": "summary",
    },
    "contrib.learn.python.learn.datasets": {
        "base": "contrib.learn.datasets.base",
        "mnist": "contrib.learn.datasets.mnist",
    },
    "contrib.learn.python.learn.estimators": {
        "dnn dnn_linear_combined estimator linear logistic_regressor svm": "contrib.learn",
        "model_fn prediction_key": "contrib.learn",
        "run_config": "contrib.learn _src.learn.run_config",
        "constants metric_key": "_src.learn.keys",
        "dynamic_rnn_estimator": "contrib.learn _src.learn_rnn.dynamic_rnn",
        "kmeans": "contrib.learn",
        "rnn_common": "_src.learn_rnn.parts",
        "head": "contrib.learn.head",
    },
    "contrib.learn.python.learn.learn_io": {
        "numpy_io pandas_io": "contrib.learn.io",
        "graph_io": "contrib.learn",
    },
    "contrib.learn.python.learn.ops": {"losses_ops": "contrib.learn.ops"},
    "contrib.learn.python.learn.utils": {
        "input_fn_utils": "contrib.learn.utils.input_fn_utils",
        "saved_model_export_utils": "contrib.learn.utils.saved_model_export_utils",
    },
    "contrib.legacy_seq2seq.python.ops": {"seq2seq": "contrib.legacy_seq2seq"},
    "contrib.linear_optimizer.python": {
        "sdca_estimator": "_src.learn_models.sdca_estimators",
        "sdca_optimizer": "contrib.linear_optimizer",
    },
    "contrib.linear_optimizer.python.ops": {
        "sdca_ops sparse_feature_column": "contrib.linear_optimizer",
        "sharded_mutable_dense_hashtable": "_src.linear_optimizer.sharded_tables",
    },
    "contrib.losses.python": {"metric_learning": "contrib.losses.metric_learning"},
    "contrib.losses.python.losses": {"loss_ops": "contrib.losses"},
    "contrib.losses.python.metric_learning": {
        "metric_loss_ops": "contrib.losses.metric_learning _src.metric_learning.distances",
    },
    "contrib.metrics.python.ops": {
        "histogram_ops metric_ops": "contrib.metrics",
        "set_ops": "sets",
    },
    "contrib.mixed_precision.python": {
        "loss_scale_manager loss_scale_optimizer": "contrib.mixed_precision",
    },
    "contrib.opt.python.training": {
        "adamax external_optimizer lazy_adam_optimizer nadam_optimizer": "contrib.opt",
        "moving_average_optimizer powersign addsign weight_decay_optimizers": "contrib.opt",
        "adam_gs_optimizer lazy_adam_gs_optimizer reg_adagrad_optimizer": "contrib.opt",
        "drop_stale_gradient_optimizer sign_decay": "contrib.opt",
    },
    "contrib.rnn.python.ops": {
        "core_rnn core_rnn_cell rnn rnn_cell fused_rnn_cell": "contrib.rnn nn nn.rnn_cell",
        "gru_ops lstm_ops": "contrib.rnn",
    },
    "contrib.seq2seq.python.ops": {
        "attention_wrapper basic_decoder beam_search_decoder": "contrib.seq2seq",
        "beam_search_ops decoder helper loss sampler": "contrib.seq2seq",
    },
    "contrib.slim.python": {"slim": "contrib.slim"},
    "contrib.slim.python.slim": {
        name: f"contrib.slim.{name}"
        for name in ("evaluation", "learning", "model_analyzer", "nets", "queues", "summaries")
    },
    "contrib.slim.python.slim.data": {
        name: f"contrib.slim.{name}"
        for name in (
            "data_decoder", "data_provider", "dataset", "dataset_data_provider",
            "parallel_reader", "prefetch_queue", "tfexample_decoder",
        )
    },
    "contrib.slim.python.slim.nets": {
        name: f"contrib.slim.nets.{name}"
        for name in (
            "alexnet", "inception", "inception_v1", "inception_v2", "inception_v3", "overfeat",
            "resnet_utils", "resnet_v1", "resnet_v2", "vgg",
        )
    },
    "contrib.tensor_forest.proto": {
        "tensor_forest_params_pb2": "contrib.tensor_forest.proto.tensor_forest_params_pb2",
    },
    "contrib.tensor_forest.python": {
        "tensor_forest": " ".join(
            f"_src.tensor_forest.{name}" for name in ("graphs", "params", "tree_graphs")
        ),
        **_FOREST_OPS,
    },
    "contrib.tensor_forest.python.ops": _FOREST_OPS,
    "contrib.timeseries.python": {"timeseries": "contrib.timeseries"},
    "contrib.timeseries.python.timeseries": {
        "ar_model": f"{_SERIES}.ar_model {_SERIES}.networks",
        "estimators": "_src.series_estimators.estimators contrib.timeseries",
        "feature_keys": f"{_SERIES}.feature_keys",
        "head": "_src.series_estimators.head contrib.timeseries",
        "input_pipeline": f"{_SERIES}.readers {_SERIES}.input_fns contrib.timeseries",
        "math_utils": f"{_SERIES}.matrices {_SERIES}.statistics {_SERIES}.state_tables",
        "model": f"{_SERIES}.model {_SERIES}.sequential",
        "model_utils": f"{_SERIES}.arrays",
        "saved_model_utils": "contrib.timeseries.saved_model_utils",
        "state_management": f"{_SERIES}.state_managers",
    },
    "contrib.timeseries.python.timeseries.state_space_models": {
        "filtering_postprocessor": "_src.state_space.anomalies",
        **{name: f"_src.state_space.{name}" for name in ("kalman_filter", "level_trend", "varma")},
        "periodic": "_src.state_space.periodic _src.state_space.resolution",
        "state_space_model": " ".join(
            f"_src.state_space.{name}" for name in ("configuration", "ensembles", "model")
        ),
        "structural_ensemble": "_src.state_space.structural",
    },
    "contrib.tpu.python.ops": {"tpu_ops": "contrib.tpu"},
    "contrib.tpu.python.tpu": {
        "bfloat16 device_assignment tpu tpu_feed training_loop": "contrib.tpu",
        "tpu_config tpu_context tpu_estimator tpu_optimizer": "contrib.tpu",
        "tpu_function": "_src.tpu.tpu_function contrib.tpu",
    },
    "python.tpu.ops": {"tpu_ops": "contrib.tpu"},
    "python.tpu": {
        "bfloat16 device_assignment tpu tpu_feed training_loop": "contrib.tpu",
        "tpu_config tpu_context tpu_estimator tpu_optimizer": "contrib.tpu",
        "tpu_function": "_src.tpu.tpu_function contrib.tpu",
    },
    "contrib.training.python.training": {
        "bucket_ops evaluation hparam sequence_queueing_state_saver training": "contrib.training",
        "device_setter resample sampling_ops": "contrib.training",
    },
    "contrib.distributions.python.ops": {
        "batch_reshape bernoulli beta binomial categorical cauchy chi2": _DISTRIBUTIONS,
        "deterministic dirichlet dirichlet_multinomial estimator exponential": _DISTRIBUTIONS,
        "gamma geometric half_normal independent inverse_gamma": _DISTRIBUTIONS,
        "kullback_leibler kumaraswamy laplace logistic mixture": _DISTRIBUTIONS,
        "mixture_same_family multinomial mvn_diag mvn_diag_plus_low_rank": _DISTRIBUTIONS,
        "mvn_full_covariance mvn_tril negative_binomial normal": _DISTRIBUTIONS,
        "normal_conjugate_posteriors onehot_categorical poisson": _DISTRIBUTIONS,
        "poisson_lognormal quantized_distribution relaxed_bernoulli": _DISTRIBUTIONS,
        "relaxed_onehot_categorical sample_stats seed_stream": _DISTRIBUTIONS,
        "sinh_arcsinh student_t uniform vector_exponential_diag": _DISTRIBUTIONS,
        "vector_laplace_diag vector_sinh_arcsinh_diag wishart": _DISTRIBUTIONS,
        "gumbel": "_src.scalar_distributions.location_distributions",
        "mvn_linear_operator": "_src.vector_distributions.mvn_linear_operator",
        "vector_exponential_linear_operator": "_src.vector_distributions.vector_laplace",
        "vector_laplace_linear_operator": "_src.vector_distributions.vector_laplace",
        "autoregressive conditional_distribution moving_stats": _DISTRIBUTIONS,
        "conditional_transformed_distribution": _DISTRIBUTIONS,
        "distribution_util": _UTILITIES,
        "bijectors": _BIJECTORS,
    },
    "contrib.distributions.python.ops.bijectors": {
        "absolute_value affine affine_linear_operator affine_scalar": _BIJECTORS,
        "batch_normalization chain cholesky_outer_product conditional_bijector": _BIJECTORS,
        "exp fill_triangular gumbel inline invert kumaraswamy masked_autoregressive": _BIJECTORS,
        "matrix_inverse_tril ordered permute power_transform real_nvp reshape": _BIJECTORS,
        "scale_tril sigmoid sinh_arcsinh softmax_centered softplus softsign": _BIJECTORS,
        "square transform_diagonal weibull": _BIJECTORS,
    },
    "python.ops.distributions": {
        "bijector bijector_impl identity_bijector": _BIJECTORS,
        "transformed_distribution": _DISTRIBUTIONS,
        "util": _UTILITIES,
    },
}
