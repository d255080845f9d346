"""How those who are served give their inputs: placeholders, and the features made of them."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional

from troupe._src.ops.creation_ops import placeholder
from troupe._src.ops.convert import is_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.example_ops import parse_example
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

# The names of inputs that were given without one.
SINGLE_FEATURE_NAME = "feature"
SINGLE_LABEL_NAME = "label"
SINGLE_RECEIVER_NAME = "input"


class _ServingFields(NamedTuple):
    features: Any
    receiver_tensors: Dict[str, Any]
    receiver_tensors_alternatives: Optional[Dict[str, Dict[str, Any]]]


@set_module("troupe.estimator.export")
class ServingInputReceiver(_ServingFields):
    """The features of a model that serves, and the tensors that are fed for them.

    Args:
        features: A tensor, or a dict of tensors by their names.
        receiver_tensors: What is fed: a tensor, or a dict of tensors by names for users.
        receiver_tensors_alternatives: For each name, what else may be fed, such as features behind
            those that parse examples. Each makes one more signature for each output.

    Raises:
        ValueError: Something else is among the tensors, or a name is no text.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> ServingInputReceiver:
        return super().__new__(
            cls,
            _named(features, SINGLE_FEATURE_NAME, "feature", may_be_sparse=True),
            _named(receiver_tensors, SINGLE_RECEIVER_NAME, "receiver_tensor"),
            _alternatives(receiver_tensors_alternatives),
        )


@set_module("troupe.estimator.export")
class TensorServingInputReceiver(_ServingFields):
    """As ServingInputReceiver, for a model whose features are one tensor, and no dict.

    Args:
        features: A tensor.
        receiver_tensors: What is fed: a tensor, or a dict of tensors by names for users.
        receiver_tensors_alternatives: For each name, what else may be fed.

    Raises:
        ValueError: Something else is among the tensors, or a name is no text.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        _check_tensor(features, SINGLE_FEATURE_NAME, "feature", may_be_sparse=True)
        return super().__new__(
            cls,
            features,
            _named(receiver_tensors, SINGLE_RECEIVER_NAME, "receiver_tensor"),
            _alternatives(receiver_tensors_alternatives),
        )


class _SupervisedFields(NamedTuple):
    features: Any
    labels: Any
    receiver_tensors: Dict[str, Any]


class SupervisedInputReceiver(_SupervisedFields):
    """The features and labels of an exported training or evaluation, and what is fed for them.

    Args:
        features: A tensor, or a dict of tensors by their names.
        labels: A tensor, or a dict of tensors by their names.
        receiver_tensors: What is fed: a tensor, or a dict of tensors by names for users.

    Raises:
        ValueError: Something else is among the tensors, or a name is no text.
    """

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> SupervisedInputReceiver:
        for given, name in ((features, SINGLE_FEATURE_NAME), (labels, SINGLE_LABEL_NAME)):
            _named(given, name, name, may_be_sparse=True)
        return super().__new__(
            cls, features, labels, _named(receiver_tensors, SINGLE_RECEIVER_NAME, "receiver_tensor")
        )


def build_parsing_serving_input_receiver_fn(
    feature_spec: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], ServingInputReceiver]:
    """A function whose features are parsed from serialized examples, fed as "examples".

    Args:
        feature_spec: As of `tf.parse_example`.
        default_batch_size: How many examples are fed; by default any number.

    Returns:
        A function without arguments that returns a ServingInputReceiver.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = placeholder(dtypes.string, [default_batch_size], name="input_example_tensor")
        features = parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {"examples": serialized})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], ServingInputReceiver]:
    """A function whose features are fed as they are.

    Args:
        features: Tensors by the names of the features, of any graph: placeholders of their dtypes
            and shapes are made.
        default_batch_size: How many examples are fed; by default any number.

    Returns:
        A function without arguments that returns a ServingInputReceiver.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        fed = _placeholders(features, default_batch_size)
        return ServingInputReceiver(dict(fed), fed)

    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: Optional[int] = None
) -> Callable[[], SupervisedInputReceiver]:
    """A function whose features and labels are fed as they are.

    Args:
        features: A tensor, or a dict of tensors by their names, of any graph.
        labels: A tensor, or a dict of tensors by their names, of any graph.
        default_batch_size: How many examples are fed; by default any number.

    Returns:
        A function without arguments that returns a SupervisedInputReceiver.

    Raises:
        ValueError: A feature and a label have the same name.
    """
    named_features = features if isinstance(features, dict) else {SINGLE_RECEIVER_NAME: features}
    named_labels = labels if isinstance(labels, dict) else {SINGLE_LABEL_NAME: labels}
    both = set(named_features) & set(named_labels)
    if both:
        raise ValueError(f"Features and labels must have distinct keys. Found: {sorted(both)}")

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        fed_features = _placeholders(named_features, default_batch_size)
        fed_labels = _placeholders(named_labels, default_batch_size)
        return SupervisedInputReceiver(
            fed_features if isinstance(features, dict) else fed_features[SINGLE_RECEIVER_NAME],
            fed_labels if isinstance(labels, dict) else fed_labels[SINGLE_LABEL_NAME],
            {**fed_features, **fed_labels},
        )

    return supervised_input_receiver_fn


def _placeholders(tensors: Dict[str, Any], batch_size: Optional[int]) -> Dict[str, Any]:
    return {name: _placeholder_like(tensor, batch_size) for name, tensor in tensors.items()}


def _placeholder_like(tensor: Any, batch_size: Optional[int]) -> Any:
    """A placeholder with the tensor's name, and another size of its first dimension."""
    shape = tensor.shape
    sizes = None if shape.rank is None else shape.as_list()
    if sizes:
        sizes[0] = batch_size
    return placeholder(tensor.dtype.base_dtype, sizes, name=tensor.op.name)


def _named(
    given: Any, default_name: str, what: str, may_be_sparse: bool = False
) -> Dict[str, Any]:
    if given is None:
        raise ValueError(f"{what}s must be defined.")
    named = given if isinstance(given, dict) else {default_name: given}
    for name, value in named.items():
        _check_tensor(value, name, what, may_be_sparse)
    return dict(named)


def _check_tensor(value: Any, name: Any, what: str, may_be_sparse: bool) -> None:
    if not isinstance(name, str):
        raise ValueError(f"{what} keys must be strings: {name}.")
    if not (is_tensor(value) or may_be_sparse and isinstance(value, SparseTensor)):
        kinds = "Tensor or SparseTensor" if may_be_sparse else "Tensor"
        raise ValueError(f"{what} {name} must be a {kinds}.")


def _alternatives(given: Any) -> Optional[Dict[str, Dict[str, Any]]]:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {given}.")
    return {
        name: _named(tensors, SINGLE_RECEIVER_NAME, "receiver_tensor")
        for name, tensors in given.items()
    }
