"""The logits of linear models and of networks, and how their variables are trained."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from troupe._src.contrib.layers import dropout, fully_connected
from troupe._src.contrib_columns.column import ContribColumn
from troupe._src.contrib_columns.embeddings import EmbeddingColumn
from troupe._src.contrib_columns.inputs import input_from_feature_columns
from troupe._src.contrib_columns.sums import (
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from troupe._src.feature_columns.layers import input_layer, linear_model
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.nn.nn_ops import zero_fraction
from troupe._src.ops import gen_ops
from troupe._src.summary.summary_ops import histogram, scalar
from troupe._src.variables.partitioners import min_max_variable_partitioner
from troupe._src.variables.variable_store import variable_scope

# Tables smaller than this are not cut.
PART_BYTES_MIN = 64 << 20

_ACTIVATIONS = {"relu": gen_ops.relu, "tanh": gen_ops.tanh, "sigmoid": gen_ops.sigmoid}


def partitioner_of(config: Any, min_slice_size: Optional[int] = None) -> Any:
    """The partitioner for so many parameter servers as there are; one part without any."""
    sizes = {} if min_slice_size is None else {"min_slice_size": min_slice_size}
    servers = config.num_ps_replicas if config else 0
    return min_max_variable_partitioner(max_partitions=servers, **sizes)


def named_features(features: Any) -> Dict[str, Any]:
    """A dict of features; one tensor has the name ""."""
    return features if isinstance(features, dict) else {"": features}


def _are_older(columns: Sequence[Any]) -> bool:
    return all(isinstance(column, ContribColumn) for column in columns)


class Linear(NamedTuple):
    """A weighted sum of columns."""

    columns: Sequence[Any]
    is_joint: bool

    def logits(self, features: Dict[str, Any], units: int, scope: Any) -> Tensor:
        """The sums, [batch, units], whose variables are in the collection "linear"."""
        if not _are_older(self.columns):
            return linear_model(features, self.columns, units, weight_collections=["linear"])
        make = weighted_sum_from_feature_columns
        if self.is_joint:
            make = joint_weighted_sum_from_feature_columns  # type: ignore[assignment]
        found = make(features, self.columns, units, weight_collections=["linear"], scope=scope)
        return found[0]


class Network(NamedTuple):
    """Layers of neurons over columns."""

    columns: Sequence[Any]
    hidden_units: Sequence[int]
    activation_fn: Any
    dropout: Optional[float]
    multipliers: Optional[Dict[Any, float]]  # of the gradients of columns' embeddings
    tag: str  # that of summaries, "%s/" or "%s_" for a layer
    min_slice_size: Optional[int]
    partitioner: Any = None  # of the first layer

    def inputs(self, features: Dict[str, Any], config: Any) -> Any:
        """The numbers of the columns, and the name of their scope."""
        partitioner = self.partitioner
        if partitioner is None:
            partitioner = partitioner_of(config, self.min_slice_size or PART_BYTES_MIN)
        with variable_scope("input_from_feature_columns", partitioner=partitioner) as scope:
            if _are_older(self.columns):
                net = input_from_feature_columns(
                    features, self.columns, weight_collections=["dnn"], scope=scope
                )
            else:
                net = input_layer(features, self.columns, weight_collections=["dnn"])
        return net, scope.name

    def logits(self, net: Tensor, units: int, mode: str) -> Tensor:
        """The logits, [batch, units], whose variables are in the collection "dnn"."""
        activation = _activation(self.activation_fn)
        for index, count in enumerate(self.hidden_units):
            with variable_scope(f"hiddenlayer_{index}") as scope:
                net = fully_connected(
                    net, count, activation, variables_collections=["dnn"], scope=scope
                )
                if self.dropout is not None and mode == ModeKeys.TRAIN:
                    net = dropout(net, keep_prob=1.0 - self.dropout)
            summarize(net, self.tag % scope.name)
        with variable_scope("logits") as scope:
            found: Tensor = fully_connected(
                net, units, None, variables_collections=["dnn"], scope=scope
            )
        summarize(found, self.tag % scope.name)
        return found

    def gradient_multipliers(self, input_scope: str) -> Optional[Dict[Any, float]]:
        """What the gradients of embeddings are multiplied by.

        Raises:
            ValueError: A column is of no embedding, or not part of the model.
        """
        if not self.multipliers:
            return None
        found: Dict[Any, float] = {}
        for column, multiplier in self.multipliers.items():
            if not isinstance(column, EmbeddingColumn):
                raise ValueError(
                    "learning rate multipler can only be defined for embedding columns. It is "
                    f"defined for {column}"
                )
            graph = get_default_graph()
            variables = graph.get_collection("dnn", f"{input_scope}/{column.name}")
            if not variables:
                raise ValueError(f"Couldn't find a variable for column {column}")
            found.update((variable, multiplier) for variable in variables)
        return found


def _activation(given: Any) -> Optional[Callable[..., Any]]:
    if not isinstance(given, str):
        found: Optional[Callable[..., Any]] = given
        return found
    if given not in _ACTIVATIONS:
        raise ValueError(
            f"Activation name should be one of {sorted(_ACTIVATIONS)}, you provided {given}."
        )
    return _ACTIVATIONS[given]


def summarize(value: Tensor, prefix: str) -> None:
    """Summaries of the numbers of a layer."""
    scalar(f"{prefix}fraction_of_zero_values", zero_fraction(value))
    histogram(f"{prefix}activation", value)


def optimizer_of(given: Any) -> Any:
    """An optimizer or its name, also from a function that makes one."""
    return given() if callable(given) else given
