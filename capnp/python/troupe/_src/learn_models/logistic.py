"""Estimators of probabilities: `LogisticRegressor`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.estimator.input_fns import argument_names
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.keys import MetricKey, ProblemType
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads import measures
from troupe._src.types.paths import PathLike


def LogisticRegressor(
    model_fn: Callable[..., Any], thresholds: Optional[Sequence[float]] = None,
    model_dir: Optional[PathLike] = None, config: Any = None,
    feature_engineering_fn: Optional[Callable[..., Any]] = None,
) -> Estimator:  # fmt: skip
    """An estimator of a model whose predictions are probabilities of the label 1.

    Args:
        model_fn: As of Estimator; returns predictions, a loss and a training op. It may have the
            argument `params`, which has the thresholds.
        thresholds: Of probabilities, for metrics; by default 0.5.
        model_dir: As of Estimator.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.

    Returns:
        The estimator.
    """
    names = argument_names(model_fn)

    def with_metrics(features: Any, labels: Any, mode: str, params: Dict[str, Any]) -> ModelFnOps:
        given = {"mode": mode, "params": params}
        called = {key: value for key, value in given.items() if key in names}
        predictions, loss, train_op = model_fn(features, labels, **called)
        metrics = None
        if mode == ModeKeys.EVAL:
            metrics = _metrics(predictions, labels, params.get("thresholds") or (0.5,))
        alternative = ProblemType.LOGISTIC_REGRESSION, {"predictions": predictions}
        return ModelFnOps(
            mode, predictions, loss, train_op, metrics, output_alternatives={"head": alternative}
        )

    return Estimator(
        with_metrics, model_dir, config, {"thresholds": thresholds}, feature_engineering_fn
    )


def _metrics(predictions: Any, labels: Any, thresholds: Sequence[float]) -> Dict[str, Any]:
    key = MetricKey
    if isinstance(labels, dict) and len(labels) == 1:
        (labels,) = labels.values()
    found = {
        key.PREDICTION_MEAN: measures.mean_of(predictions),
        key.LABEL_MEAN: measures.mean_of(labels),
        key.ACCURACY_BASELINE: measures.mean_of(labels),
        key.AUC: measures.area(predictions, labels),
    }
    for threshold in thresholds:
        given = predictions, labels, None, threshold
        found[key.ACCURACY_MEAN % threshold] = measures.accuracy_at(*given)
        found[key.PRECISION_MEAN % threshold] = measures.precision_at(*given)
        found[key.RECALL_MEAN % threshold] = measures.recall_at(*given)
    return found
