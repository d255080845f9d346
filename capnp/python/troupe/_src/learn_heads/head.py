"""What all heads have in common: how they make a model of logits."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.contrib.layers import linear
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.learn.keys import MetricKey
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.nn.nn_ops import bias_add
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.ops.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.adaptive_optimizers import AdagradOptimizer
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import variable_scope

_BIAS_RATE = 0.1

Predictions = Dict[str, Any]


@set_module("troupe.contrib.learn")
class Head:
    """The loss, the predictions and the metrics of a model, made of its logits."""

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has."""
        raise NotImplementedError("Calling an abstract method.")

    def create_model_fn_ops(
        self, features: Any, mode: str, labels: Any = None,
        train_op_fn: Optional[Callable[[Any], Any]] = None, logits: Any = None,
        logits_input: Any = None, scope: Any = None,
    ) -> ModelFnOps:  # fmt: skip
        """Makes what is behind the logits.

        Args:
            features: Features by their names, which may have weights of examples.
            mode: One of `tf.contrib.learn.ModeKeys`.
            labels: Labels; not used to predict.
            train_op_fn: Gives the training op of a loss; needed to train.
            logits: The logits, [batch, logits_dimension].
            logits_input: Instead of them: numbers, [batch, any], for a linear layer that gives
                them.
            scope: The scope of the variables, by default one of the head's name.

        Returns:
            The ops.

        Raises:
            ValueError: Both or neither of logits and their input are given, or something that the
                mode needs is missing.
        """
        raise NotImplementedError("Calling an abstract method.")


def check_mode(mode: str) -> None:
    """ValueError for what is no mode."""
    if mode not in (ModeKeys.TRAIN, ModeKeys.INFER, ModeKeys.EVAL):
        raise ValueError(f"mode={mode} unrecognized.")


def no_op_train_fn(loss: Any) -> Any:
    """A training op that does nothing.

    Args:
        loss: Has no effect.

    Returns:
        The op.
    """
    return no_op()


class SingleHead(Head):
    """A head of one kind of labels."""

    _default_scope = "head"

    def __init__(
        self, problem_type: int, logits_dimension: int, label_name: Optional[str],
        weight_column_name: Optional[str], head_name: Optional[str], enable_centered_bias: bool,
        loss_fn: Callable[..., Any],
    ) -> None:  # fmt: skip
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._problem_type, self._logits_dimension = problem_type, logits_dimension
        self._label_name, self._weight_column_name = label_name, weight_column_name
        self._head_name, self._enable_centered_bias = head_name, enable_centered_bias
        self._loss_fn = loss_fn

    @property
    def logits_dimension(self) -> int:
        return self._logits_dimension

    @property
    def label_name(self) -> Optional[str]:
        """The name of its labels in a dict."""
        return self._label_name

    @property
    def weight_column_name(self) -> Optional[str]:
        """The name of the feature of weights."""
        return self._weight_column_name

    @property
    def head_name(self) -> Optional[str]:
        """Its name, among several heads."""
        return self._head_name

    def create_model_fn_ops(
        self, features: Any, mode: str, labels: Any = None,
        train_op_fn: Optional[Callable[[Any], Any]] = None, logits: Any = None,
        logits_input: Any = None, scope: Any = None,
    ) -> ModelFnOps:  # fmt: skip
        check_mode(mode)
        with variable_scope(scope, default_name=self._head_name or self._default_scope):
            wanted = None
            if mode != ModeKeys.INFER and labels is not None:
                wanted = self._wanted_labels(self._own_labels(labels))
            given = _logits(logits_input, logits, self._logits_dimension)
            bias = None
            if self._enable_centered_bias:
                bias = self._centered_bias()
                given = bias_add(given, array_ops.identity(bias))
            predictions = self._predictions(given)
            loss, train_op, metrics = None, None, None
            if wanted is not None:
                weights = weight_tensor(features, self._weight_column_name)
                loss, average = self._losses(wanted, given, weights)
                with name_scope(None):
                    scalar(self._key(MetricKey.LOSS), array_ops.identity(average))
                if mode == ModeKeys.TRAIN:
                    if train_op_fn is None:
                        raise ValueError("train_op_fn can not be None in TRAIN mode")
                    bias_step = self._bias_step(bias, given, wanted, weights)
                    with name_scope(None, "train_op"):
                        train_op = group(train_op_fn(loss), *bias_step)
                with name_scope("metrics"):
                    metrics = self._metrics(average, predictions, wanted, weights)
            return ModelFnOps(
                mode, predictions, loss, train_op, metrics,
                output_alternatives={self._head_name: self._alternative(predictions)},
            )  # fmt: skip

    def _key(self, name: str) -> str:
        """The name of a metric, with that of the head."""
        return f"{name}/{self._head_name}" if self._head_name else name

    def _own_labels(self, labels: Any) -> Any:
        own = labels[self._label_name] if isinstance(labels, dict) else labels
        return convert_to_tensor_or_sparse_tensor(own)

    def _wanted_labels(self, labels: Any) -> Any:
        """The labels as the loss and the metrics take them."""
        if isinstance(labels, SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return labels

    def _losses(self, labels: Any, logits: Any, weights: Any) -> Any:
        return self._loss_fn(labels, logits, weights)

    def _predictions(self, logits: Tensor) -> Predictions:
        raise NotImplementedError

    def _alternative(self, predictions: Predictions) -> Any:
        """The kind of problem and the predictions that are exported."""
        return self._problem_type, predictions

    def _metrics(self, loss: Tensor, predictions: Predictions, labels: Any, weights: Any) -> Any:
        raise NotImplementedError

    def _centered_bias(self) -> Any:
        """A bias that learns the mean of labels by itself."""
        zeros = creation_ops.zeros([self._logits_dimension])
        bias = Variable(zeros, name="centered_bias_weight", trainable=True)
        for at in range(self._logits_dimension):
            scalar(self._key(f"centered_bias/bias_{at}"), bias[at])
        return bias

    def _bias_step(self, bias: Any, logits: Tensor, labels: Any, weights: Any) -> Sequence[Any]:
        if bias is None:
            return ()
        with name_scope(None, "centered_bias_step") as name:
            batch = array_ops.shape(logits)[0]
            size = self._logits_dimension
            repeated = gen_ops.tile(array_ops.identity(bias), array_ops.reshape(batch, [1]))
            only_bias = array_ops.reshape(repeated, array_ops.stack([batch, size]))
            loss = math_ops.reduce_mean(
                array_ops.stack(list(self._losses(labels, only_bias, weights)))
            )
        step = AdagradOptimizer(_BIAS_RATE).minimize(loss, var_list=[bias], name=name)
        return (step,)


def _logits(logits_input: Any, logits: Any, logits_dimension: int) -> Tensor:
    if logits is None:
        if logits_input is None:
            raise ValueError("Neither logits nor logits_input supplied.")
        made: Tensor = linear(logits_input, logits_dimension, scope="logits")
        return made
    if logits_input is not None:
        raise ValueError("Both logits and logits_input supplied.")
    given = convert_to_tensor(logits)
    if given.shape.rank is not None:
        given.shape[-1].assert_is_compatible_with(logits_dimension)
    return given


def weight_tensor(features: Any, name: Optional[str]) -> Any:
    """The weights of examples, [batch, 1] if they are a vector; None without a name.

    Raises:
        ValueError: There is no such feature.
    """
    if not name:
        return None
    if name not in features:
        raise ValueError(f"Weights {name} missing from features.")
    weights = math_ops.cast(features[name], dtypes.float32)
    return array_ops.reshape(weights, [-1, 1]) if weights.shape.rank == 1 else weights
