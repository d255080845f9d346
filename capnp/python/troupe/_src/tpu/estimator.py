"""`TPUEstimator`: an Estimator whose model function is told the size of batches."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.spec import ModeKeys
from troupe._src.platform.logging import not_obeyed
from troupe._src.set_module import set_module
from troupe._src.tpu.config import InputPipelineConfig, RunConfig, check_positive_integer
from troupe._src.tpu.model_function import Place, TPUModelFunction
from troupe._src.types.paths import PathLike

RESERVED = ("batch_size", "context")


@set_module("troupe.estimator.tpu")
class TPUEstimator(Estimator):
    """Trains, evaluates and uses a model, in programs that can do so with TPUs.

    As there are no TPUs here, the model must be made with `use_tpu=False`. It is then an Estimator
    with these additions: both `input_fn` and `model_fn` have an argument `params`, in which
    `"batch_size"` is that of the mode, and for `model_fn` `"use_tpu"` is False; `model_fn` may
    return a TPUEstimatorSpec; the examples per second are logged. With `use_tpu=True`, `train`,
    `evaluate` and `predict` raise a RuntimeError; exports are made.

    Args:
        model_fn: As of Estimator; returns an EstimatorSpec or a TPUEstimatorSpec.
        model_dir: The folder of checkpoints and summaries, by default that of `config`.
        config: A `tf.estimator.tpu.RunConfig`.
        params: A dict of hyperparameters, or HParams.
        use_tpu: False.
        train_batch_size: How many examples a batch of a training has.
        eval_batch_size: How many a batch of an evaluation has.
        predict_batch_size: How many a batch of a prediction has.
        batch_axis: Has no effect; TPUs divide batches along these axes.
        eval_on_tpu: False where evaluations need no TPUs, whatever `use_tpu` is.
        export_to_tpu: Has no effect; exports have no graph for TPUs.
        export_to_cpu: Whether exports have a graph for other devices; they have no other one.
        warm_start_from: A checkpoint, or a WarmStartSettings, whose values variables begin with.
        embedding_config_spec: None; embeddings are not divided among TPUs.
        export_saved_model_api_version: Has no effect.

    Raises:
        ValueError: `config` is of another class, `params` has a reserved name, or a size is
            missing or not positive.
        TypeError: A size is no integer.
        NotImplementedError: There is an `embedding_config_spec`.
    """

    def __init__(
        self,
        model_fn: Optional[Callable[..., Any]] = None,
        model_dir: Optional[PathLike] = None,
        config: Optional[RunConfig] = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: Optional[int] = None,
        eval_batch_size: Optional[int] = None,
        predict_batch_size: Optional[int] = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        if not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `tf.estimator.tpu.RunConfig`")
        if params is not None and any(name in params for name in RESERVED):
            raise ValueError(f"{RESERVED} are reserved keys but existed in params {params}.")
        if embedding_config_spec is not None:
            raise NotImplementedError("embedding_config_spec: there are no TPUs for embeddings")
        sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        if use_tpu:
            _check_for_tpus(sizes, config)
        if batch_axis is not None:
            not_obeyed("TPUEstimator", "batch_axis")
        self._exports = bool(export_to_cpu)
        checked: Any = model_fn
        super().__init__(
            checked, model_dir, config, {} if params is None else params, warm_start_from
        )
        place = Place(bool(use_tpu), bool(eval_on_tpu))
        self._model = TPUModelFunction(checked, params, sizes, place)

    def experimental_export_all_saved_models(
        self,
        export_dir_base: Any,
        input_receiver_fn_map: Dict[str, Callable[[], Any]],
        assets_extra: Optional[Dict[str, Any]] = None,
        as_text: bool = False,
        checkpoint_path: Optional[str] = None,
    ) -> bytes:
        """As of Estimator; the graphs are those for other devices than TPUs.

        Raises:
            ValueError: As of Estimator, or `export_to_cpu` is False.
        """
        if not self._exports:
            raise ValueError("export_to_cpu is False, and graphs for TPUs cannot be exported.")
        return super().experimental_export_all_saved_models(
            export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
        )


def _check_for_tpus(sizes: Dict[str, Optional[int]], config: RunConfig) -> None:
    """What TensorFlow checks of a model for TPUs before it looks for them."""
    if sizes[ModeKeys.TRAIN] is None:
        raise ValueError("`train_batch_size` cannot be `None`")
    names = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval", ModeKeys.PREDICT: "predict"}
    for mode, size in sizes.items():
        if size is not None:
            check_positive_integer(size, f"{names[mode]}_batch_size")
    options = config.tpu_config
    is_per_shard = options.per_host_input_for_training == InputPipelineConfig.PER_SHARD_V1
    if is_per_shard and options.num_cores_per_replica:
        raise ValueError(
            "Model parallelism only supports per host input for training. Please adjust "
            "TPUConfig.per_host_input_for_training."
        )
