"""Estimators of forests."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.estimator.estimator import Estimator as CoreEstimator
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.keys import PredictionKey
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.tensor_forest.graphs import RandomForestGraphs
from troupe._src.tensor_forest.model import ModelBuilderOutputType, default_head, get_model_fn
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

_MODULE = "troupe.contrib.tensor_forest.client.random_forest"


def _trainers(num_trainers: int, config: Any) -> int:
    """How many trainers there are, by default one for each worker."""
    if num_trainers != 1 or config is None:
        return num_trainers
    return max(1, int(config.num_worker_replicas))


@set_module(_MODULE)
class TensorForestEstimator(Estimator):
    """An older estimator of a forest.

    Args:
        params: The `ForestHParams`.
        device_assigner: A device function, for each tree.
        model_dir: As of `tf.contrib.learn.Estimator`.
        feature_columns: As of `get_model_fn`.
        graph_builder_class: As of `get_model_fn`.
        config: As of `tf.contrib.learn.Estimator`.
        weight_column: The name of the feature that has the weights of examples.
        keys_column: The name of a feature that is only among the predictions.
        feature_engineering_fn: As of `tf.contrib.learn.Estimator`.
        early_stopping_rounds: As of `get_model_fn`.
        early_stopping_loss_threshold: As of `get_model_fn`.
        num_trainers: Among how many trainers the trees are split, by default the workers.
        trainer_id: Which of them this one is.
        report_feature_importances: As of `get_model_fn`.
        local_eval: As of `get_model_fn`.
        version: Has no effect.
        head: As of `get_model_fn`.
        include_all_in_serving: As of `get_model_fn`.
    """

    def __init__(
        self, params: Any, device_assigner: Any = None, model_dir: Optional[PathLike] = None,
        feature_columns: Any = None, graph_builder_class: Any = RandomForestGraphs,
        config: Any = None, weight_column: Optional[str] = None,
        keys_column: Optional[str] = None, feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100, early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False,
        local_eval: bool = False, version: Any = None, head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:  # fmt: skip
        model_fn = get_model_fn(
            params.fill(), graph_builder_class, device_assigner, feature_columns, weight_column,
            head, keys_column, early_stopping_rounds, early_stopping_loss_threshold,
            _trainers(num_trainers, config), trainer_id, report_feature_importances, local_eval,
            include_all_in_serving=include_all_in_serving,
        )  # fmt: skip
        super().__init__(
            model_fn, model_dir, config, feature_engineering_fn=feature_engineering_fn
        )


def get_combined_model_fn(model_fns: Sequence[Any]) -> Callable[..., ModelFnOps]:
    """Model functions as one, of which each has a column of the labels.

    Its loss is the mean of theirs. Its predictions are the probabilities of all, one after the
    other, and the classes as one column for each.

    Args:
        model_fns: What `get_model_fn` gives.

    Returns:
        A function of features, labels and a mode.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        made: List[ModelFnOps] = []
        for at, each in enumerate(model_fns):
            with variable_scope(f"label_{at}"):
                own = None if labels is None else array_ops.slice(labels, [0, at], [-1, 1])
                made.append(each(features, own, mode))
        predictions, loss, train_op = {}, None, None
        if mode != ModeKeys.TRAIN:
            likely, best = PredictionKey.PROBABILITIES, PredictionKey.CLASSES
            predictions[likely] = array_ops.concat([each.predictions[likely] for each in made], 1)
            predictions[best] = array_ops.stack([each.predictions[best] for each in made], 1)
        if mode != ModeKeys.INFER:
            losses = array_ops.stack([each.loss for each in made if each.loss is not None])
            loss = math_ops.reduce_sum(losses) / len(made)
        if mode == ModeKeys.TRAIN:
            train_op = group(*(each.train_op for each in made))
        hooks = [hook for each in made for hook in each.training_hooks]
        return ModelFnOps(mode, predictions, loss, train_op, training_hooks=hooks)

    return model_fn


@set_module(_MODULE)
class MultiForestMultiHeadEstimator(Estimator):
    """An older estimator of several forests, one for each column of the labels.

    Args:
        params_list: The `ForestHParams` of each forest.
        device_assigner: As of `TensorForestEstimator`.
        model_dir: As of `TensorForestEstimator`.
        feature_columns: Has no effect.
        graph_builder_class: As of `TensorForestEstimator`.
        config: As of `TensorForestEstimator`.
        weight_column: As of `TensorForestEstimator`.
        keys_column: As of `TensorForestEstimator`.
        feature_engineering_fn: As of `TensorForestEstimator`.
        early_stopping_rounds: As of `TensorForestEstimator`.
        num_trainers: As of `TensorForestEstimator`.
        trainer_id: As of `TensorForestEstimator`.
        report_feature_importances: As of `TensorForestEstimator`.
        local_eval: As of `TensorForestEstimator`.
    """

    def __init__(
        self, params_list: Sequence[Any], device_assigner: Any = None,
        model_dir: Optional[PathLike] = None, feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs, config: Any = None,
        weight_column: Optional[str] = None, keys_column: Optional[str] = None,
        feature_engineering_fn: Any = None, early_stopping_rounds: int = 100,
        num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False,
        local_eval: bool = False,
    ) -> None:  # fmt: skip
        kind = ModelBuilderOutputType.MODEL_FN_OPS
        model_fns = []
        for at, each in enumerate(params_list):
            params = each.fill()
            head = default_head(params, weight_column, kind, f"head{at}")
            model_fns.append(
                get_model_fn(
                    params, graph_builder_class, device_assigner, None, weight_column, head,
                    keys_column, early_stopping_rounds,
                    num_trainers=_trainers(num_trainers, config), trainer_id=trainer_id,
                    report_feature_importances=report_feature_importances,
                    local_eval=local_eval, head_scope=f"output{at}",
                )
            )  # fmt: skip
        super().__init__(
            get_combined_model_fn(model_fns), model_dir, config,
            feature_engineering_fn=feature_engineering_fn,
        )  # fmt: skip


@set_module(_MODULE)
class CoreTensorForestEstimator(CoreEstimator):
    """An estimator of a forest.

    Args:
        params: The `ForestHParams`.
        device_assigner: As of `TensorForestEstimator`.
        model_dir: As of `tf.estimator.Estimator`.
        feature_columns: Columns of `tf.feature_column`, whose features are added to those that are
            given.
        graph_builder_class: As of `TensorForestEstimator`.
        config: As of `tf.estimator.Estimator`.
        weight_column: As of `TensorForestEstimator`.
        keys_column: As of `TensorForestEstimator`.
        feature_engineering_fn: Has no effect.
        early_stopping_rounds: As of `TensorForestEstimator`.
        early_stopping_loss_threshold: As of `TensorForestEstimator`.
        num_trainers: As of `TensorForestEstimator`.
        trainer_id: As of `TensorForestEstimator`, by default that of the worker.
        report_feature_importances: As of `TensorForestEstimator`.
        local_eval: As of `TensorForestEstimator`.
        version: Has no effect.
        head: As of `TensorForestEstimator`, with a `create_estimator_spec`.
        include_all_in_serving: As of `TensorForestEstimator`.
    """

    def __init__(
        self, params: Any, device_assigner: Any = None, model_dir: Optional[PathLike] = None,
        feature_columns: Any = None, graph_builder_class: Any = RandomForestGraphs,
        config: Any = None, weight_column: Optional[str] = None,
        keys_column: Optional[str] = None, feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100, early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False,
        local_eval: bool = False, version: Any = None, head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:  # fmt: skip
        if trainer_id == 0 and config is not None:
            trainer_id = config.global_id_in_cluster or 0
        model_fn = get_model_fn(
            params.fill(), graph_builder_class, device_assigner, feature_columns, weight_column,
            head, keys_column, early_stopping_rounds, early_stopping_loss_threshold,
            _trainers(num_trainers, config), trainer_id, report_feature_importances, local_eval,
            include_all_in_serving=include_all_in_serving,
            output_type=ModelBuilderOutputType.ESTIMATOR_SPEC,
        )  # fmt: skip
        super().__init__(model_fn, model_dir, config)
