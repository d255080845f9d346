"""Models that learn the mean of labels only: `BaselineClassifier` and the like."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.canned.optimizers import optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.elements import Tensor
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

_RATE = 0.3


def _model_fn(head: Any, optimizer: Any) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Dict[str, Any], labels: Any, mode: str) -> EstimatorSpec:
        size = head.logits_dimension
        with variable_scope("baseline"):
            bias = get_variable("bias", [size], dtypes.float32, Zeros())
            times = array_ops.stack([_batch_size(features), 1])
            logits = gen_ops.tile(array_ops.expand_dims(bias, 0), times)
            logits.set_shape([None, size])

        def train(loss: Tensor) -> Any:
            chosen = optimizer_of(optimizer, _RATE)
            return chosen.minimize(loss, global_step=get_global_step())

        spec: EstimatorSpec = head.create_estimator_spec(
            features=features, mode=mode, logits=logits, labels=labels, train_op_fn=train
        )
        return spec

    return model_fn


def _batch_size(features: Dict[str, Any]) -> Any:
    if not features:
        raise ValueError("features must not be empty.")
    first = next(iter(features.values())) if isinstance(features, dict) else features
    if isinstance(first, SparseTensor):
        return math_ops.cast(first.dense_shape[0], dtypes.int32)
    return array_ops.shape(convert_to_tensor(first))[0]


@set_module("troupe.estimator")
class BaselineClassifier(Estimator):
    """A classifier that learns how frequent each class is, whatever the features are.

    Args:
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        optimizer: An optimizer, a function that makes one, or a name.
        config: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.

    Raises:
        ValueError: The number of classes, the vocabulary or the reduction is wrong.
    """

    def __init__(
        self,
        model_dir: Optional[PathLike] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, optimizer), model_dir, config)


@set_module("troupe.estimator")
class BaselineRegressor(Estimator):
    """A regression that learns the mean of labels, whatever the features are.

    Args:
        model_dir: As of Estimator.
        label_dimension: How many numbers a label has.
        weight_column: As of BaselineClassifier.
        optimizer: As of BaselineClassifier.
        config: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """

    def __init__(
        self,
        model_dir: Optional[PathLike] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = number_head(label_dimension, weight_column, loss_reduction)
        super().__init__(_model_fn(head, optimizer), model_dir, config)


@set_module("troupe.estimator")
class BaselineEstimator(Estimator):
    """A model of a head that has the same logits for all examples.

    Args:
        head: The head, which has labels, losses and predictions.
        model_dir: As of Estimator.
        optimizer: As of BaselineClassifier.
        config: As of Estimator.
    """

    def __init__(
        self,
        head: Any,
        model_dir: Optional[PathLike] = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
    ) -> None:
        super().__init__(_model_fn(head, optimizer), model_dir, config)
