"""Networks whose graphs tell which features and columns they are made of."""

from __future__ import annotations

import pickle
from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.canned.dnn import dnn_model_fn
from troupe._src.canned.networks import Network
from troupe._src.contrib_columns.column import ContribColumn
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.feature_columns.layers import make_parse_example_spec
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.messages.meta_graph_messages import Any as AnyMessage
from troupe._src.nn.losses import Reduction
from troupe._src.ops import gen_ops
from troupe._src.saved_model.tensor_infos import build_tensor_info
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike

# The names of TensorFlow's collections, one of which is misspelt.
_FEATURES = "layer_annotations/unprocessed_features"
_PROCESSED = "layer_annotatons/processed_features"
_COLUMNS = "layer_annotations/feature_columns"


def _info(tensor: Any) -> Any:
    packed = AnyMessage()
    packed.Pack(build_tensor_info(tensor))
    return packed


def _annotate(features: Dict[str, Any], columns: Sequence[Any], outputs: Dict[Any, Any]) -> None:
    """Adds features, columns and their numbers to collections, as TensorFlow 1.15 does.

    That is where some column is one of `tf.contrib.layers`: networks of those of
    `tf.feature_column` alone are made by other layers there, which tell nothing.
    """
    if not any(isinstance(column, ContribColumn) for column in columns):
        return
    graph = get_default_graph()
    for key in make_parse_example_spec(columns):
        graph.add_to_collection(f"{_FEATURES}/keys", key)
        graph.add_to_collection(f"{_FEATURES}/values", _info(features[key]))
    for column in columns:
        graph.add_to_collection(_COLUMNS, pickle.dumps(column))
    for column, tensor in outputs.items():
        graph.add_to_collection(f"{_PROCESSED}/keys", column.name)
        graph.add_to_collection(f"{_PROCESSED}/values", _info(tensor))


@set_module("troupe.contrib.estimator")
def DNNClassifierWithLayerAnnotations(
    hidden_units: Sequence[int],
    feature_columns: Sequence[Any],
    model_dir: Optional[PathLike] = None,
    n_classes: int = 2,
    weight_column: Any = None,
    label_vocabulary: Optional[Sequence[Any]] = None,
    optimizer: Any = "Adagrad",
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    dropout: Optional[float] = None,
    input_layer_partitioner: Any = None,
    config: Optional[RunConfig] = None,
    warm_start_from: Any = None,
    loss_reduction: str = Reduction.SUM,
) -> Estimator:
    """As `tf.estimator.DNNClassifier`; collections tell features and columns.

    They do so for columns of `tf.contrib.layers`: "layer_annotations/unprocessed_features/keys" and
    ".../values" have the names of features and their TensorInfos, "layer_annotations/
    feature_columns" the pickled columns, and "layer_annotatons/processed_features/keys" and
    ".../values" the names of columns and the TensorInfos of their numbers.

    Args:
        hidden_units: How many neurons each layer has.
        feature_columns: The columns, of numbers.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        optimizer: An optimizer, a function that makes one, or a name.
        activation_fn: Of each layer but the last one.
        dropout: The probability of a neuron to be left out of a training step.
        input_layer_partitioner: Of the variables.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.

    Returns:
        The estimator.

    Raises:
        ValueError: The number of classes, the vocabulary or the reduction is wrong.
    """
    head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
    network = Network(
        hidden_units, list(feature_columns), activation_fn, dropout, False,
        input_layer_partitioner, _annotate,
    )  # fmt: skip
    model_fn = dnn_model_fn(head, network, optimizer)
    return Estimator(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.contrib.estimator")
def DNNRegressorWithLayerAnnotations(
    hidden_units: Sequence[int],
    feature_columns: Sequence[Any],
    model_dir: Optional[PathLike] = None,
    label_dimension: int = 1,
    weight_column: Any = None,
    optimizer: Any = "Adagrad",
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    dropout: Optional[float] = None,
    input_layer_partitioner: Any = None,
    config: Optional[RunConfig] = None,
    warm_start_from: Any = None,
    loss_reduction: str = Reduction.SUM,
) -> Estimator:
    """As `tf.estimator.DNNRegressor`, with the collections of DNNClassifierWithLayerAnnotations.

    Args:
        hidden_units: As of DNNClassifierWithLayerAnnotations.
        feature_columns: As of DNNClassifierWithLayerAnnotations.
        model_dir: As of Estimator.
        label_dimension: How many numbers a label has.
        weight_column: As of DNNClassifierWithLayerAnnotations.
        optimizer: As of DNNClassifierWithLayerAnnotations.
        activation_fn: As of DNNClassifierWithLayerAnnotations.
        dropout: As of DNNClassifierWithLayerAnnotations.
        input_layer_partitioner: As of DNNClassifierWithLayerAnnotations.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.

    Returns:
        The estimator.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """
    head = number_head(label_dimension, weight_column, loss_reduction)
    network = Network(
        hidden_units, list(feature_columns), activation_fn, dropout, False,
        input_layer_partitioner, _annotate,
    )  # fmt: skip
    model_fn = dnn_model_fn(head, network, optimizer)
    return Estimator(model_fn, model_dir, config, warm_start_from=warm_start_from)
