"""Runs the signatures of exported models of time series."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.set_module import set_module
from troupe._src.timeseries.arrays import canonical_arrays, times_after
from troupe._src.timeseries.feature_keys import (
    FilteringFeatures, FilteringResults, PredictionFeatures, PredictionResults, SavedModelLabels,
)  # fmt: skip
from troupe._src.series_estimators.head import state_to_dictionary

_MODULE = "troupe.contrib.timeseries.saved_model_utils"


def _run(
    session: Any, signature: Any, features: Dict[str, Any], continue_from: Any = None
) -> Dict[str, Any]:
    """The outputs of a signature, fed with features and with the state of results before."""
    state = continue_from or {}
    if FilteringResults.STATE_TUPLE in state:
        state = state_to_dictionary(state[FilteringResults.STATE_TUPLE])
    elif state:
        state = {key: state[key] for key in state if key in signature.inputs}
        state.pop(FilteringResults.TIMES, None)

    def tensor(info: Any) -> Any:
        return session.graph.as_graph_element(info.name)

    feeds = {
        tensor(signature.inputs[key]): value for key, value in {**state, **features}.items()
    }
    outputs: Dict[str, Any] = session.run(
        {key: tensor(info) for key, info in signature.outputs.items()}, feed_dict=feeds
    )
    return outputs


@set_module(_MODULE)
def predict_continuation(
    continue_from: Dict[str, Any],
    signatures: Any,
    session: Any,
    steps: Optional[int] = None,
    times: Any = None,
    exogenous_features: Optional[Dict[str, Any]] = None,
) -> Dict[str, Any]:
    """Predictions of the times after results.

    Args:
        continue_from: What `evaluate`, `cold_start_filter` or `filter_continuation` gave.
        signatures: What `tf.saved_model.loader.load` gave.
        session: The session that has loaded them.
        steps: Of how many times after the last one.
        times: The times instead, [window] or [batch, window].
        exogenous_features: Other features of these times, by key.

    Returns:
        Arrays by name, [batch, times, ...], and the times.

    Raises:
        ValueError: Both of `steps` and `times` are given or none, or times are not after those of
            the results.
    """
    predicted = times_after(times, steps, continue_from)
    features = {PredictionFeatures.TIMES: predicted, **(exogenous_features or {})}
    signature = signatures.signature_def[SavedModelLabels.PREDICT]
    outputs = _run(session, signature, features, continue_from)
    outputs[PredictionResults.TIMES] = features[PredictionFeatures.TIMES]
    return outputs


@set_module(_MODULE)
def cold_start_filter(signatures: Any, session: Any, features: Dict[str, Any]) -> Dict[str, Any]:
    """The state after a series that the model has not seen.

    Args:
        signatures: What `tf.saved_model.loader.load` gave.
        session: The session that has loaded them.
        features: Times, values, and others, by key, with an axis of series or without.

    Returns:
        The parts of the state by name, and the times.
    """
    signature = signatures.signature_def[SavedModelLabels.COLD_START_FILTER]
    arrays = canonical_arrays(features, require_single_batch=False)
    outputs = _run(session, signature, arrays)
    outputs[FilteringResults.TIMES] = arrays[FilteringFeatures.TIMES]
    return outputs


@set_module(_MODULE)
def filter_continuation(
    continue_from: Dict[str, Any], signatures: Any, session: Any, features: Dict[str, Any]
) -> Dict[str, Any]:
    """The state after more of a series.

    Args:
        continue_from: What `evaluate`, `cold_start_filter` or this function gave.
        signatures: What `tf.saved_model.loader.load` gave.
        session: The session that has loaded them.
        features: Times, values, and others after these, by key, with an axis of series or without.

    Returns:
        The parts of the state by name, and the times.
    """
    signature = signatures.signature_def[SavedModelLabels.FILTER]
    arrays = canonical_arrays(features, require_single_batch=False)
    outputs = _run(session, signature, arrays, continue_from)
    outputs[FilteringResults.TIMES] = arrays[FilteringFeatures.TIMES]
    return outputs
