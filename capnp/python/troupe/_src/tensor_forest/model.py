"""The model function of a forest, for older and for newer estimators."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

from troupe._src.contrib_columns.parsing import transform_features
from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.feature_columns.column import Transformed
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.learn.keys import ProblemType
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads import kinds
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.tensor_forest.hooks import TensorForestLossHook, TensorForestRunOpAtEndHook
from troupe._src.train.global_step import get_global_step

KEYS_NAME = "keys"
TREE_PATHS_PREDICTION_KEY = "tree_paths"
VARIANCE_PREDICTION_KEY = "prediction_variance"
ALL_SERVING_KEY = "tensorforest_all"
EPSILON = 0.000001


@set_module("troupe.contrib.tensor_forest.client.random_forest")
class ModelBuilderOutputType:
    """What a model function gives: that of older estimators, or of newer ones."""

    MODEL_FN_OPS = 0
    ESTIMATOR_SPEC = 1


def default_head(
    params: Any, weights_name: Optional[str], output_type: int, name: Optional[str] = None
) -> Any:
    """The head of what a forest predicts."""
    if output_type == ModelBuilderOutputType.ESTIMATOR_SPEC:
        reduction = Reduction.SUM_OVER_BATCH_SIZE
        if params.regression:
            return number_head(params.num_outputs, weights_name, reduction)
        return class_head(params.num_classes, weights_name, None, reduction)
    if params.regression:
        return kinds.regression_head(
            weight_column_name=weights_name, label_dimension=params.num_outputs, head_name=name
        )
    return kinds.multi_class_head(
        params.num_classes, weight_column_name=weights_name, head_name=name
    )


class _Options(NamedTuple):
    """The arguments of get_model_fn()."""

    params: Any
    graph_builder_class: Any
    device_assigner: Any
    feature_columns: Any
    weights_name: Optional[str]
    model_head: Any
    keys_name: Optional[str]
    early_stopping_rounds: int
    early_stopping_loss_threshold: float
    num_trainers: int
    trainer_id: int
    report_feature_importances: bool
    local_eval: bool
    head_scope: Any
    include_all_in_serving: bool
    output_type: int


def get_model_fn(
    params: Any, graph_builder_class: Any, device_assigner: Any, feature_columns: Any = None,
    weights_name: Optional[str] = None, model_head: Any = None, keys_name: Optional[str] = None,
    early_stopping_rounds: int = 100, early_stopping_loss_threshold: float = 0.001,
    num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False,
    local_eval: bool = False, head_scope: Any = None, include_all_in_serving: bool = False,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Callable[..., Any]:  # fmt: skip
    """The model function of a forest.

    Args:
        params: The hyperparameters, filled.
        graph_builder_class: Makes the graph of the forest, as `RandomForestGraphs` does.
        device_assigner: A device function, for each tree.
        feature_columns: Columns, whose features are added to those that are given.
        weights_name: The name of the feature that has the weights of examples.
        model_head: What makes a model of predictions; None for that of the hyperparameters.
        keys_name: The name of a feature that is only among the predictions.
        early_stopping_rounds: As of `TensorForestLossHook`; 0 for none.
        early_stopping_loss_threshold: As of `TensorForestLossHook`.
        num_trainers: Among how many trainers the trees are split.
        trainer_id: Which of them this one is.
        report_feature_importances: Whether the end of a training logs which features trees use.
        local_eval: Whether evaluations use no device function.
        head_scope: The scope of the head.
        include_all_in_serving: Whether all predictions are exported.
        output_type: What the function gives: one of `ModelBuilderOutputType`.

    Returns:
        A function of features, labels and a mode.
    """
    head = model_head or default_head(params, weights_name, output_type)
    model = _Model(
        _Options(
            params, graph_builder_class, device_assigner, feature_columns, weights_name, head,
            keys_name, early_stopping_rounds, early_stopping_loss_threshold, num_trainers,
            trainer_id, report_feature_importances, local_eval, head_scope,
            include_all_in_serving, output_type,
        )
    )  # fmt: skip

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        return model.make(features, labels, mode)

    return model_fn


class _Model:
    """Makes the model in a graph."""

    def __init__(self, options: _Options) -> None:
        self._options = options

    def make(self, features: Any, labels: Any, mode: str) -> Any:
        """What the estimator gets."""
        options = self._options
        features = self._with_columns(features)
        weights = _popped(features, options.weights_name)
        keys = _popped(features, options.keys_name)
        is_local = mode == ModeKeys.INFER or (options.local_eval and mode == ModeKeys.EVAL)
        forest = options.graph_builder_class(
            options.params, device_assigner=None if is_local else options.device_assigner
        )
        predicted, paths, variance = forest.inference_graph(features)
        scalar("average_tree_size", forest.average_size())
        logits = self._logits(predicted)
        step = None
        if labels is not None and mode == ModeKeys.TRAIN:
            with control_dependencies([logits.op]):
                trained = forest.training_graph(
                    features, labels, input_weights=weights,
                    num_trainers=options.num_trainers, trainer_id=options.trainer_id,
                )  # fmt: skip
                step = group(trained, get_global_step().assign_add(1))
        if weights is not None:
            features[options.weights_name] = weights
        more: Dict[Any, Any] = {VARIANCE_PREDICTION_KEY: variance}
        if keys is not None:
            more[options.keys_name] = keys
        if options.params.inference_tree_paths:
            more[TREE_PATHS_PREDICTION_KEY] = paths
        given = {"features": features, "labels": labels, "mode": mode, "logits": logits}
        hooks: List[Any] = []
        if options.report_feature_importances:
            importances = {"1: feature_importances": forest.feature_importances()}
            hooks.append(TensorForestRunOpAtEndHook(importances))
        if options.output_type == ModelBuilderOutputType.MODEL_FN_OPS:
            return self._model_fn_ops(given, step, more, hooks)
        return self._spec(given, step, more, hooks)

    def _with_columns(self, features: Any) -> Dict[Any, Any]:
        """A dict of features, with those of the columns."""
        options = self._options
        if isinstance(features, (Tensor, SparseTensor)):
            features = {"features": features}
        found: Dict[Any, Any] = dict(features)
        if not options.feature_columns:
            return found
        if options.output_type == ModelBuilderOutputType.MODEL_FN_OPS:
            found.update(transform_features(found, options.feature_columns))
        else:
            made = Transformed(found)
            found.update({each.name: made.get(each) for each in options.feature_columns})
        return found

    def _logits(self, predicted: Tensor) -> Tensor:
        """What the head takes: of two classes the logit of one."""
        params = self._options.params
        if params.regression or params.num_classes != 2:
            return predicted
        # Of a probability that may be 0 or 1.
        likely = array_ops.slice(predicted, [0, 1], [-1, 1])
        odds = likely / gen_ops.maximum(1.0 - likely, EPSILON)
        logits: Tensor = gen_ops.log(gen_ops.maximum(odds, EPSILON))
        return logits

    def _loss_hooks(self, loss: Any) -> List[Any]:
        options = self._options
        if not options.early_stopping_rounds:
            return []
        threshold = options.early_stopping_loss_threshold
        return [TensorForestLossHook(options.early_stopping_rounds, threshold, loss)]

    def _model_fn_ops(
        self, given: Dict[str, Any], step: Any, more: Dict[Any, Any], hooks: List[Any]
    ) -> ModelFnOps:
        options = self._options
        made: ModelFnOps = options.model_head.create_model_fn_ops(
            **given, train_op_fn=lambda loss: step, scope=options.head_scope
        )
        made.training_hooks.extend(hooks + self._loss_hooks(made.loss))
        made.predictions.update(more)
        if options.include_all_in_serving:
            alternatives = made.output_alternatives or {}
            alternatives[ALL_SERVING_KEY] = (ProblemType.UNSPECIFIED, made.predictions)
            made = made._replace(output_alternatives=alternatives)
        return made

    def _spec(
        self, given: Dict[str, Any], step: Any, more: Dict[Any, Any], hooks: List[Any]
    ) -> Any:
        options = self._options
        made = options.model_head.create_estimator_spec(**given, train_op_fn=lambda loss: step)
        hooks = [*hooks, *self._loss_hooks(made.loss), *made.training_hooks]
        made = made._replace(
            training_hooks=tuple(hooks), predictions={**(made.predictions or {}), **more}
        )
        if options.include_all_in_serving:
            outputs = {ALL_SERVING_KEY: PredictOutput(made.predictions)}
            made = made._replace(export_outputs=outputs)
        return made


def _popped(features: Dict[Any, Any], name: Optional[str]) -> Any:
    """The feature of that name, which is removed; None where there is none."""
    return features.pop(name, None) if name else None
