"""Windows of an autoregressive model one after another: to evaluate a series, and to predict."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.timeseries.feature_keys import TrainEvalFeatures
from troupe._src.timeseries.model import ModelOutputs
from troupe._src.types import dtypes

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES


def _joined(array: Any, batch_size: Any, size: Any) -> Any:
    """The windows of an array, [windows, batch, window, features], as [batch, times, features]."""
    windows = array.stack()
    by_series = array_ops.transpose(windows, [1, 0, 2, 3])
    features = windows.shape[-1].value
    last = array_ops.shape(windows)[-1] if features is None else features
    return array_ops.reshape(by_series, array_ops.stack([batch_size, size, last]))


class _Continuation:
    """What the windows of a prediction are made of: times and features of all of them.

    Args:
        model: The model.
        times: [batch, times].
        exogenous: [batch, times, size].
    """

    def __init__(self, model: Any, times: Any, exogenous: Any) -> None:
        self.n_inputs, self.n_outputs = model.input_window_size, model.output_window_size
        self.n_times = array_ops.shape(times)[1]
        self.n_windows = (self.n_times + self.n_outputs - 1) // self.n_outputs
        more = self.n_windows * self.n_outputs - self.n_times
        zero = constant(0)
        paddings = array_ops.stack([array_ops.stack([zero, zero]), array_ops.stack([zero, more])])
        self.times = creation_ops.pad(times, paddings)
        last = constant([[0, 0]])
        self.exogenous = creation_ops.pad(exogenous, array_ops.concat([paddings, last], 0))

    def inputs(self, number: Any, times: Any, values: Any, exogenous: Any, mean: Any) -> List[Any]:
        """The inputs of the window after one: its times, values and other features."""
        # After the last window there is none; its inputs are not read.
        start = self.n_outputs * gen_ops.minimum(number + 1, self.n_windows - 1)
        end = start + self.n_outputs
        size = self.n_inputs
        if not size:
            return [self.times[:, start:end], values, self.exogenous[:, start:end, :]]
        if self.n_outputs < size:
            return [
                array_ops.concat([times[:, -size:], self.times[:, start:end]], 1),
                array_ops.concat([values[:, self.n_outputs :, :], mean], 1),
                array_ops.concat([exogenous[:, -size:, :], self.exogenous[:, start:end, :]], 1),
            ]
        begin = start - size
        return [self.times[:, begin:end], mean[:, -size:, :], self.exogenous[:, begin:end, :]]


def predicted_windows(model: Any, times: Any, exogenous: Any, state: Any) -> Dict[str, Any]:
    """Scaled predictions of times, a window of the model at a time.

    Args:
        model: The model.
        times: Integers, [batch, times].
        exogenous: Other features of them, [batch, times, size].
        state: Times, scaled values and other features before them.

    Returns:
        `mean`, and unless the loss is of squares `covariance`, [batch, times, features].
    """
    given = _Continuation(model, times, exogenous)
    batch_size = array_ops.shape(times)[0]
    n_inputs, n_outputs = model.input_window_size, model.output_window_size
    first_times = given.times[:, :n_outputs]
    first_exogenous = given.exogenous[:, :n_outputs, :]
    first_values: Any = constant(0)
    if n_inputs:
        before = math_ops.cast(convert_to_tensor(state[0]), dtypes.int32)
        values, others = (convert_to_tensor(part, model.dtype) for part in state[1:])
        n_before = array_ops.shape(values)[1]
        is_whole = gen_ops.logical_and(
            gen_ops.greater_equal(n_before, n_inputs),
            gen_ops.equal(n_before, array_ops.shape(before)[1]),
        )
        with control_dependencies([Assert(is_whole, [n_before, array_ops.shape(before)])]):
            first_values = array_ops.identity(values[:, -n_inputs:, :])
        first_times = array_ops.concat([before[:, -n_inputs:], first_times], 1)
        first_exogenous = array_ops.concat([others[:, -n_inputs:, :], first_exogenous], 1)
    has_covariance = model.loss != model.SQUARED_LOSS
    names = ["mean", "covariance"] if has_covariance else ["mean"]

    def predict(number: Any, times: Any, values: Any, exogenous: Any, *arrays: Any) -> Any:
        made = model.prediction_ops(times, values, exogenous)
        following = given.inputs(number, times, values, exogenous, made["mean"])
        following[0].set_shape(first_times.shape)
        following[2].set_shape(first_exogenous.shape)
        if n_inputs:
            following[1].set_shape(first_values.shape)
        written = [array.write(number, made[name]) for name, array in zip(names, arrays)]
        return (number + 1, *following, *written)

    arrays = [TensorArray(model.dtype, size=given.n_windows) for _ in names]
    found = while_loop(
        lambda number, *_: gen_ops.less(number, given.n_windows),
        predict,
        [constant(0), first_times, first_values, first_exogenous, *arrays],
    )
    size = given.n_windows * n_outputs
    return {
        name: _joined(array, batch_size, size)[:, : given.n_times, :]
        for name, array in zip(names, found[4:])
    }


def evaluated_windows(
    model: Any, features: Dict[str, Any], exogenous: Any, state: Any
) -> ModelOutputs:
    """The loss of all windows of a series, whose predictions follow each other.

    What is before the first whole window is left out.

    Args:
        model: The model.
        features: Times and values, by key.
        exogenous: Other features of the times, [batch, times, size].
        state: Times, scaled values and other features before them.

    Returns:
        The mean loss, with what else the model gives.

    Raises:
        ValueError: The series is known to be shorter than a window.
    """
    times = features[_TIMES]
    times.shape.assert_has_rank(2)
    _check_size(model, times)
    n_inputs, n_outputs = model.input_window_size, model.output_window_size
    n_windows = (array_ops.shape(times)[1] - n_inputs) // n_outputs
    size = n_windows * n_outputs
    used = {key: features[key][:, -(size + n_inputs) :] for key in (_TIMES, _VALUES)}

    def evaluate(number: Any, *arrays: Any) -> Any:
        start = number * n_outputs
        end = start + model.window_size
        made = model.process_window(
            {key: value[:, start:end] for key, value in used.items()}, "eval",
            exogenous[:, start:end],
        )  # fmt: skip
        results = [made.loss, made.predictions["mean"], made.predictions["covariance"]]
        written = [array.write(number, value) for array, value in zip(arrays, results)]
        return (number + 1, *written)

    arrays = [TensorArray(model.dtype, size=n_windows) for _ in range(3)]
    _, losses, means, covariances = while_loop(
        lambda number, *_: gen_ops.less(number, n_windows), evaluate, [constant(0), *arrays]
    )
    values = math_ops.cast(features[_VALUES], model.dtype)
    batch_size = array_ops.shape(times)[0]
    predictions = {
        "mean": _with_features(_joined(means, batch_size, size), model.num_features),
        "covariance": _with_features(_joined(covariances, batch_size, size), model.num_features),
        "observed": values[:, -size:],
    }
    loss = math_ops.reduce_mean(losses.stack(), axis=0)
    end_state = _state_after(model, state, times, values, exogenous)
    return ModelOutputs(loss, end_state, predictions, times[:, -size:])


def _with_features(predictions: Any, n_features: Optional[int]) -> Any:
    predictions.set_shape([None, None, n_features])
    return predictions


def _check_size(model: Any, times: Any) -> None:
    size = times.shape[1].value
    if size is not None and size < model.window_size:
        raise ValueError(
            "ARModel requires a window of at least input_window_size + output_window_size to "
            f"evaluate on (input_window_size={model.input_window_size}, output_window_size="
            f"{model.output_window_size}, and got shape {times.shape} for feature '{_TIMES}' "
            "(batch size, window size))."
        )


def _state_after(model: Any, state: Any, times: Any, values: Any, exogenous: Any) -> Any:
    """The last times, scaled values and other features, also of those before the series."""
    size = model.input_window_size
    if not size:
        return state
    following = (math_ops.cast(times, dtypes.int64), model._scale_data(values), exogenous)
    shapes = [[None, size], [None, size, model.num_features], [None, size, model.exogenous_size]]
    parts = []
    for before, new, shape in zip(state, following, shapes):
        part = array_ops.concat([before, new], axis=1)[:, -size:]
        part.set_shape(shape)
        parts.append(part)
    return tuple(parts)
