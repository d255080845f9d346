"""Estimators made of others: with more metrics and predictions, and clipped gradients."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from troupe._src.api.source_utilities import fn_args
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, EstimatorSpec, ModeKeys
from troupe._src.ops.clip_ops import clip_by_global_norm
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.opt.wrappers import OptimizerWrapper
from troupe._src.sparse.conversions import sparse_tensor_to_dense
from troupe._src.train.optimizer import Optimizer

_METRIC_ARGUMENTS = {"features", "labels", "predictions", "config"}


def _extended(
    estimator: Estimator, change: Callable[[EstimatorSpec, Any, Any, str, Any], EstimatorSpec]
) -> Estimator:
    def new_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        return change(spec, features, labels, mode, config)

    return Estimator(
        new_model_fn,
        estimator.model_dir,
        estimator.config,
        warm_start_from=estimator._warm_start_settings,
    )


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Dict[str, Any]]) -> Estimator:
    """An estimator with more metrics.

    Args:
        estimator: The estimator.
        metric_fn: Gives the metrics, {name: (value, update)}, and is called with those of
            `features`, `labels`, `predictions` and `config` that are its arguments. They replace
            metrics of the same names.

    Returns:
        The other estimator, with the same folder.

    Raises:
        ValueError: The function has another argument.
    """
    wanted = set(fn_args(metric_fn))
    if unknown := sorted(wanted - _METRIC_ARGUMENTS):
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {unknown}")

    def change(
        spec: EstimatorSpec, features: Any, labels: Any, mode: str, config: Any
    ) -> EstimatorSpec:
        if mode != ModeKeys.EVAL:
            return spec
        given = {"features": features, "labels": labels, "config": config}
        given["predictions"] = spec.predictions
        new = metric_fn(**{name: given[name] for name in wanted})
        return spec._replace(eval_metric_ops={**(spec.eval_metric_ops or {}), **new})

    return _extended(estimator, change)


class _ClippedOptimizer(OptimizerWrapper):
    """An optimizer whose gradients are clipped by the norm of all of them."""

    def __init__(self, opt: Optimizer, clip_norm: float) -> None:
        super().__init__(opt, False, f"ClipByNorm{opt.get_name()}")
        self._clip_norm = clip_norm

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None
    ) -> Any:
        """Updates the variables by clipped gradients.

        Args:
            grads_and_vars: A list of (gradient, variable).
            global_step: A variable that is incremented.
            name: The name of the operation.

        Returns:
            The operation.
        """
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = clip_by_global_norm(gradients, self._clip_norm)
        return self._optimizer.apply_gradients(list(zip(clipped, variables)), global_step, name)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: float) -> Optimizer:
    """An optimizer that scales the gradients down where the norm of all of them is too large.

    Args:
        optimizer: The optimizer that updates the variables.
        clip_norm: The greatest norm.

    Returns:
        The other optimizer.
    """
    return _ClippedOptimizer(optimizer, clip_norm)


def forward_features(
    estimator: Estimator,
    keys: Union[None, str, Sequence[str]] = None,
    sparse_default_values: Optional[Dict[str, Any]] = None,
) -> Estimator:
    """An estimator whose predictions have features, too, also the exported ones.

    Args:
        estimator: The estimator, whose predictions are a dict.
        keys: The names of the features, by default of all.
        sparse_default_values: What fills sparse ones, by names; others are refused.

    Returns:
        The other estimator, with the same folder. Its model is a ValueError for keys that are
        unknown, or names of predictions, and for features that are no tensors.

    Raises:
        TypeError: The keys are no texts.
    """
    names = _texts(keys)

    def change(
        spec: EstimatorSpec, features: Any, labels: Any, mode: str, config: Any
    ) -> EstimatorSpec:
        if spec.predictions is None:
            return spec
        if not isinstance(spec.predictions, dict):
            raise ValueError(
                "Predictions should be a dict to be able to forward features. "
                f"Given: {type(spec.predictions)}"
            )
        forwarded = {}
        for name in features if names is None else names:
            if name not in features:
                raise ValueError(
                    f'keys should be exist in features. Key "{name}" is not in features dict. '
                    f"features dict has following keys: {list(features)}."
                )
            if name in spec.predictions:
                raise ValueError(
                    f"Cannot forward feature key ({name}). Since it does exist in predictions. "
                    f"Existing prediction keys: {list(spec.predictions)}."
                )
            forwarded[name] = _dense(features[name], name, sparse_default_values or {})
        for key in ("predict", DEFAULT_SERVING_SIGNATURE):
            output = (spec.export_outputs or {}).get(key)
            if isinstance(output, PredictOutput):
                output.outputs.update(forwarded)
        return spec._replace(predictions={**spec.predictions, **forwarded})

    return _extended(estimator, change)


def _texts(keys: Any) -> Optional[List[str]]:
    if keys is None:
        return None
    if isinstance(keys, str):
        return [keys]
    if not isinstance(keys, (list, tuple)):
        raise TypeError(
            f"keys should be either a string or a list of strings. Given: {type(keys)}"
        )
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(
                "All items in the given keys list should be a string. There exist an item with "
                f"type: {type(key)}"
            )
    return list(keys)


def _dense(feature: Any, name: str, defaults: Dict[str, Any]) -> Any:
    if not isinstance(feature, SparseTensor):
        if name in defaults:
            raise ValueError(f"Feature ({name}) is expected to be a `SparseTensor`.")
        return convert_to_tensor(feature)
    if name not in defaults:
        raise ValueError(
            f"Feature ({name}) should be a Tensor. Please use `keys` argument of forward_features "
            "to filter unwanted features, or add key to argument `sparse_default_values`. Type of "
            f"features[{name}] is {type(feature)}."
        )
    return sparse_tensor_to_dense(feature, defaults[name])
