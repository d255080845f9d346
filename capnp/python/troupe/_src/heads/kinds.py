"""What heads know of their labels: how they become ids, losses, predictions and outputs."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from troupe._src.estimator.export_outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE
from troupe._src.graph.elements import Tensor
from troupe._src.heads.checks import checked_labels, within
from troupe._src.lookup.index_tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from troupe._src.nn import cross_entropies, nn_ops
from troupe._src.nn.class_losses import sparse_softmax_cross_entropy
from troupe._src.nn.losses import Reduction, mean_squared_error
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import constant
from troupe._src.types import dtypes

Predictions = Dict[str, Tensor]
Outputs = Dict[str, ExportOutput]


class Kind:
    """A kind of labels.

    Args:
        logits_dimension: How many logits an example has.
        loss_dimension: How many losses.
    """

    # Whether each logit may have a weight of its own.
    has_weights_of_logits = False

    def __init__(self, logits_dimension: int, loss_dimension: int = 1) -> None:
        self.logits_dimension = logits_dimension
        self.loss_dimension = loss_dimension

    def labels(self, labels: Any, logits: Tensor) -> Tensor:
        """The labels as losses and metrics take them.

        Args:
            labels: Those of a program.
            logits: [..., logits_dimension].

        Raises:
            ValueError: They have another shape or dtype.
        """
        raise NotImplementedError

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """[..., loss_dimension], of such labels."""
        raise NotImplementedError

    def predictions(self, logits: Tensor) -> Predictions:
        """What the logits say, by names."""
        raise NotImplementedError

    def outputs(self, predictions: Predictions) -> Outputs:
        """The outputs of signatures, by the names of these."""
        raise NotImplementedError


def class_names(vocabulary: Optional[Sequence[Any]], count: Any) -> Any:
    """The names of classes, by default their numbers."""
    if vocabulary:
        return constant(list(vocabulary), dtypes.string)
    return gen_ops.as_string(math_ops.range(count))


def classification_outputs(
    scores: Tensor, predictions: Predictions, vocabulary: Any, count: Any
) -> Outputs:
    """The outputs of a classification with those scores of all classes."""
    names = array_ops.expand_dims(class_names(vocabulary, count), 0)
    times = array_ops.stack([array_ops.shape(scores)[0], 1])
    classification = ClassificationOutput(scores, gen_ops.tile(names, times))
    return {
        DEFAULT_SERVING_SIGNATURE: classification,
        "classification": classification,
        "predict": PredictOutput(predictions),
    }


class ClassKind(Kind):
    """Labels that are one of several classes."""

    def __init__(
        self, logits_dimension: int, class_count: int, vocabulary: Optional[Sequence[Any]]
    ) -> None:
        super().__init__(logits_dimension)
        self.class_count = class_count
        self.vocabulary: Optional[List[Any]] = None if vocabulary is None else list(vocabulary)

    def _ids(self, words: Tensor) -> Tensor:
        table = index_table_from_tensor(tuple(self.vocabulary or ()), name="class_id_lookup")
        found: Tensor = table.lookup(words)
        return found

    def _with_classes(self, found: Predictions, scores: Tensor) -> Predictions:
        ids = array_ops.expand_dims(reduction_ops.argmax(scores, axis=-1, name="class_ids"), -1)
        if self.vocabulary:
            table = index_to_string_table_from_tensor(self.vocabulary, name="class_string_lookup")
            classes = table.lookup(ids)
        else:
            classes = gen_ops.as_string(ids, name="str_classes")
        times = array_ops.stack([array_ops.shape(scores)[0], 1])
        numbers = array_ops.expand_dims(math_ops.range(self.class_count), 0)
        names = array_ops.expand_dims(class_names(self.vocabulary, self.class_count), 0)
        return {
            **found,
            "class_ids": ids,
            "classes": classes,
            "all_class_ids": gen_ops.tile(numbers, times),
            "all_classes": gen_ops.tile(names, times),
        }

    def outputs(self, predictions: Predictions) -> Outputs:
        return classification_outputs(
            predictions["probabilities"], predictions, self.vocabulary, self.class_count
        )


class BinaryKind(ClassKind):
    """Labels that are one of two classes, which one logit tells."""

    def __init__(self, vocabulary: Optional[Sequence[Any]]) -> None:
        super().__init__(1, 2, vocabulary)

    def labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = checked_labels(labels, logits, 1)
        if self.vocabulary is not None:
            found = self._ids(found)
        return within(math_ops.cast(found, dtypes.float32), 2)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return cross_entropies.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def predictions(self, logits: Tensor) -> Predictions:
        zeros = creation_ops.zeros_like(logits)
        both = array_ops.concat([zeros, logits], axis=-1, name="two_class_logits")
        found = {
            "logits": logits,
            "logistic": gen_ops.sigmoid(logits, name="logistic"),
            "probabilities": nn_ops.softmax(both, name="probabilities"),
        }
        return self._with_classes(found, both)

    def outputs(self, predictions: Predictions) -> Outputs:
        regression = RegressionOutput(predictions["logistic"])
        return {**super().outputs(predictions), "regression": regression}


class MultiClassKind(ClassKind):
    """Labels that are one of more than two classes."""

    def __init__(self, class_count: Any, vocabulary: Optional[Sequence[Any]]) -> None:
        if class_count is None:
            raise ValueError("n_classes cannot be None")
        if isinstance(class_count, int) and class_count <= 2:
            raise ValueError(f"n_classes must be > 2: {class_count}.")
        super().__init__(class_count, class_count, vocabulary)

    def labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = checked_labels(labels, logits, 1)
        if self.vocabulary is None:
            if not found.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {found.dtype}.")
        elif found.dtype != dtypes.string:
            raise ValueError(
                "Labels dtype should be string if there is a vocabulary. Instead got "
                f"{found.dtype}"
            )
        else:
            found = self._ids(found)
        return within(found, self.class_count)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        loss = sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE)
        return array_ops.expand_dims(loss, -1)

    def predictions(self, logits: Tensor) -> Predictions:
        scores = nn_ops.softmax(logits, name="probabilities")
        return self._with_classes({"logits": logits, "probabilities": scores}, logits)


class RegressionKind(Kind):
    """Labels that are numbers.

    Args:
        label_dimension: How many of them an example has.
        inverse_link_fn: Makes predictions of logits, which they are without it.
    """

    has_weights_of_logits = True

    def __init__(self, label_dimension: int, inverse_link_fn: Any = None) -> None:
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, label_dimension)
        self.inverse_link_fn = inverse_link_fn

    def labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = checked_labels(labels, logits, self.logits_dimension)
        return math_ops.cast(found, dtypes.float32)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mean_squared_error(labels, logits, reduction=Reduction.NONE)

    def predictions(self, logits: Tensor) -> Predictions:
        if self.inverse_link_fn is None:
            return {"predictions": logits}
        return {"predictions": self.inverse_link_fn(logits), "logits": logits}

    def outputs(self, predictions: Predictions) -> Outputs:
        regression = RegressionOutput(predictions["predictions"])
        return {
            DEFAULT_SERVING_SIGNATURE: regression,
            "regression": regression,
            "predict": PredictOutput(predictions),
        }
