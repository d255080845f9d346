"""An estimator of sequences of any lengths: `DynamicRnnEstimator`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.checks.check_ops import assert_type
from troupe._src.checks.rank_ops import assert_rank
from troupe._src.contrib.layers import fully_connected
from troupe._src.contrib.optimize_loss import OPTIMIZER_SUMMARIES, optimize_loss
from troupe._src.contrib_columns.inputs import (
    input_from_feature_columns,
    sequence_input_from_feature_columns,
)
from troupe._src.contrib_columns.parsing import transform_features
from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.keys import ProblemType
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.target_columns import multi_class_target, regression_target
from troupe._src.learn_rnn import parts
from troupe._src.learn_rnn.parts import PredictionType, RNNKeys
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.rnn.dynamic import dynamic_rnn
from troupe._src.set_module import set_module
from troupe._src.train.optimizers import MomentumOptimizer
from troupe._src.types import dtypes

Features = Dict[str, Any]


def _state_name(index: int) -> str:
    return f"{RNNKeys.STATE_PREFIX}_{index}"


def state_tuple_to_dict(state: Any) -> Dict[str, Optional[Tensor]]:
    """The parts of a state by name, so that predictions may have them.

    Args:
        state: A tensor, or a structure of tensors.
    """
    with name_scope("state_tuple_to_dict", None):
        return {
            _state_name(index): (
                None if part is None else array_ops.identity(part, name=_state_name(index))
            )
            for index, part in enumerate(nest.flatten(state))
        }


def dict_to_state_tuple(input_dict: Features, cell: Any) -> Any:
    """The state whose parts are among features, or None.

    Args:
        input_dict: Features, with the names of `state_tuple_to_dict`.
        cell: The cell whose state it is.

    Raises:
        ValueError: Some parts are there, and others are not.
    """
    sizes, found = nest.flatten(cell.state_size), []
    with name_scope("dict_to_state_tuple", None):
        for index, size in enumerate(sizes):
            part = input_dict.get(_state_name(index))
            if part is None:
                continue
            checks = [
                assert_rank(part, 2, name=f"check_state_{index}_rank"),
                assert_equal(
                    array_ops.shape(part)[1], size, name=f"check_state_{index}_shape"
                ),
            ]  # fmt: skip
            with get_default_graph().control_dependencies(checks):
                found.append(array_ops.identity(part, name=_state_name(index)))
        if not found:
            return None
        if len(found) != len(sizes):
            raise ValueError(
                f"RNN state was partially specified. Expected zero or {len(sizes)} state Tensors; "
                f"got {len(found)}"
            )
        return nest.pack_sequence_as(cell.state_size, found)


def build_sequence_input(
    features: Features,
    sequence_feature_columns: Sequence[Any],
    context_feature_columns: Optional[Sequence[Any]],
    weight_collections: Optional[Sequence[str]] = None,
    scope: Any = None,
) -> Tensor:
    """The inputs of the steps: those of sequences, and those that all steps have.

    Args:
        features: Features by name, [batch, steps, ...] or [batch, ...].
        sequence_feature_columns: What is made of sequences.
        context_feature_columns: What is made of the others, or None.
        weight_collections: Where variables are added to.
        scope: Their scope.

    Returns:
        [batch, steps, columns].
    """
    columns = [*sequence_feature_columns, *(context_feature_columns or [])]
    known = {**features, **transform_features(features, columns)}
    inputs = sequence_input_from_feature_columns(
        known, sequence_feature_columns, weight_collections=weight_collections, scope=scope
    )
    if context_feature_columns is None:
        return inputs
    context = input_from_feature_columns(
        known, context_feature_columns, weight_collections=weight_collections, scope=scope
    )
    return _with_context(inputs, context)


def _with_context(inputs: Tensor, context: Tensor) -> Tensor:
    checks = [
        check
        for name, tensor, rank in (("sequence", inputs, 3), ("context", context, 2))
        for check in (
            assert_rank(tensor, rank, message=f"{name}_input must have rank {rank}"),
            assert_type(
                tensor,
                dtypes.float32,
                message=f"{name}_input must have dtype float32; got {tensor.dtype}.",
            ),
        )
    ]
    with get_default_graph().control_dependencies(checks):
        steps = array_ops.shape(inputs)[1]
        counts = array_ops.concat([[1], [steps], [1]], 0)
        tiled = gen_ops.tile(array_ops.expand_dims(context, 1), counts)
    return array_ops.concat([inputs, tiled], 2)


def _loss(
    activations: Tensor, labels: Any, lengths: Any, target: Any, features: Features, is_single: bool
) -> Tensor:
    if is_single:
        with name_scope("SingleValueLoss", None):
            last = parts.select_last_activations(activations, lengths)
            single: Tensor = target.loss(last, labels, features)
            return single
    with name_scope("MultiValueLoss", None):
        masked = parts.mask_activations_and_labels(activations, labels, lengths)
        multiple: Tensor = target.loss(*masked, features)
        return multiple


def _model_fn(
    name: str, target: Any, problem_type: int, prediction_type: int, columns: Any, cell: Any,
    dropout: Any, gives_chances: bool, training: Dict[str, Any],
) -> Callable[..., ModelFnOps]:  # fmt: skip
    is_single = prediction_type == PredictionType.SINGLE_VALUE

    def model_fn(features: Features, labels: Any, mode: str) -> ModelFnOps:
        loss = train_op = metrics = None
        with name_scope(name, None):
            lengths = features.get(RNNKeys.SEQUENCE_LENGTH_KEY)
            inputs = build_sequence_input(features, *columns)
            kept = dropout if mode == ModeKeys.TRAIN else None
            made = parts.construct_rnn_cell(cell[0], cell[1], kept)
            state = dict_to_state_tuple(features, made)
            with name_scope("RNN", None):
                outputs, state = dynamic_rnn(
                    made, inputs, initial_state=state, dtype=dtypes.float32, swap_memory=True
                )
                activations = fully_connected(
                    outputs, target.num_label_columns, activation_fn=None, trainable=True
                )
            if is_single:
                predictions = parts.single_value_predictions(
                    activations, lengths, target, problem_type, gives_chances
                )
            else:
                predictions = parts.multi_value_predictions(
                    activations, target, problem_type, gives_chances
                )
            if mode != ModeKeys.INFER:
                loss = _loss(activations, labels, lengths, target, features, is_single)
            alternatives: Any = None
            if is_single:
                alternatives = {"dynamic_rnn_output": (problem_type, dict(predictions))}
            predictions.update(state_tuple_to_dict(state))  # type: ignore[arg-type]
            if mode != ModeKeys.INFER:
                metrics = parts.get_eval_metric_ops(
                    problem_type, prediction_type, lengths, predictions, labels
                )
            if mode == ModeKeys.TRAIN:
                train_op = optimize_loss(
                    loss, global_step=None, summaries=OPTIMIZER_SUMMARIES, **training
                )
        return ModelFnOps(mode, predictions, loss, train_op, metrics, alternatives)

    return model_fn


@set_module("troupe.contrib.learn")
class DynamicRnnEstimator(Estimator):
    """A recurrent network of sequences, whose lengths the feature "sequence_length" may give.

    Predictions have the last states, as "rnn_cell_state_0" and so on; features of these names are
    the states to begin with.

    Args:
        problem_type: `ProblemType.CLASSIFICATION` or `ProblemType.LINEAR_REGRESSION`.
        prediction_type: 1 for a label of each sequence, 2 for a label of each step.
        sequence_feature_columns: What is made of sequences.
        context_feature_columns: What is made of features that a sequence has once; None for none.
        num_classes: How many classes there are.
        num_units: The size of the cell, or sizes of several, one on top of the other.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        optimizer: As of `tf.contrib.layers.optimize_loss`; "Momentum" takes `momentum`.
        learning_rate: The rate.
        predict_probabilities: Whether predictions have the probabilities of classes.
        momentum: That of the optimizer "Momentum".
        gradient_clipping_norm: The largest norm of gradients, None for no such.
        dropout_keep_probabilities: What share of numbers stays in training: of the inputs of each
            cell and of the last outputs; None for all.
        model_dir: As of Estimator.
        feature_engineering_fn: As of Estimator.
        config: As of Estimator.

    Raises:
        ValueError: A type is another one, or classes come without their number, or other problems
            with probabilities.
    """

    def __init__(
        self, problem_type: int, prediction_type: int, sequence_feature_columns: Sequence[Any],
        context_feature_columns: Optional[Sequence[Any]] = None,
        num_classes: Optional[int] = None, num_units: Any = None, cell_type: Any = "basic_rnn",
        optimizer: Any = "SGD", learning_rate: Any = 0.1, predict_probabilities: bool = False,
        momentum: Optional[float] = None, gradient_clipping_norm: Optional[float] = 5.0,
        dropout_keep_probabilities: Optional[Sequence[Any]] = None,
        model_dir: Optional[str] = None, feature_engineering_fn: Any = None, config: Any = None,
    ) -> None:  # fmt: skip
        kinds = {PredictionType.MULTIPLE_VALUE: "Multi", PredictionType.SINGLE_VALUE: "Single"}
        if prediction_type not in kinds:
            raise ValueError(
                "prediction_type must be one of PredictionType.MULTIPLE_VALUE or "
                f"PredictionType.SINGLE_VALUE; got {prediction_type}"
            )
        target = _target(problem_type, num_classes)
        is_class = problem_type == ProblemType.CLASSIFICATION
        if predict_probabilities and not is_class:
            raise ValueError(
                "predict_probabilities can only be set to True for problem_type "
                f"ProblemType.CLASSIFICATION; got {problem_type}."
            )
        if optimizer == "Momentum":
            optimizer = MomentumOptimizer(learning_rate, momentum)
        training = {
            "learning_rate": learning_rate, "optimizer": optimizer,
            "clip_gradients": gradient_clipping_norm,
        }  # fmt: skip
        kind = "Classifier" if is_class else "Regressor"
        super().__init__(
            model_fn=_model_fn(
                f"{kinds[prediction_type]}ValueDynamicRNN{kind}", target, problem_type,
                prediction_type, (sequence_feature_columns, context_feature_columns),
                (num_units, cell_type), dropout_keep_probabilities, predict_probabilities, training,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )  # fmt: skip


def _target(problem_type: int, num_classes: Optional[int]) -> Any:
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return regression_target()
    if problem_type != ProblemType.CLASSIFICATION:
        raise ValueError(
            "problem_type must be either ProblemType.LINEAR_REGRESSION or "
            f"ProblemType.CLASSIFICATION; got {problem_type}"
        )
    if not num_classes:
        raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
    return multi_class_target(n_classes=num_classes)
