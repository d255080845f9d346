"""What layers of models have in common: variables with TensorFlow's names, and collections."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Mapping, Optional

from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.variables import model_variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.partitioned_variable import PartitionedVariable

# The names that variables of layers have in models.
RENAMED = {"kernel": "weights", "bias": "biases"}


def getter_of(renamed: Optional[Dict[str, str]] = None) -> Callable[..., Any]:
    """A custom getter that makes model variables, under other names."""
    names = renamed or {}

    def get(getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        scope, _, last = name.rpartition("/")
        whole = "/".join(part for part in (scope, names.get(last, last)) if part)
        shown = ("shape", "dtype", "initializer", "regularizer", "trainable", "collections",
                 "partitioner", "use_resource")  # fmt: skip
        given = {key: kwargs[key] for key in shown if key in kwargs}
        rest = {key: value for key, value in kwargs.items() if key not in (*shown, "reuse")}
        return model_variable(whole, **given, custom_getter=functools.partial(getter, **rest))

    return get


def collect_variable(variable: Any, collections: Any, kind: str) -> None:
    """Adds a variable, or its parts, to those of some collections that it is not yet in.

    The collections may be a dictionary of kinds.
    """
    names = collections.get(kind) if isinstance(collections, dict) else collections
    graph = get_default_graph()
    is_divided = isinstance(variable, PartitionedVariable)
    for each in list(variable) if is_divided else [variable]:
        for name in [names] if isinstance(names, str) else names or ():
            if each is not None and each not in graph.get_collection(name):
                graph.add_to_collection(name, each)


def finished(
    outputs: Tensor,
    normalizer_fn: Any,
    normalizer_params: Any,
    activation_fn: Any,
    collections: Any,
    alias: str,
) -> Tensor:
    """The outputs of a layer, normalized and activated, in collections under that name."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    found: Tensor = collect_named_outputs(collections, alias, outputs)
    return found


def pooled(layer: Any, inputs: Any) -> Tensor:
    """The outputs of a layer without variables, whose nodes are in the scope around it."""
    tensor = convert_to_tensor(inputs)
    layer._check([tensor])
    outputs: Tensor = layer.call(tensor)
    return outputs


def applied(
    layer: Any,
    inputs: Tensor,
    kinds: Mapping[str, str],
    collections: Any,
) -> Tensor:
    """The outputs of a layer, whose variables, {attribute: kind}, are added to collections."""
    outputs: Tensor = layer(inputs)
    for attribute, kind in kinds.items():
        collect_variable(getattr(layer, attribute), collections, kind)
    return outputs
