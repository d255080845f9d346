"""Series in arrays: their shapes, and the times that come next."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from troupe._src.timeseries.feature_keys import FilteringResults, TrainEvalFeatures

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES


def canonical_arrays(data: Dict[str, Any], require_single_batch: bool) -> Dict[str, np.ndarray]:
    """Features of one series or of a batch of them, with both axes.

    Args:
        data: By key; times are a scalar, [window] or [batch, window], and begin the shape of each.
        require_single_batch: Whether there may be one series only.

    Returns:
        By key: [batch, window, ...]; values have a last axis of features.

    Raises:
        ValueError: Times or values lack, or shapes do not fit.
    """
    features = {key: np.array(value) for key, value in data.items()}
    if _TIMES not in features or _VALUES not in features:
        raise ValueError(f"{_TIMES} and {_VALUES} are required features.")
    shape = features[_TIMES].shape
    for key, value in features.items():
        if value.shape[: len(shape)] != shape:
            raise ValueError(
                "All features must have their shapes prefixed by the shape of the times feature. "
                f"Got shape {value.shape} for feature '{key}', but shape {shape} for '{_TIMES}'"
            )
    if len(shape) > 2:
        raise ValueError(
            "Got an unexpected number of dimensions for times. Was expecting at most two "
            f"([batch size, series length]), but got shape {shape}."
        )
    if len(shape) < 2:
        features[_VALUES] = _with_features(features[_VALUES], shape)
        new_axes = (None,) * (2 - len(shape))
        features = {key: value[new_axes] for key, value in features.items()}
    if require_single_batch and features[_TIMES].shape[0] != 1:
        raise ValueError("Got batch input, was expecting unbatched input.")
    return features


def _with_features(values: np.ndarray, shape: Any) -> np.ndarray:
    """The values of times of that shape, with a last axis of features."""
    rank = len(shape)
    if values.ndim == rank:
        return values[..., None]
    if values.ndim == rank + 1:
        return values
    axes = "[series length, number of features]" if rank else "[number of features]"
    lacking = "a batch dimension" if rank else "a batch or time dimension"
    raise ValueError(
        f"Got an unexpected number of dimensions for the '{_VALUES}' feature. Was expecting at "
        f"most {rank + 1} dimension{'s' if rank else ''} ({axes}) since '{_TIMES}' does not have "
        f"{lacking}, but got shape {values.shape}"
    )


def times_after(
    times: Any, steps: Optional[int], previous_model_output: Dict[str, Any]
) -> np.ndarray:
    """The times of a prediction.

    Args:
        times: [window] or [batch, window]; or None.
        steps: Of how many times after the last one, if `times` are not given.
        previous_model_output: What an evaluation gave, with its times.

    Returns:
        [batch, window].

    Raises:
        ValueError: Both or none are given, or times do not come after those before.
    """
    if (steps is None) == (times is None):
        which = "Only one" if steps is not None else "One"
        must = "may" if steps is not None else "must"
        raise ValueError(f"{which} of `steps` and `times` {must} be specified.")
    previous = previous_model_output[FilteringResults.TIMES]
    if steps is not None:
        return np.asarray(previous[:, -1:] + 1 + np.arange(steps)[None])
    times = np.array(times)
    if times.ndim != 2:
        times = times[None]
    if previous.shape[0] != times.shape[0]:
        raise ValueError(
            "`times` must have a batch dimension matching the previous model output (got a batch "
            f"dimension of {times.shape[0]} for `times` and {previous.shape[0]} for the previous "
            "model output)."
        )
    if not (previous[:, -1] < times[:, 0]).all():
        raise ValueError(
            "Prediction times must be after the corresponding previous model output."
        )
    return np.asarray(times)
