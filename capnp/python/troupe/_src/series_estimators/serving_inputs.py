"""The inputs of exported models of time series."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.estimator.serving_inputs import ServingInputReceiver
from troupe._src.feature_columns.layers import make_parse_example_spec
from troupe._src.feature_columns.numbers import numeric_column
from troupe._src.graph.graph import Graph
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.parsing.example_ops import parse_example
from troupe._src.parsing.feature_configs import FixedLenFeature
from troupe._src.timeseries.feature_keys import TrainEvalFeatures
from troupe._src.series_estimators.head import state_to_dictionary
from troupe._src.timeseries.model import parsed_placeholders
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES


def _state_placeholders(model: Any, batch_size: Any, n_series: Optional[int]) -> Dict[str, Any]:
    """Inputs of the parts of a state, of zeros where they are not fed."""
    with Graph().as_default():
        model.initialize_graph()
        start = nest.map_structure(array_ops.identity, model.get_start_state())
        parts = {
            key: (part.dtype, part.shape.as_list())
            for key, part in state_to_dictionary(start).items()
        }
    placeholders = {}
    for key, (dtype, sizes) in parts.items():
        zeros = creation_ops.zeros([1, *sizes], dtype)
        multiples = array_ops.concat(
            [array_ops.expand_dims(batch_size, 0), constant([1] * len(sizes), dtypes.int32)], 0
        )
        placeholders[key] = creation_ops.placeholder_with_default(
            gen_ops.tile(zeros, multiples), TensorShape([n_series, *sizes]), name=key
        )
    return placeholders


def raw_receiver_fn(
    model: Any, batch_size: Optional[int], series_length: Optional[int]
) -> Callable[[], ServingInputReceiver]:
    """Inputs of times, values, other features and a state.

    Args:
        model: The model.
        batch_size: The number of series, where it is fixed.
        series_length: The number of times, where it is fixed.

    Returns:
        A function for `export_saved_model`.
    """

    def receiver_fn() -> ServingInputReceiver:
        sizes = [batch_size, series_length]
        times = creation_ops.placeholder(dtypes.int64, sizes, name=_TIMES)
        shape = [*sizes, model.num_features]
        default = creation_ops.zeros([size or 0 for size in shape], model.dtype)
        inputs: Dict[str, Any] = {
            _TIMES: times,
            _VALUES: creation_ops.placeholder_with_default(default, shape, name=_VALUES),
        }
        columns = model.exogenous_feature_columns
        if columns:
            with Graph().as_default():
                kinds = {
                    key: (value.dtype, value.shape.with_rank_at_least(1).as_list()[1:])
                    for key, value in parsed_placeholders(columns).items()
                }
            for key, (dtype, rest) in kinds.items():
                inputs[key] = creation_ops.placeholder(dtype, [*sizes, *rest], name=key)
        inputs.update(_state_placeholders(model, array_ops.shape(times)[0], batch_size))
        return ServingInputReceiver(inputs, inputs)

    return receiver_fn


def one_shot_receiver_fn(
    model: Any, lengths: Tuple[int, int], batch_size: Optional[int], values_dtype: Any,
    truncate_values: bool,
) -> Callable[[], ServingInputReceiver]:  # fmt: skip
    """Inputs of serialized examples, a series each.

    Args:
        model: The model.
        lengths: Of how many times there are values, and how many after these are predicted.
        batch_size: The number of series, where it is fixed.
        values_dtype: The dtype of values in examples.
        truncate_values: Whether examples have values of all times.

    Returns:
        A function for `export_saved_model`.
    """
    n_known = lengths[0]
    n_times = sum(lengths)
    n_values = n_times if truncate_values else n_known

    def receiver_fn() -> ServingInputReceiver:
        own = [
            numeric_column(_TIMES, dtype=dtypes.int64),
            numeric_column(_VALUES, (model.num_features,), dtype=values_dtype),
        ]
        specs = make_parse_example_spec([*model.exogenous_feature_columns, *own])
        for key, spec in specs.items():
            size = n_values if key == _VALUES else n_times
            specs[key] = _of_series(key, spec, size)
        examples = creation_ops.placeholder(dtypes.string, [batch_size], name="input")
        features: Dict[str, Any] = parse_example(examples, specs)
        features[_TIMES] = array_ops.squeeze(features[_TIMES], [-1])
        features[_VALUES] = math_ops.cast(features[_VALUES], model.dtype)[:, :n_known]
        count = array_ops.shape(features[_TIMES])[0]
        features.update(_state_placeholders(model, count, batch_size))
        return ServingInputReceiver(features, {"examples": examples})

    return receiver_fn


def _of_series(key: str, spec: Any, size: int) -> FixedLenFeature:
    """How a feature of so many times is parsed."""
    if isinstance(spec, FixedLenFeature):
        return FixedLenFeature([size, *spec.shape], spec.dtype, spec.default_value)
    if spec.dtype == dtypes.string:
        return FixedLenFeature([size], dtypes.string)
    raise ValueError(f"VarLenFeatures not supported, got {spec} for key {key}")
