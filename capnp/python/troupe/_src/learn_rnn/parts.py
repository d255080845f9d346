"""Cells of networks of sequences, and what is made of their activations."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.learn.keys import PredictionKey, ProblemType
from troupe._src.metrics.means import accuracy
from troupe._src.ops import array_ops, math_ops, rearrange_ops, reduction_ops, selection_ops
from troupe._src.rnn.basic_cells import BasicRNNCell, GRUCell
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.dropout_wrapper import DropoutWrapper
from troupe._src.rnn.lstm_cells import LSTMCell
from troupe._src.rnn.multi_cell import MultiRNNCell

_CELLS = {"basic_rnn": BasicRNNCell, "lstm": LSTMCell, "gru": GRUCell}


class PredictionType:
    """Whether a sequence has one label, or each of its steps has one."""

    SINGLE_VALUE = 1
    MULTIPLE_VALUE = 2


class RNNKeys:
    """Names of features of sequences."""

    SEQUENCE_LENGTH_KEY = "sequence_length"
    STATE_PREFIX = "rnn_cell_state"


def construct_rnn_cell(
    num_units: Any,
    cell_type: Any = "basic_rnn",
    dropout_keep_probabilities: Optional[Sequence[Any]] = None,
) -> Any:
    """A cell, or several, one on top of the other.

    Args:
        num_units: The size of the cell, or a list of sizes.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        dropout_keep_probabilities: What share of numbers stays: of the inputs of each cell and of
            the last outputs; None for all.

    Returns:
        The cell.

    Raises:
        ValueError: There is no such cell, or not one probability more than cells.
    """
    sizes = num_units if isinstance(num_units, (list, tuple)) else (num_units,)
    cells = [_cell(cell_type, size) for size in sizes]
    if dropout_keep_probabilities:
        cells = apply_dropout(cells, dropout_keep_probabilities)
    return cells[0] if len(cells) == 1 else MultiRNNCell(cells)


def _cell(cell_type: Any, size: int) -> Any:
    kind = _CELLS.get(cell_type, cell_type) if isinstance(cell_type, str) else cell_type
    if not isinstance(kind, type) or not issubclass(kind, RNNCell):
        raise ValueError(f"The supported cell types are {list(_CELLS)}; got {cell_type}")
    return kind(num_units=size)


def apply_dropout(
    cells: Sequence[Any],
    dropout_keep_probabilities: Sequence[Any],
    random_seed: Optional[int] = None,
) -> Any:
    """Cells that leave out some of their inputs, and the last one some of its outputs.

    Args:
        cells: The cells.
        dropout_keep_probabilities: What share stays, one number more than cells.
        random_seed: What chooses.

    Returns:
        A list of cells.

    Raises:
        ValueError: There are more or fewer numbers.
    """
    shares = dropout_keep_probabilities
    if len(shares) != len(cells) + 1:
        raise ValueError(
            "The number of dropout probabilities must be one greater than the number of cells. Got "
            f"{len(cells)} cells and {len(shares)} dropout probabilities."
        )
    inner = [
        DropoutWrapper(cell, share, 1.0, seed=random_seed)
        for cell, share in zip(cells[:-1], shares[:-2])
    ]
    return [*inner, DropoutWrapper(cells[-1], shares[-2], shares[-1])]


def select_last_activations(activations: Tensor, sequence_lengths: Optional[Tensor]) -> Tensor:
    """What the last steps give.

    Args:
        activations: [batch, steps, columns].
        sequence_lengths: [batch], or None if all are as long as the steps.

    Returns:
        [batch, columns].
    """
    with name_scope(None, "select_last_activations"):
        shape = array_ops.shape(activations)
        batch, steps, columns = shape[0], shape[1], shape[2]
        lengths = steps if sequence_lengths is None else sequence_lengths
        rows = array_ops.reshape(activations, [-1, columns])
        last = selection_ops.gather(rows, math_ops.range(batch) * steps + lengths - 1)
        last.set_shape([activations.shape[0], activations.shape[2]])
        return last


def mask_activations_and_labels(
    activations: Tensor, labels: Tensor, sequence_lengths: Optional[Tensor]
) -> Tuple[Tensor, Tensor]:
    """The activations and labels of the steps within the lengths of sequences.

    Args:
        activations: [batch, steps, columns].
        labels: [batch, steps].
        sequence_lengths: [batch], or None if all are as long as the steps.

    Returns:
        [found steps, columns] and [found steps].
    """
    with name_scope(None, "mask_activations_and_labels"):
        shape = array_ops.shape(labels)
        batch, steps = shape[0], shape[1]
        if sequence_lengths is None:
            count = steps * batch
            return (
                array_ops.reshape(activations, [count, -1]), array_ops.reshape(labels, [count]),
            )  # fmt: skip
        mask = rearrange_ops.sequence_mask(sequence_lengths, steps)
        return (
            rearrange_ops.boolean_mask(activations, mask), rearrange_ops.boolean_mask(labels, mask),
        )  # fmt: skip


def _name(problem_type: int) -> str:
    is_class = problem_type == ProblemType.CLASSIFICATION
    return PredictionKey.CLASSES if is_class else PredictionKey.SCORES


def multi_value_predictions(
    activations: Tensor, target_column: Any, problem_type: int, predict_probabilities: bool
) -> Dict[str, Tensor]:
    """The predictions of all steps.

    Args:
        activations: [batch, steps, columns].
        target_column: A target of `tf.contrib.layers`.
        problem_type: A number of `ProblemType`.
        predict_probabilities: Whether probabilities of classes are among them.

    Returns:
        {name: [batch, steps] or [batch, steps, classes]}.
    """
    with name_scope("MultiValuePrediction", None):
        shape = array_ops.shape(activations)
        flat = array_ops.reshape(activations, [-1, shape[2]])
        result = {}
        if predict_probabilities:
            chances = target_column.logits_to_predictions(flat, proba=True)
            values = reduction_ops.argmax(chances, 1)
            is_binary = target_column.num_label_columns == 1
            full = array_ops.concat([shape[:2], [2]], 0) if is_binary else shape
            key = PredictionKey.PROBABILITIES
            result[key] = array_ops.reshape(chances, full, name=key)
        else:
            values = target_column.logits_to_predictions(flat, proba=False)
        name = _name(problem_type)
        result[name] = array_ops.reshape(values, [shape[0], shape[1]], name=name)
        return result


def single_value_predictions(
    activations: Tensor, sequence_length: Optional[Tensor], target_column: Any, problem_type: int,
    predict_probabilities: bool,
) -> Dict[str, Tensor]:  # fmt: skip
    """The predictions of the last steps, as `multi_value_predictions` for one step."""
    with name_scope("SingleValuePrediction", None):
        last = select_last_activations(activations, sequence_length)
        name = _name(problem_type)
        if not predict_probabilities:
            return {name: target_column.logits_to_predictions(last, proba=False)}
        chances = target_column.logits_to_predictions(last, proba=True)
        return {PredictionKey.PROBABILITIES: chances, name: reduction_ops.argmax(chances, 1)}


def get_eval_metric_ops(
    problem_type: int, prediction_type: int, sequence_length: Optional[Tensor],
    prediction_dict: Dict[str, Tensor], labels: Tensor,
) -> Dict[str, Any]:  # fmt: skip
    """The accuracy of classes; nothing of numbers.

    Args:
        problem_type: A number of `ProblemType`.
        prediction_type: A number of `PredictionType`.
        sequence_length: [batch], or None if all are as long as the steps.
        prediction_dict: The predictions.
        labels: [batch] or [batch, steps].

    Returns:
        {name: (value, update)}.
    """
    if problem_type != ProblemType.CLASSIFICATION:
        return {}
    predictions = prediction_dict[PredictionKey.CLASSES]
    if prediction_type == PredictionType.MULTIPLE_VALUE:
        predictions, labels = mask_activations_and_labels(predictions, labels, sequence_length)
    return {"accuracy": accuracy(labels, predictions)}
