"""Linear models: `LinearClassifier` and `LinearRegressor`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.canned.heads import Head, RegressionHead, class_head, minimizer
from troupe._src.canned.linear_sdca import LinearSDCA, check_columns, sdca_spec
from troupe._src.canned.networks import linear_logits, partitioner_of
from troupe._src.canned.optimizers import linear_rate, optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.nn.losses import Reduction
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

RATE_MAX = 0.2


def linear_model_fn(
    head: Head, columns: Sequence[Any], optimizer: Any, partitioner: Any, sparse_combiner: str
) -> Callable[..., EstimatorSpec]:
    """The model function of a linear model with that head."""
    used = list(columns)

    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        if isinstance(optimizer, LinearSDCA):
            cut = partitioner_of(partitioner, config)
            return sdca_spec(head, used, optimizer, features, labels, mode, cut)
        logits = linear_logits(
            features, used, head.size, sparse_combiner, partitioner_of(partitioner, config)
        )
        chosen = optimizer_of(optimizer, linear_rate(used, RATE_MAX))
        # Slots have the name of this scope in front, by which checkpoints know them.
        with variable_scope("linear", auxiliary_name_scope=False):
            return head.spec(features, labels, mode, logits, minimizer(chosen), "linear")

    return model_fn


@set_module("troupe.estimator")
class LinearClassifier(Estimator):
    """A classifier whose logits are a weighted sum of columns.

    Args:
        feature_columns: The columns.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        optimizer: An optimizer, a function that makes one, or a name; or
            `tf.estimator.experimental.LinearSDCA`.
        config: As of Estimator.
        partitioner: Of the variables.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: The number of classes, the vocabulary or the reduction is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        error = "LinearSDCA cannot be used in a multi-class setting."
        check_columns(optimizer, feature_columns, sparse_combiner, n_classes <= 2, error)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class LinearRegressor(Estimator):
    """A regression by a weighted sum of columns.

    Args:
        feature_columns: The columns.
        model_dir: As of Estimator.
        label_dimension: How many numbers a label has.
        weight_column: As of LinearClassifier.
        optimizer: As of LinearClassifier.
        config: As of Estimator.
        partitioner: Of the variables.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        error = "LinearSDCA can only be used with one-dimensional label."
        check_columns(optimizer, feature_columns, sparse_combiner, label_dimension <= 1, error)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model_fn = linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
