"""Heads of several heads."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, EstimatorSpec, ModeKeys
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.head import Head, LossSpec, TrainOpFn, train_op_of
from troupe._src.metrics.means import mean
from troupe._src.ops import gen_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import no_op
from troupe._src.summary.summary_ops import scalar

_PREDICT = "predict"


def split_logits(heads: Sequence[Any], logits: Any) -> Dict[str, Any]:
    """The logits of each head, by its name.

    Args:
        heads: The heads.
        logits: Those of all heads side by side, or of each by its name.

    Raises:
        ValueError: There are more or fewer than the heads have.
    """
    if isinstance(logits, dict):
        return logits
    with get_default_graph().name_scope("split_logits"):
        tensor = convert_to_tensor(logits)
        sizes = [head.logits_dimension for head in heads]
        known = tensor.shape[-1].value if tensor.shape.rank else None
        if known is not None and known != sum(sizes):
            raise ValueError(
                f"Could not split logits of shape {tensor.shape.as_list()} among the heads with "
                f"individual logits dimensions: {sizes}. The last dimension of the logits tensor "
                f"should equal {sum(sizes)} but is {known}."
            )
        found, first = {}, 0
        for head, size in zip(heads, sizes):
            found[head.name] = tensor[..., first : first + size]
            first += size
        return found


def merged_loss(losses: Sequence[Tensor], head_weights: Sequence[float]) -> Tensor:
    """The sum of the losses of heads, each of which may count more or less."""
    with get_default_graph().name_scope("merge_losses"):
        weighted = list(losses)
        if head_weights:
            weighted = [gen_ops.multiply(*each) for each in zip(losses, head_weights)]
        return add_n(weighted)


def merged_outputs(heads: Sequence[Any], specs: Sequence[EstimatorSpec]) -> Dict[str, Any]:
    """The outputs of all heads by the names of these; the first one's serves by default.

    Raises:
        ValueError: It is not known which output of the first head that is.
    """
    first = specs[0].export_outputs or {}
    if len(first) != 1 and DEFAULT_SERVING_SIGNATURE not in first:
        raise ValueError(
            f"{heads[0].name} did not specify default export_outputs. Given: {first} Suggested "
            "fix: Use one of the heads in tf.contrib.estimator, or include key "
            f"{DEFAULT_SERVING_SIGNATURE} in export_outputs."
        )
    default = first.get(DEFAULT_SERVING_SIGNATURE) or next(iter(first.values()))
    outputs: Dict[str, Any] = {DEFAULT_SERVING_SIGNATURE: default}
    together: Dict[str, Any] = {}
    for head, spec in zip(heads, specs):
        for key, output in (spec.export_outputs or {}).items():
            is_default = key == DEFAULT_SERVING_SIGNATURE
            outputs[head.name if is_default else f"{head.name}/{key}"] = output
            if key == _PREDICT and isinstance(output, PredictOutput):
                named = output.outputs.items()
                together.update({f"{head.name}/{each}": value for each, value in named})
    outputs[_PREDICT] = PredictOutput(together)
    return outputs


def checked_heads(heads: Any, head_weights: Any) -> Tuple[Tuple[Any, ...], Tuple[float, ...]]:
    """The heads and their weights.

    Raises:
        ValueError: There are none, one has no name, or there are more or fewer weights.
    """
    if head_weights and len(head_weights) != len(heads):
        raise ValueError(
            f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. "
            f"Given len(head_weights): {len(head_weights)}."
        )
    if not heads:
        raise ValueError(f"Must specify heads. Given: {heads}")
    for head in heads:
        if not head.name:
            raise ValueError(f"All given heads must have name specified. Given: {head}")
    return tuple(heads), tuple(head_weights or ())


class MultiHead(Head):
    """A head that has the labels of several, whose losses are added.

    Raises:
        ValueError: The heads or their weights are wrong.
    """

    def __init__(self, heads: Sequence[Head], head_weights: Any = None) -> None:
        self._heads, self._head_weights = checked_heads(heads, head_weights)

    @property
    def name(self) -> str:
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    def create_loss(
        self, features: Dict[str, Any], mode: str, logits: Any, labels: Any
    ) -> LossSpec:
        given = split_logits(self._heads, logits)
        names = [head.name for head in self._heads]
        specs = [
            head.create_loss(features, mode, given[head.name], labels[head.name])
            for head in self._heads
        ]
        losses = [spec.unreduced_loss for spec in specs]
        weights = [spec.weights for spec in specs]
        if self._head_weights:
            losses, weights = (
                [gen_ops.multiply(*each) for each in zip(values, self._head_weights)]
                for values in (losses, weights)
            )
        return LossSpec(
            merged_loss([spec.training_loss for spec in specs], self._head_weights),
            dict(zip(names, losses)),
            dict(zip(names, weights)),
            dict(zip(names, (spec.processed_labels for spec in specs))),
        )

    def create_estimator_spec(
        self, features: Dict[str, Any], mode: str, logits: Any, labels: Any = None,
        optimizer: Any = None, train_op_fn: TrainOpFn = None, regularization_losses: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        if regularization_losses:
            raise TypeError("A head of several heads takes no regularization_losses.")
        given = split_logits(self._heads, logits)
        if labels and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        specs: List[EstimatorSpec] = [
            head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=given[head.name],
                labels=labels[head.name] if labels else None,
                train_op_fn=lambda _: no_op(),
            )
            for head in self._heads
        ]
        predictions = {
            (head.name, key): value
            for head, spec in zip(self._heads, specs)
            for key, value in spec.predictions.items()
        }
        if mode == ModeKeys.PREDICT:
            outputs = merged_outputs(self._heads, specs)
            return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
        losses = [spec.loss for spec in specs if spec.loss is not None]
        graph, metrics = get_default_graph(), {}
        if mode == ModeKeys.EVAL:
            with graph.name_scope("merge_eval"):
                for head, spec in zip(self._heads, specs):
                    key = f"loss/{head.name}"
                    metrics[key] = mean(spec.loss, name=key)  # type: ignore[arg-type]
                    metrics.update(spec.eval_metric_ops)
                loss = merged_loss(losses, self._head_weights)
            return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
        if mode != ModeKeys.TRAIN:
            raise ValueError(f"mode={mode} unrecognized")
        loss = merged_loss(losses, self._head_weights)
        train_op = train_op_of(loss, optimizer, train_op_fn)
        with graph.name_scope(None):
            scalar("loss", loss)
        return EstimatorSpec(mode, predictions, loss, train_op)
