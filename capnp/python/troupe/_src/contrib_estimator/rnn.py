"""Recurrent networks over columns of sequences: `RNNClassifier` and `RNNEstimator`."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from troupe._src.canned.networks import partitioner_of, weights_partitioner_of
from troupe._src.canned.optimizers import optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.estimator_hooks.extenders import clip_gradients_by_norm
from troupe._src.feature_columns.layers import (
    concatenate_context_input,
    input_layer,
    sequence_input_layer,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.checks import check_features
from troupe._src.heads.single_heads import class_head
from troupe._src.layers.core import dense
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.selection_ops import gather
from troupe._src.rnn.basic_cells import BasicRNNCell, GRUCell
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.dynamic import dynamic_rnn
from troupe._src.rnn.lstm_cells import BasicLSTMCell
from troupe._src.rnn.multi_cell import MultiRNNCell
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import histogram
from troupe._src.train.global_step import get_global_step
from troupe._src.train.optimizer import Optimizer
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike
from troupe._src.variables.initializers import GlorotUniform
from troupe._src.variables.variable_store import variable_scope

_RATE, _CLIP_NORM = 0.05, 5.0
_CELLS = {"basic_rnn": BasicRNNCell, "lstm": BasicLSTMCell, "gru": GRUCell}
_DEFAULT_CELL = object()


class _Network(NamedTuple):
    """A recurrent network over columns."""

    sequence_columns: Sequence[Any]
    context_columns: Sequence[Any]
    cell_fn: Callable[[str], Any]
    partitioner: Any

    def logits(self, features: Dict[str, Any], units: int, mode: str, config: RunConfig) -> Tensor:
        """The logits, [batch, units], of what the last steps of sequences give."""
        cut = partitioner_of(self.partitioner, config)
        with variable_scope("sequence_input_layer", partitioner=cut):
            inputs, lengths = sequence_input_layer(features, self.sequence_columns)
            histogram("sequence_length", lengths)
            if self.context_columns:
                context = input_layer(features, self.context_columns)
                inputs = concatenate_context_input(context, inputs)
        outputs, _ = dynamic_rnn(self.cell_fn(mode), inputs, lengths, dtype=dtypes.float32)
        last = _last_steps(outputs, lengths)
        with variable_scope("logits"):
            found: Tensor = dense(last, units, kernel_initializer=GlorotUniform())
            return found


def _last_steps(outputs: Tensor, lengths: Tensor) -> Tensor:
    """Of [batch, steps, units] the last step of each sequence, [batch, units]."""
    with get_default_graph().name_scope("select_last_activations"):
        batch, steps, units = array_ops.unstack(array_ops.shape(outputs), 3)
        first = math_ops.cast(math_ops.range(batch) * steps, dtypes.int64)
        flat = array_ops.reshape(outputs, array_ops.stack([batch * steps, units]))
        last = gather(flat, first + lengths - 1)
        last.set_shape([outputs.shape[0], outputs.shape[2]])
        return last


def _cell_fn(cell_fn: Any, num_units: Any, cell_type: Any) -> Callable[[str], Any]:
    """What makes the cell of a mode.

    Raises:
        ValueError: A function of cells is given, and how many units they have or of which kind they
            are, too.
    """
    if cell_fn:
        if num_units or cell_type is not _DEFAULT_CELL:
            raise ValueError(
                "num_units and cell_type must not be specified when using rnn_cell_fn"
            )
        found: Callable[[str], Any] = cell_fn
        return found
    kind = "basic_rnn" if cell_type is _DEFAULT_CELL else cell_type

    def make(mode: str) -> Any:
        cells = [_cell(count, kind) for count in num_units]
        return cells[0] if len(cells) == 1 else MultiRNNCell(cells)

    return make


def _cell(num_units: int, kind: Any) -> Any:
    cell = _CELLS.get(kind, kind)
    if not isinstance(cell, type) or not issubclass(cell, RNNCell):
        raise ValueError(f"Supported cell types are {list(_CELLS)}; got {cell}")
    return cell(num_units=num_units)


def _model_fn(head: Any, network: _Network, optimizer: Any) -> Callable[..., EstimatorSpec]:
    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        check_features(features)
        chosen = optimizer
        if not isinstance(chosen, Optimizer):
            chosen = clip_gradients_by_norm(optimizer_of(optimizer, _RATE), _CLIP_NORM)

        def train(loss: Tensor) -> Any:
            return chosen.minimize(loss, global_step=get_global_step())

        with variable_scope("rnn", partitioner=weights_partitioner_of(config)):
            logits = network.logits(features, head.logits_dimension, mode, config)
            spec: EstimatorSpec = head.create_estimator_spec(
                features=features, mode=mode, labels=labels, train_op_fn=train, logits=logits
            )
            return spec

    return model_fn


@set_module("troupe.contrib.estimator")
class RNNClassifier(Estimator):
    """A classifier of sequences by a recurrent network.

    Args:
        sequence_feature_columns: The columns of sequences.
        context_feature_columns: Other columns, whose numbers all steps of a sequence have, too.
        num_units: How many units each layer of cells has.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells; by default "basic_rnn".
        rnn_cell_fn: In their place a function of the mode that makes the cell.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        optimizer: An optimizer; or a function that makes one, or a name, whose gradients are
            clipped by the norm 5 of all of them.
        loss_reduction: A value of `tf.losses.Reduction`.
        input_layer_partitioner: Of the variables of columns.
        config: As of Estimator.

    Raises:
        ValueError: The number of classes, the vocabulary or the reduction is wrong, or there are a
            function of cells and a kind.
    """

    def __init__(
        self,
        sequence_feature_columns: Sequence[Any],
        context_feature_columns: Optional[Sequence[Any]] = None,
        num_units: Optional[Sequence[int]] = None,
        cell_type: Any = _DEFAULT_CELL,
        rnn_cell_fn: Optional[Callable[[str], Any]] = None,
        model_dir: Optional[PathLike] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
    ) -> None:
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        network = _Network(
            list(sequence_feature_columns or []), list(context_feature_columns or []), cell_fn,
            input_layer_partitioner,
        )  # fmt: skip
        super().__init__(_model_fn(head, network, optimizer), model_dir, config)


@set_module("troupe.contrib.estimator")
class RNNEstimator(Estimator):
    """A model of a head whose logits are those of a recurrent network over sequences.

    Args:
        head: The head, which has labels, losses and predictions.
        sequence_feature_columns: As of RNNClassifier.
        context_feature_columns: As of RNNClassifier.
        num_units: As of RNNClassifier.
        cell_type: As of RNNClassifier.
        rnn_cell_fn: As of RNNClassifier.
        return_sequences: False; a head of sequences, which TensorFlow would need for True, is none
            of its public ones.
        model_dir: As of Estimator.
        optimizer: As of RNNClassifier.
        input_layer_partitioner: Of the variables of columns.
        config: As of Estimator.

    Raises:
        ValueError: There are a function of cells and a kind, or `return_sequences` is True.
    """

    def __init__(
        self,
        head: Any,
        sequence_feature_columns: Sequence[Any],
        context_feature_columns: Optional[Sequence[Any]] = None,
        num_units: Optional[Sequence[int]] = None,
        cell_type: Any = _DEFAULT_CELL,
        rnn_cell_fn: Optional[Callable[[str], Any]] = None,
        return_sequences: bool = False,
        model_dir: Optional[PathLike] = None,
        optimizer: Any = "Adagrad",
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
    ) -> None:
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        if return_sequences:
            raise ValueError(
                "Provided head must be a `_SequentialHead` object when `return_sequences` is set "
                "to True."
            )
        network = _Network(
            list(sequence_feature_columns or []), list(context_feature_columns or []), cell_fn,
            input_layer_partitioner,
        )  # fmt: skip
        super().__init__(_model_fn(head, network, optimizer), model_dir, config)
