"""Support vector machines: `SVM`."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.learn.estimator import Estimator
from troupe._src.learn_heads.kinds import binary_svm_head
from troupe._src.learn_models.results import ClassEstimator
from troupe._src.learn_models.sdca import sdca_model_fn, sdca_params
from troupe._src.linear_optimizer.contrib_optimizer import SDCAOptimizer
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


@set_module("troupe.contrib.learn")
class SVM(ClassEstimator):
    """A linear support vector machine of two classes, learned by dual ascent.

    Args:
        example_id_column: The name of the feature that tells examples apart, a vector of strings.
        feature_columns: Columns of `tf.contrib.layers`.
        weight_column_name: The name of the feature of weights of examples; None for none.
        model_dir: As of Estimator.
        l1_regularization: The strength of L1 regularization.
        l2_regularization: The strength of L2 regularization, which is 1 at least.
        num_loss_partitions: How many workers learn at once.
        kernels: None: there are no kernels.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.

    Raises:
        ValueError: There are kernels.
        AssertionError: There are no columns.
    """

    def __init__(
        self, example_id_column: str, feature_columns: Sequence[Any],
        weight_column_name: Optional[str] = None, model_dir: Optional[PathLike] = None,
        l1_regularization: float = 0.0, l2_regularization: float = 0.0,
        num_loss_partitions: int = 1, kernels: Any = None, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None,
    ) -> None:  # fmt: skip
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        optimizer = SDCAOptimizer(
            example_id_column,
            num_loss_partitions=num_loss_partitions,
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
        )
        head = binary_svm_head(weight_column_name=weight_column_name)
        params = sdca_params(head, feature_columns, weight_column_name, optimizer)
        super().__init__(sdca_model_fn, model_dir, config, params, feature_engineering_fn)

    def predict(
        self, x: Any = None, input_fn: Any = None, batch_size: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None, as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:  # fmt: skip
        """The predictions of examples by their names, as of Estimator.

        Args:
            x: As of Estimator.
            input_fn: As of Estimator.
            batch_size: As of Estimator.
            outputs: The names of the wanted predictions; None for all.
            as_iterable: As of Estimator.
            iterate_batches: As of Estimator.

        Returns:
            As of Estimator.

        Raises:
            ValueError: As of Estimator.
        """
        return Estimator.predict(
            self, x, input_fn, batch_size, outputs, as_iterable, iterate_batches
        )
