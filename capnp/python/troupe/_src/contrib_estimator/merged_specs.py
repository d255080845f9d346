"""The specs of a model on several devices as one."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from troupe._src.contrib_estimator.towers import sum_on
from troupe._src.estimator.export_outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.grouping_ops import group
from troupe._src.variables.assign_ops import assign, assign_add


def train_spec(specs: Sequence[EstimatorSpec], device: Any) -> EstimatorSpec:
    """That of a training, whose op is that of the last device.

    Args:
        specs: Those of the devices.
        device: Where the losses are added.
    """
    loss = sum_on([spec.loss for spec in specs], device, "loss")
    return specs[-1]._replace(loss=loss)


def eval_spec(specs: Sequence[EstimatorSpec], device: Any) -> EstimatorSpec:
    """That of an evaluation, whose metrics count the examples of all devices.

    Raises:
        ValueError: The devices have different metrics.
    """
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with get_default_graph().control_dependencies(updates):
        reduced = _reduced_metrics(len(specs))
    metrics = {key: (value, reduced) for key, (value, _) in specs[0].eval_metric_ops.items()}
    loss = sum_on([spec.loss for spec in specs], device, "loss")
    return specs[0]._replace(loss=loss, eval_metric_ops=metrics)


def _reduced_metrics(count: int) -> Any:
    """Adds what the metrics of other devices have counted to those of the first."""
    variables = get_default_graph().get_collection(GraphKeys.METRIC_VARIABLES)
    each = len(variables) // count
    if len(variables) % count:
        raise ValueError(
            "Different `EstimatorSpec.eval_metric_ops` across `model_fn()` calls. Expected "
            f"{each * count} local variables, but got {len(variables)} instead."
        )
    done: List[Any] = []
    for index in range(each):
        others = variables[index + each :: each]
        added = assign_add(variables[index], add_n([array_ops.identity(one) for one in others]))
        with get_default_graph().control_dependencies([added]):
            done += [assign(one, creation_ops.zeros_like(one)) for one in others]
    return group(*done)


def predict_spec(specs: Sequence[EstimatorSpec], device: Any) -> EstimatorSpec:
    """That of a prediction, of the batches of all devices one behind another."""
    with get_default_graph().device(device):
        predictions = _joined([spec.predictions for spec in specs])
        outputs = {
            key: _joined_output([(spec.export_outputs or {})[key] for spec in specs])
            for key in specs[0].export_outputs or {}
        }
    return specs[0]._replace(predictions=predictions, export_outputs=outputs)


def _joined(tensors: Sequence[Any]) -> Any:
    if not isinstance(tensors[0], dict):
        return array_ops.concat(list(tensors), axis=0)
    found: Dict[Any, Any] = {}
    for key in tensors[0]:
        name = "/".join(key) if isinstance(key, tuple) else key
        found[key] = array_ops.concat([each[key] for each in tensors], axis=0, name=name)
    return found


def _joined_output(outputs: Sequence[Any]) -> ExportOutput:
    first = outputs[0]
    if isinstance(first, PredictOutput):
        return PredictOutput(_joined([each.outputs for each in outputs]))
    if isinstance(first, RegressionOutput):
        return RegressionOutput(array_ops.concat([each.value for each in outputs], axis=0))
    scores, classes = (
        None
        if getattr(first, name) is None
        else array_ops.concat([getattr(each, name) for each in outputs], axis=0)
        for name in ("scores", "classes")
    )
    return ClassificationOutput(scores, classes)
