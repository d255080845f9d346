"""Older linear models that are learned by dual ascent."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe._src.contrib_columns.numbers import real_valued_column
from troupe._src.contrib_columns.parsing import transform_features
from troupe._src.contrib_columns.sums import weighted_sum_from_feature_columns
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.classes import BinaryLogisticHead, BinarySvmHead
from troupe._src.learn_heads.head import Head
from troupe._src.learn_heads.kinds import RegressionHead
from troupe._src.linear_optimizer.contrib_optimizer import SDCAOptimizer
from troupe._src.linear_optimizer.hooks import UpdateWeightsHook
from troupe._src.ops import array_ops, creation_ops
from troupe._src.train.global_step import get_global_step
from troupe._src.variables.variable_store import variable_scope

_BIAS = "tf_virtual_bias_column"


def sdca_model_fn(
    features: Any, labels: Any, mode: str, params: Dict[str, Any], config: Any = None
) -> ModelFnOps:
    """The model function of a weighted sum of columns that an SDCAOptimizer learns.

    Raises:
        ValueError: The head is of other labels.
    """
    head: Head = params["head"]
    optimizer: SDCAOptimizer = params["optimizer"]
    columns = params["feature_columns"]
    loss = _loss_of(head)
    with variable_scope("linear", partitioner=optimizer.partitioner) as scope:
        made = {**features, **transform_features(features, columns)}
        logits, weights, bias = weighted_sum_from_feature_columns(made, columns, 1, scope=scope)
    hooks: List[UpdateWeightsHook] = []

    def train_op_fn(unused_loss: Any) -> Any:
        column = real_valued_column(_BIAS)
        ones = creation_ops.ones(array_ops.stack([array_ops.shape(labels)[0], 1]))
        model, train_op = optimizer.get_train_step(
            {**weights, column: [bias]}, params["weight_column_name"], loss, {**made, column: ones},
            labels, get_global_step(),
        )  # fmt: skip
        hooks.append(UpdateWeightsHook(model, train_op))
        return train_op

    ops = head.create_model_fn_ops(
        features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
    )
    return ops._replace(training_chief_hooks=[*ops.training_chief_hooks, *hooks])


def _loss_of(head: Head) -> str:
    losses = {
        BinarySvmHead: "hinge_loss",
        BinaryLogisticHead: "logistic_loss",
        RegressionHead: "squared_loss",
    }
    if type(head) not in losses:
        raise ValueError(f"Unsupported head type: {type(head)}")
    assert head.logits_dimension == 1, "SDCA only applies to logits_dimension=1."
    return losses[type(head)]


def sdca_params(
    head: Head, columns: Any, weight_column_name: Optional[str], optimizer: SDCAOptimizer
) -> Dict[str, Any]:
    """What `sdca_model_fn` needs."""
    used = tuple(columns or ())
    assert used
    return {
        "head": head,
        "feature_columns": used,
        "weight_column_name": weight_column_name,
        "optimizer": optimizer,
    }
