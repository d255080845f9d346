"""The older `Estimator`, of a model function."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.estimator.input_fns import argument_names
from troupe._src.learn.base_estimator import BaseEstimator
from troupe._src.learn.metric_spec import metric_ops
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


@set_module("troupe.contrib.learn")
class Estimator(BaseEstimator):
    """Trains, evaluates and uses a model, which a function makes anew in a graph for each.

    Args:
        model_fn: Called with features and labels, and as far as it has such arguments `mode`,
            `params`, `config` and `model_dir`; returns a `ModelFnOps`, or predictions, a loss and a
            training op.
        model_dir: As of BaseEstimator.
        config: As of BaseEstimator.
        params: The hyperparameters.
        feature_engineering_fn: Called with features and labels; returns those that the model gets.

    Raises:
        ValueError: There are hyperparameters, and the function does not take them.
    """

    def __init__(
        self, model_fn: Any = None, model_dir: Optional[PathLike] = None, config: Any = None,
        params: Any = None, feature_engineering_fn: Optional[Callable[..., Any]] = None,
    ) -> None:  # fmt: skip
        super().__init__(model_dir, config)
        if params is not None and model_fn and "params" not in argument_names(model_fn):
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params "
                f"({params}) were passed to the Estimator's constructor."
            )
        self._model_fn, self.params = model_fn, params
        self._feature_engineering_fn = feature_engineering_fn

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        given = {"mode": mode, "params": self.params, "config": config or self.config}
        given["model_dir"] = self.model_dir
        names = argument_names(self._model_fn)
        made = self._model_fn(
            features, labels, **{key: value for key, value in given.items() if key in names}
        )
        if not isinstance(made, ModelFnOps):
            if not isinstance(made, (list, tuple)) or len(made) != 3:
                raise ValueError(
                    "Unrecognized value returned by model_fn, please return ModelFnOps."
                )
            made = ModelFnOps(mode, *made)
        if metrics:
            made.eval_metric_ops.update(metric_ops(metrics, features, labels, made.predictions))
        return made
