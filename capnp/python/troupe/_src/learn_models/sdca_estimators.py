"""Estimators that learn by dual ascent: `SDCALogisticClassifier` and `SDCALinearRegressor`."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional, Sequence

from troupe._src.learn.estimator import Estimator
from troupe._src.learn.keys import PredictionKey
from troupe._src.learn.run_config import RunConfig
from troupe._src.learn_heads.head import Head
from troupe._src.learn_heads.kinds import multi_class_head, regression_head
from troupe._src.learn_models.sdca import sdca_model_fn, sdca_params
from troupe._src.linear_optimizer.contrib_optimizer import SDCAOptimizer
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


class _SdcaEstimator(Estimator):
    """A linear model with a head of two classes or of one number.

    Args:
        head: The head.
        example_id_column: The name of the feature that tells examples apart, a vector of strings.
        feature_columns: Columns of `tf.contrib.layers`.
        weight_column_name: The name of the feature of weights of examples; None for none.
        model_dir: As of Estimator.
        l1_regularization: The strength of L1 regularization.
        l2_regularization: The strength of L2 regularization.
        num_loss_partitions: How many workers learn at once; None for all.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        partitioner: Of the variables.
    """

    def __init__(
        self, head: Head, example_id_column: str, feature_columns: Sequence[Any],
        weight_column_name: Optional[str], model_dir: Optional[PathLike], l1_regularization: float,
        l2_regularization: float, num_loss_partitions: Optional[int], config: Any,
        feature_engineering_fn: Optional[Callable[..., Any]], partitioner: Any,
    ) -> None:  # fmt: skip
        workers = (config or RunConfig()).num_worker_replicas
        optimizer = SDCAOptimizer(
            example_id_column,
            num_loss_partitions=num_loss_partitions or max(1, workers),
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
            partitioner=partitioner,
        )
        params = sdca_params(head, feature_columns, weight_column_name, optimizer)
        super().__init__(sdca_model_fn, model_dir, config, params, feature_engineering_fn)

    def _each(self, key: str, input_fn: Any) -> Iterator[Any]:
        for predicted in self.predict(input_fn=input_fn, outputs=[key]):
            yield predicted[key]


@set_module("troupe.contrib.linear_optimizer")
class SDCALogisticClassifier(_SdcaEstimator):
    """A linear model of two classes, which is learned by stochastic dual coordinate ascent.

    Args:
        example_id_column: The name of the feature that tells examples apart, a vector of strings.
        feature_columns: Columns of `tf.contrib.layers`.
        weight_column_name: The name of the feature of weights of examples; None for none.
        model_dir: As of `tf.contrib.learn.Estimator`.
        l1_regularization: The strength of L1 regularization.
        l2_regularization: The strength of L2 regularization, which is 1 at least.
        num_loss_partitions: How many workers learn at once; None for all.
        config: As of `tf.contrib.learn.Estimator`.
        feature_engineering_fn: As of `tf.contrib.learn.Estimator`.
        partitioner: Of the variables.

    Raises:
        AssertionError: There are no columns.
    """

    def __init__(
        self, example_id_column: str, feature_columns: Sequence[Any],
        weight_column_name: Optional[str] = None, model_dir: Optional[PathLike] = None,
        l1_regularization: float = 0.0, l2_regularization: float = 1.0,
        num_loss_partitions: Optional[int] = None, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None, partitioner: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            multi_class_head(2, weight_column_name=weight_column_name), example_id_column,
            feature_columns, weight_column_name, model_dir, l1_regularization, l2_regularization,
            num_loss_partitions, config, feature_engineering_fn, partitioner,
        )  # fmt: skip

    def predict_classes(self, input_fn: Any = None) -> Iterator[Any]:
        """The classes of examples.

        Args:
            input_fn: Gives their features.

        Returns:
            An iterator of classes.
        """
        return self._each(PredictionKey.CLASSES, input_fn)

    def predict_proba(self, input_fn: Any = None) -> Iterator[Any]:
        """The probabilities of both classes of examples.

        Args:
            input_fn: Gives their features.

        Returns:
            An iterator of arrays.
        """
        return self._each(PredictionKey.PROBABILITIES, input_fn)


@set_module("troupe.contrib.linear_optimizer")
class SDCALinearRegressor(_SdcaEstimator):
    """A linear regression, which is learned by stochastic dual coordinate ascent.

    Args:
        example_id_column: As of SDCALogisticClassifier.
        feature_columns: As of SDCALogisticClassifier.
        weight_column_name: As of SDCALogisticClassifier.
        model_dir: As of SDCALogisticClassifier.
        l1_regularization: As of SDCALogisticClassifier.
        l2_regularization: As of SDCALogisticClassifier.
        num_loss_partitions: As of SDCALogisticClassifier.
        config: As of SDCALogisticClassifier.
        feature_engineering_fn: As of SDCALogisticClassifier.
        partitioner: As of SDCALogisticClassifier.

    Raises:
        AssertionError: There are no columns.
    """

    def __init__(
        self, example_id_column: str, feature_columns: Sequence[Any],
        weight_column_name: Optional[str] = None, model_dir: Optional[PathLike] = None,
        l1_regularization: float = 0.0, l2_regularization: float = 1.0,
        num_loss_partitions: Optional[int] = None, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None, partitioner: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            regression_head(weight_column_name=weight_column_name), example_id_column,
            feature_columns, weight_column_name, model_dir, l1_regularization, l2_regularization,
            num_loss_partitions, config, feature_engineering_fn, partitioner,
        )  # fmt: skip

    def predict_scores(self, input_fn: Any) -> Iterator[Any]:
        """The numbers of examples.

        Args:
            input_fn: Gives their features.

        Returns:
            An iterator of numbers.
        """
        return self._each(PredictionKey.SCORES, input_fn)
