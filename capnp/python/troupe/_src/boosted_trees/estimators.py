"""Estimators of boosted trees."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

from troupe._src.boosted_trees import features as tree_features
from troupe._src.boosted_trees.explanations import contributions, feature_importances
from troupe._src.boosted_trees.model import (
    ClosedForm,
    ModelOptions,
    make_parts,
    model_fn_of,
    predicted_logits,
)
from troupe._src.boosted_trees.options import TreeOptions, takes_tree_options
from troupe._src.checkpoints.checkpoint_reader import load_checkpoint
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.head import Head
from troupe._src.heads.kinds import BinaryKind, MultiClassKind
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable import enable_resource_variables

_DEBUG_KEY = "_serialized_debug_outputs_proto"


class BoostedTreesBase(Estimator):
    """What estimators of trees have in common.

    Args:
        options: What the model is made of.
        model_dir: As of Estimator.
        config: As of Estimator.
        is_classification: Whether predictions are probabilities.
    """

    def __init__(
        self,
        options: ModelOptions,
        model_dir: Optional[PathLike],
        config: Optional[RunConfig],
        is_classification: bool,
    ) -> None:
        enable_resource_variables()  # so that the global step is one, too
        super().__init__(model_fn_of(options), model_dir, config)
        self._tree_options = options
        self._is_classification = is_classification
        self._column_names = tree_features.column_names(options.columns)

    def experimental_feature_importances(self, normalize: bool = False) -> Dict[str, float]:
        """How much columns matter, by the gain of their splits.

        Args:
            normalize: Whether they add up to 1.

        Returns:
            An OrderedDict of the importances by the names of columns, the greatest first.

        Raises:
            ValueError: There are no trees yet.
            AssertionError: An importance is negative, or all are 0, and they are to be normalized.
        """
        key = f"{self._tree_options.name}:0_serialized"
        serialized = load_checkpoint(self.model_dir).get_tensor(key)
        if not serialized:
            raise ValueError(
                "Found empty serialized string for TreeEnsemble. You should only call this method "
                "after training."
            )
        return feature_importances(bytes(serialized), self._column_names, normalize)

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: Optional[str] = None,
    ) -> Iterator[Dict[str, Any]]:
        """Yields predictions, and what features contributed to them.

        Args:
            input_fn: As of `predict`.
            predict_keys: As of `predict`.
            hooks: As of `predict`.
            checkpoint_path: As of `predict`.

        Yields:
            The predictions of an example; besides, "bias" is what all predictions begin with, and
            "dfc" an OrderedDict of what columns add to that, by their names, the most first.

        Raises:
            ValueError: The trees have no bias: `center_bias` is False; or predictions are made of
                logits by another function.
        """
        if not self._tree_options.trees.center_bias:
            raise ValueError(
                "center_bias must be enabled during estimator instantiation when using "
                "experimental_predict_with_explanations."
            )
        kind = getattr(self._tree_options.head, "kind", None)
        if getattr(kind, "inverse_link_fn", None) is not None:
            raise ValueError(
                "For now only identity inverse_link_fn in regression_head is supported for "
                "experimental_predict_with_explanations."
            )
        model_fn = _explaining_model_fn(self._tree_options)
        explaining = Estimator(model_fn, self.model_dir, self.config)
        keys = None if predict_keys is None else [*predict_keys, _DEBUG_KEY]
        for found in explaining.predict(input_fn, keys, hooks, checkpoint_path):
            serialized = bytes(found.pop(_DEBUG_KEY))
            explained = contributions(serialized, self._column_names, self._is_classification)
            yield {**found, "bias": explained.bias, "dfc": explained.by_column}


def _explaining_model_fn(options: ModelOptions) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Dict[str, Any], labels: Any, mode: str) -> EstimatorSpec:
        with get_default_graph().name_scope(options.name) as scope:
            parts = make_parts(features, options, scope)
            logits = predicted_logits(parts, options.head)
            spec: EstimatorSpec = options.head.create_estimator_spec(
                features=features, mode=ModeKeys.PREDICT, logits=logits
            )
            spec.predictions[_DEBUG_KEY] = parts.ensemble.apply(
                raw_ops.BoostedTreesExampleDebugOutputs,
                bucketized_features=parts.features,
                logits_dimension=options.head.logits_dimension,
            )
            return spec

    return model_fn


def _logistic_derivatives(logits: Tensor, labels: Any) -> Tuple[Tensor, Tensor]:
    """The gradients and hessians of the mean logistic loss."""
    predictions = gen_ops.reciprocal(gen_ops.exp(-logits) + 1.0)
    share = gen_ops.reciprocal(math_ops.cast(array_ops.size(predictions), dtypes.float32))
    wanted = math_ops.cast(convert_to_tensor(labels), dtypes.float32)
    if wanted.shape.rank == 1:
        wanted = array_ops.expand_dims(wanted, -1)
    return (predictions - wanted) * share, predictions * (1.0 - predictions) * share


def class_options(
    n_classes: Optional[int], weight_column: Any, label_vocabulary: Any
) -> Tuple[Head, Optional[ClosedForm]]:
    """The head of two classes, and the derivatives of its loss where these are known.

    Raises:
        ValueError: There are other classes.
    """
    if n_classes not in (None, 2):
        raise ValueError(
            f"For now only binary classification is supported.n_classes given as {n_classes}"
        )
    head = class_head(2, weight_column, label_vocabulary, Reduction.SUM_OVER_BATCH_SIZE)
    is_plain = weight_column is None and label_vocabulary is None
    return head, _logistic_derivatives if is_plain else None


def regression_head(label_dimension: Optional[int], weight_column: Any) -> Head:
    """The head of a number.

    Raises:
        ValueError: There are several.
    """
    if label_dimension not in (None, 1):
        raise ValueError(
            "For now only 1 dimension regression is supported.label_dimension given as "
            f"{label_dimension}"
        )
    return number_head(1, weight_column, Reduction.SUM_OVER_BATCH_SIZE)


@set_module("troupe.estimator")
@takes_tree_options
class BoostedTreesClassifier(BoostedTreesBase):
    """A classifier of two classes by gradient boosted trees.

    Args:
        feature_columns: Numeric, bucketized and indicator columns.
        n_batches_per_layer: Of how many batches the statistics of a layer are.
        model_dir: As of Estimator.
        n_classes: 2, the only number of classes yet.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        config: As of Estimator.
        train_in_memory: Whether all examples are one batch, which is always the same.
        **trees: The options of trees.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        n_batches_per_layer: Any,
        model_dir: Optional[PathLike] = None,
        n_classes: Optional[int] = None,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        config: Optional[RunConfig] = None,
        train_in_memory: bool = False,
        **trees: Any,
    ) -> None:
        head, closed_form = class_options(n_classes, weight_column, label_vocabulary)
        columns = tree_features.sorted_columns(feature_columns)
        options = ModelOptions(
            head, columns, TreeOptions(**trees), n_batches_per_layer, closed_form, weight_column,
            train_in_memory,
        )  # fmt: skip
        super().__init__(options, model_dir, config, is_classification=True)


@set_module("troupe.estimator")
@takes_tree_options
class BoostedTreesRegressor(BoostedTreesBase):
    """A regression by gradient boosted trees.

    Args:
        feature_columns: Numeric, bucketized and indicator columns.
        n_batches_per_layer: Of how many batches the statistics of a layer are.
        model_dir: As of Estimator.
        label_dimension: 1, the only number of labels yet.
        weight_column: The name of the feature that has the weights of examples, or its column.
        config: As of Estimator.
        train_in_memory: Whether all examples are one batch, which is always the same.
        **trees: The options of trees.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        n_batches_per_layer: Any,
        model_dir: Optional[PathLike] = None,
        label_dimension: Optional[int] = None,
        weight_column: Any = None,
        config: Optional[RunConfig] = None,
        train_in_memory: bool = False,
        **trees: Any,
    ) -> None:
        head = regression_head(label_dimension, weight_column)
        columns = tree_features.sorted_columns(feature_columns)
        options = ModelOptions(
            head, columns, TreeOptions(**trees), n_batches_per_layer, None, weight_column,
            train_in_memory,
        )  # fmt: skip
        super().__init__(options, model_dir, config, is_classification=False)


@set_module("troupe.estimator")
@takes_tree_options
class BoostedTreesEstimator(BoostedTreesBase):
    """A model of a head, with one logit, by gradient boosted trees.

    Args:
        feature_columns: Numeric, bucketized and indicator columns.
        n_batches_per_layer: Of how many batches the statistics of a layer are.
        head: The head, such as those of `tf.contrib.estimator`.
        model_dir: As of Estimator.
        weight_column: Has no effect: the head has the weights of the loss.
        config: As of Estimator.
        **trees: The options of trees.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        n_batches_per_layer: Any,
        head: Any,
        model_dir: Optional[PathLike] = None,
        weight_column: Any = None,
        config: Optional[RunConfig] = None,
        **trees: Any,
    ) -> None:
        columns = tree_features.sorted_columns(feature_columns)
        options = ModelOptions(head, columns, TreeOptions(**trees), n_batches_per_layer)
        kind = getattr(head, "kind", None)
        is_classification = isinstance(kind, (BinaryKind, MultiClassKind))
        super().__init__(options, model_dir, config, is_classification)
