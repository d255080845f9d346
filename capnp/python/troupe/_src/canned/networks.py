"""The logits of common models."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import ModeKeys
from troupe._src.feature_columns.layers import input_layer, linear_model
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.layers.core import dense, dropout
from troupe._src.layers.batch_normalization import batch_normalization
from troupe._src.nn.nn_ops import zero_fraction
from troupe._src.ops.grouping_ops import group
from troupe._src.summary.summary_ops import histogram, scalar
from troupe._src.variables.initializers import GlorotUniform
from troupe._src.variables.partitioners import min_max_variable_partitioner
from troupe._src.variables.variable_store import variable_scope

# Tables of features, and other weights, that are smaller than this are not cut.
_TABLE_BYTES_MIN = 64 << 20
_WEIGHTS_BYTES_MIN = 256 << 10


def partitioner_of(given: Any, config: RunConfig, bytes_min: int = _TABLE_BYTES_MIN) -> Any:
    """The partitioner that is given, or one for so many parameter servers as there are.

    Without any, variables have one part each: as in TensorFlow, whose checkpoints have the names of
    the slots of such variables.
    """
    if given is not None:
        return given
    parts = max(1, config.num_ps_replicas)
    return min_max_variable_partitioner(max_partitions=parts, min_slice_size=bytes_min)


def linear_logits(
    features: Dict[str, Any],
    columns: Sequence[Any],
    units: int,
    sparse_combiner: str,
    partitioner: Any,
) -> Tensor:
    """The weighted sums of columns."""
    with variable_scope("linear", partitioner=partitioner):
        cols_to_vars: Dict[Any, Any] = {}
        logits = linear_model(
            features,
            columns,
            units=units,
            sparse_combiner=sparse_combiner,
            cols_to_vars=cols_to_vars,
        )
        if units == 1:
            scalar("bias", cols_to_vars["bias"][0][0])
        return logits


class Network(NamedTuple):
    """Layers of neurons over columns."""

    hidden_units: Sequence[int]
    columns: Sequence[Any]
    activation_fn: Optional[Callable[..., Any]]
    dropout: Optional[float]
    batch_norm: bool
    partitioner: Any

    def logits(self, features: Dict[str, Any], units: int, mode: str, config: RunConfig) -> Tensor:
        """The logits, [batch, units]."""
        is_training = mode == ModeKeys.TRAIN
        tables = partitioner_of(self.partitioner, config)
        weights = partitioner_of(None, config, _WEIGHTS_BYTES_MIN)
        with variable_scope("dnn", partitioner=weights):
            with variable_scope("input_from_feature_columns", partitioner=tables):
                net = input_layer(features, self.columns)
            for index, count in enumerate(self.hidden_units):
                name = f"hiddenlayer_{index}"
                net = dense(
                    net,
                    count,
                    activation=self.activation_fn,
                    kernel_initializer=GlorotUniform(),
                    name=name,
                )
                if self.dropout is not None and is_training:
                    net = dropout(net, rate=self.dropout, training=True)
                if self.batch_norm:
                    with variable_scope(name):
                        net = batch_normalization(
                            net, momentum=0.999, training=is_training, name=f"batchnorm_{index}"
                        )
                _summarize(net, f"dnn/{name}")
            logits: Tensor = dense(net, units, kernel_initializer=GlorotUniform(), name="logits")
            _summarize(logits, "dnn/logits")
            return logits


def _summarize(value: Tensor, name: str) -> None:
    scalar(f"{name}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{name}/activation", value)


def after_updates(train_op: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """The step of a training after the updates that layers have asked for."""

    def make(loss: Tensor) -> Any:
        graph = get_default_graph()
        updates: List[Any] = graph.get_collection(GraphKeys.UPDATE_OPS)
        if not updates:
            return train_op(loss)
        with graph.control_dependencies([group(*updates)]):
            return train_op(loss)

    return make
