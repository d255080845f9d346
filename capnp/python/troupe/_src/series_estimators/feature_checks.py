"""Checks of the features that a model of time series is given."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from troupe._src.timeseries.feature_keys import State, TrainEvalFeatures


def check_has(features: Dict[str, Any], key: str, what: str) -> None:
    """Raises a ValueError where a feature lacks.

    Args:
        features: By key.
        key: The key that must be there.
        what: For what.
    """
    if key not in features:
        raise ValueError(f"Expected a '{key}' feature for {what}.")


def check_shapes(features: Dict[str, Any], times_key: str, ignore: Sequence[str]) -> None:
    """Raises a ValueError where features do not have the axes of times.

    Args:
        features: By key.
        times_key: The key of times, which are [batch, window].
        ignore: The keys of features that need not.
    """
    times = features[times_key]
    if not times.shape.is_compatible_with([None, None]):
        raise ValueError(
            f"Expected shape (batch dimension, window size) for feature '{times_key}' (got shape "
            f"{times.shape})"
        )
    for name, value in features.items():
        if name in ignore or value.shape.rank is None:
            continue
        if value.shape.rank < 2:
            raise ValueError(
                "Features must have shape (batch dimension, window size, ...) (got rank "
                f"{value.shape.rank} for feature '{name}')"
            )
        if not value.shape[:2].is_compatible_with(times.shape):
            raise ValueError(
                "Features must have shape (batch dimension, window size, ...) where batch "
                f"dimension and window size match the '{times_key}' feature (got shape "
                f"{value.shape} for feature '{name}' but shape {times.shape} for feature "
                f"'{times_key}')"
            )


def check_train_eval_features(features: Dict[str, Any], model: Any) -> None:
    """Raises a ValueError where features to train or to evaluate lack or have other shapes.

    Args:
        features: By key.
        model: The model.
    """
    times, values = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES
    for key in (times, values):
        check_has(features, key, "training/evaluation")
    size = model.num_features
    shape = features[values].shape
    if features[times].shape.is_compatible_with([None, None]) and not shape.is_compatible_with(
        [None, None, size]
    ):
        raise ValueError(
            f"Expected shape (batch dimension, window size, {size}) for feature '{values}', since "
            f"the model was configured with num_features={size} (got shape {shape})"
        )
    check_shapes(features, times, [State.STATE_TUPLE])
