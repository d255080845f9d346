"""What checkpoints know of the layers, models and optimizers of Keras, the package of PyPI."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from troupe._src.variables.variable import Variable

_PACKAGE = __name__.split(".", maxsplit=1)[0]
_BASES = {
    ("keras.engine.network", "Network"): "model",
    ("keras.engine.base_layer", "Layer"): "layer",
    (f"{_PACKAGE}.keras.engine.network", "Network"): "model",
    (f"{_PACKAGE}.keras.engine.base_layer", "Layer"): "layer",
    ("keras.optimizers", "Optimizer"): "optimizer",
}


def kind_of(value: Any) -> Optional[str]:
    """"model", "layer" or "optimizer"; None for an object that is not one of Keras's."""
    for base in type(value).__mro__:
        kind = _BASES.get((base.__module__, base.__name__))
        if kind is not None:
            return kind
    return None


def parts_of(value: Any, kind: str) -> List[Tuple[str, Any]]:
    """What such an object has by name, beside its public attributes, which come behind it.

    The layers of a model are numbered as in TensorFlow, also that of the inputs, which the list of
    a `Sequential` leaves out; those with weights also by themselves.
    """
    if kind == "optimizer":
        return _parts_of_optimizer(value)
    found: List[Tuple[str, Any]] = []
    if kind == "model":
        with_weights = 0
        for number, layer in enumerate(getattr(value, "_layers", None) or value.layers):
            if layer.weights:
                found.append((f"layer_with_weights-{with_weights}", layer))
                with_weights += 1
            found.append((f"layer-{number}", layer))
    return found


def _parts_of_optimizer(optimizer: Any) -> List[Tuple[str, Any]]:
    """Its numbers under TensorFlow's names, and the other weights by their positions: they belong
    to the variables of a model in the order in which that has them.
    """
    found: Dict[str, Any] = {}
    for name, value in vars(optimizer).items():
        if isinstance(value, Variable):
            found["iter" if name == "iterations" else name] = value
    known = {id(value) for value in found.values()}
    weights = [each for each in optimizer.weights if id(each) not in known]
    return [*found.items(), *((f"weight-{n}", each) for n, each in enumerate(weights))]
