"""Labels that are any number of classes: how heads know them."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.checks import checked_labels, require_labels, within
from troupe._src.heads.kinds import Kind, Outputs, Predictions, classification_outputs
from troupe._src.lookup.index_tables import index_table_from_tensor
from troupe._src.nn.class_losses import sigmoid_cross_entropy
from troupe._src.nn.losses import Reduction
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.conversions import sparse_to_indicator
from troupe._src.types import dtypes


class MultiLabelKind(Kind):
    """Labels that are classes, of which an example has any number.

    Args:
        class_count: How many classes there are.
        vocabulary: Their names, where labels are such.
        measured: The numbers or names of those with metrics of their own.
    """

    def __init__(
        self, class_count: int, vocabulary: Optional[Sequence[Any]], measured: Any = None
    ) -> None:
        if class_count is None or class_count < 2:
            raise ValueError(
                f"n_classes must be > 1 for multi-label classification. Given: {class_count}"
            )
        if vocabulary is not None:
            if not isinstance(vocabulary, (list, tuple)):
                raise ValueError(
                    f"label_vocabulary must be a list or tuple. Given type: {type(vocabulary)}"
                )
            if len(vocabulary) != class_count:
                raise ValueError(
                    f"Length of label_vocabulary must be n_classes ({class_count}). Given: "
                    f"{len(vocabulary)}"
                )
        super().__init__(class_count)
        self.vocabulary: Optional[List[Any]] = None if vocabulary is None else list(vocabulary)
        self.measured = self._numbers_of(tuple(measured or ()))

    def _numbers_of(self, classes: Tuple[Any, ...]) -> Tuple[int, ...]:
        if classes and isinstance(classes[0], str):
            if not self.vocabulary:
                raise ValueError(
                    "label_vocabulary must be provided when classes_for_class_based_metrics are "
                    "sting."
                )
            return tuple(self.vocabulary.index(each) for each in classes)
        for each in classes:
            if not 0 <= each < self.logits_dimension:
                raise ValueError(
                    "All classes_for_class_based_metrics must be in range "
                    f"[0, {self.logits_dimension - 1}]. Given: {each}"
                )
        return classes

    def name_of(self, class_id: int) -> str:
        """How metrics name a class."""
        return f"class{class_id}" if self.vocabulary is None else str(self.vocabulary[class_id])

    def labels(self, labels: Any, logits: Tensor) -> Tensor:
        require_labels(labels)
        if isinstance(labels, SparseTensor):
            found = self._indicator(labels)
        else:
            message = "labels must be an integer indicator Tensor with values in [0, 1]"
            found = within(convert_to_tensor(labels), 2, message)
        return checked_labels(found, logits, self.logits_dimension)

    def _indicator(self, labels: SparseTensor) -> Tensor:
        count = self.logits_dimension
        if labels.dtype == dtypes.string:
            table = index_table_from_tensor(tuple(self.vocabulary or ()), name="class_id_lookup")
            ids = SparseTensor(labels.indices, table.lookup(labels.values), labels.dense_shape)
            return math_ops.cast(sparse_to_indicator(ids, count), dtypes.int64)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        message = f"labels must be an integer SparseTensor with values in [0, {count})"
        with get_default_graph().control_dependencies([within(labels.values, count, message)]):
            return math_ops.cast(sparse_to_indicator(labels, count), dtypes.int64)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        of_classes = sigmoid_cross_entropy(labels, logits, reduction=Reduction.NONE)
        found: Tensor = math_ops.reduce_mean(of_classes, axis=-1, keepdims=True)
        return found

    def predictions(self, logits: Tensor) -> Predictions:
        return {"logits": logits, "probabilities": gen_ops.sigmoid(logits, name="probabilities")}

    def outputs(self, predictions: Predictions) -> Outputs:
        return classification_outputs(
            predictions["probabilities"], predictions, self.vocabulary, self.logits_dimension
        )


def of_class(values: Tensor, class_id: int) -> Tensor:
    """Those of one class, [..., 1]."""
    found: Tensor = values[..., class_id : class_id + 1]
    return found
