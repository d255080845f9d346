"""The logits of common models."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from troupe._src.api.source_utilities import fn_args
from troupe._src.control_flow import nest
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import ModeKeys
from troupe._src.feature_columns.layers import input_layer, linear_model
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.layers.core import dense, dropout
from troupe._src.layers.batch_normalization import batch_normalization
from troupe._src.nn.nn_ops import zero_fraction
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import histogram, scalar
from troupe._src.types import dtypes
from troupe._src.variables.initializers import GlorotUniform
from troupe._src.variables.partitioners import min_max_variable_partitioner
from troupe._src.variables.variable_store import get_variable_scope, variable_scope

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


def weights_partitioner_of(config: RunConfig) -> Any:
    """The partitioner of weights that are no tables."""
    return partitioner_of(None, config, _WEIGHTS_BYTES_MIN)


def linear_logits(
    features: Dict[str, Any], columns: Sequence[Any], units: int, sparse_combiner: str
) -> Tensor:
    """The weighted sums of columns, whose variables are in the current scope."""
    variables: Dict[Any, Any] = {}
    logits = linear_model(
        features,
        columns,
        units=units,
        sparse_combiner=sparse_combiner,
        cols_to_vars=variables,
    )
    bias = variables.pop("bias")
    if units > 1:
        histogram("bias", bias)
    else:
        scalar("bias", bias[0][0])
    scalar("fraction_of_zero_weights", _fraction_of_zero(list(variables.values())))
    return logits


def _fraction_of_zero(variables: List[Any]) -> Tensor:
    """How many of all weights are 0, as a fraction."""
    parts = [each for each in nest.flatten(variables) if each.shape.num_elements()]
    with get_default_graph().name_scope("zero_fraction"):
        sizes = [math_ops.cast(array_ops.size(part), dtypes.float32) for part in parts]
        zeros = [zero_fraction(part) * size for part, size in zip(parts, sizes)]
        fraction: Tensor = add_n(zeros) / add_n(sizes)
        return fraction


@set_module("troupe.estimator.experimental")
def linear_logit_fn_builder(
    units: int, feature_columns: Sequence[Any], sparse_combiner: str = "sum"
) -> Callable[..., Tensor]:
    """A function of features that gives the logits of a linear model.

    Args:
        units: How many logits an example has.
        feature_columns: The columns.
        sparse_combiner: As of `tf.feature_column.linear_model`.

    Returns:
        A function of `features`, whose variables are in "linear_model".
    """

    def linear_logit_fn(features: Dict[str, Any]) -> Tensor:
        return linear_logits(features, feature_columns, units, sparse_combiner)

    return linear_logit_fn


class Network(NamedTuple):
    """Layers of neurons over columns."""

    hidden_units: Sequence[int]
    columns: Sequence[Any]
    activation_fn: Optional[Callable[..., Any]]
    dropout: Optional[float]
    batch_norm: bool
    partitioner: Any
    # Called with the features, the columns and the numbers of each column.
    on_inputs: Optional[Callable[..., None]] = None

    def logits(self, features: Dict[str, Any], units: int, mode: str) -> Tensor:
        """The logits, [batch, units], whose variables are in the current scope."""
        is_training, graph = mode == ModeKeys.TRAIN, get_default_graph()
        prefix = get_variable_scope().name
        with graph.name_scope(f"{graph.get_name_scope() or 'dnn'}/"):
            with variable_scope("input_from_feature_columns", partitioner=self.partitioner):
                outputs: Dict[Any, Any] = {}
                net = input_layer(features, self.columns, cols_to_output_tensors=outputs)
                if self.on_inputs is not None:
                    self.on_inputs(features, self.columns, outputs)
            for index, count in enumerate(self.hidden_units):
                name = f"hiddenlayer_{index}"
                net = self._dense(net, count, name, self.activation_fn)
                if self.dropout is not None and is_training:
                    net = dropout(net, rate=self.dropout, training=True)
                if self.batch_norm:
                    with variable_scope(name):
                        net = batch_normalization(
                            net, momentum=0.999, training=is_training, name=f"batchnorm_{index}"
                        )
                summarize(net, f"{prefix}/{name}" if prefix else name)
            logits = self._dense(net, units, "logits", None)
            summarize(logits, f"{prefix}/logits" if prefix else "logits")
            return logits

    def _dense(self, net: Tensor, units: int, name: str, activation: Any) -> Tensor:
        initializer = GlorotUniform()
        found: Tensor = dense(
            net, units, activation=activation, kernel_initializer=initializer, name=name
        )
        return found


def summarize(value: Tensor, name: str) -> None:
    """Summaries of the values of a layer."""
    scalar(f"{name}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{name}/activation", value)


@set_module("troupe.estimator.experimental")
def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Sequence[Any],
    activation_fn: Optional[Callable[..., Any]],
    dropout: Optional[float],
    input_layer_partitioner: Any,
    batch_norm: bool,
) -> Callable[..., Tensor]:
    """A function of features that gives the logits of a network of dense layers.

    Args:
        units: How many logits an example has.
        hidden_units: How many neurons each layer has.
        feature_columns: The columns, of numbers.
        activation_fn: Of each layer but the last one.
        dropout: The probability of a neuron to be left out of a training step, or None.
        input_layer_partitioner: Of the variables of columns, or None.
        batch_norm: Whether each layer is normalized.

    Returns:
        A function of `features` and `mode`.

    Raises:
        ValueError: The number of units is no integer.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")
    network = Network(
        hidden_units, feature_columns, activation_fn, dropout, batch_norm, input_layer_partitioner
    )

    def dnn_logit_fn(features: Dict[str, Any], mode: str) -> Tensor:
        return network.logits(features, units, mode)

    return dnn_logit_fn


def dnn_scope(config: RunConfig) -> Any:
    """The scope of the variables of a network."""
    return variable_scope("dnn", partitioner=weights_partitioner_of(config))


@set_module("troupe.estimator.experimental")
def call_logit_fn(
    logit_fn: Callable[..., Any], features: Any, mode: str, params: Any, config: Any
) -> Any:
    """Calls a function of logits with those arguments that it has.

    Args:
        logit_fn: A function of `features`, and of `mode`, `params` and `config` if it has them.
        features: The features.
        mode: One of `tf.estimator.ModeKeys`.
        params: Hyperparameters.
        config: A RunConfig.

    Returns:
        The logits: a tensor, or a dict of tensors.

    Raises:
        ValueError: The function returns something else.
    """
    names = fn_args(logit_fn)
    given = {"mode": mode, "params": params, "config": config}
    found = logit_fn(
        features=features, **{key: value for key, value in given.items() if key in names}
    )
    is_dict = isinstance(found, dict) and all(
        isinstance(key, str) and isinstance(value, Tensor) for key, value in found.items()
    )
    if not is_dict and not isinstance(found, Tensor):
        raise ValueError(
            "logit_fn should return a Tensor or a dictionary mapping strings to Tensors.  "
            f"logit_fn returned: {found}"
        )
    return found
