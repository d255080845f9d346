"""The layer that reads sequences from both ends."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Optional

from troupe._src.keras.loaded import keras_module
from troupe._src.set_module import set_module

_Layer: Any = keras_module("engine.base_layer").Layer
_Bidirectional: Any = keras_module("layers.wrappers").Bidirectional


@set_module("troupe.keras.layers")
class Bidirectional(_Bidirectional):  # type: ignore[misc]
    """Two recurrent layers, of which one reads the time steps from the last to the first.

    The results of all time steps are 0 at those that a mask leaves out.

    Args:
        layer: A recurrent layer; copies of it are called.
        merge_mode: What is made of both results: "sum", "mul", "ave", "concat", or None for a list.
        weights: Initial values: those of the forward layer, then those of the other.
        backward_layer: The other layer, with the other `go_backwards`; None for a copy.
        **kwargs: Those of `tf.keras.layers.Layer`.

    Raises:
        ValueError: A layer is none, the two do not fit, or there is no such `merge_mode`.
    """

    def __init__(
        self, layer: Any, merge_mode: Optional[str] = "concat", weights: Any = None,
        backward_layer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not isinstance(layer, _Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        if backward_layer is not None and not isinstance(backward_layer, _Layer):
            raise ValueError(
                f"`backward_layer` need to be a `Layer` instance. You passed: {backward_layer}"
            )
        # Not set as attributes: the layers would be among those of the base, with their weights.
        self.__dict__["_given_layer"] = backward_layer
        super().__init__(layer, merge_mode, weights, **kwargs)

    def _set_sublayers(self, layer: Any) -> None:
        backward, self._given_config = self.__dict__.pop("_given_layer"), None
        if backward is None:
            config = layer.get_config()
            backward = _again(layer, {**config, "go_backwards": not config["go_backwards"]})
        else:
            self._given_config = {
                "class_name": type(backward).__name__, "config": backward.get_config()
            }  # fmt: skip
        forward = _again(layer, layer.get_config())
        forward.name, backward.name = f"forward_{forward.name}", f"backward_{backward.name}"
        _check(forward, backward)
        for each in (forward, backward):
            if hasattr(each, "zero_output_for_mask"):
                each.zero_output_for_mask = each.return_sequences
        self.__dict__.update(forward_layer=forward, backward_layer=backward)

    def _backward_size(self, input_shape: Any) -> Any:
        """The size of the last axis of the backward layer's results."""
        shape = self.backward_layer.compute_output_shape(input_shape)
        return (shape[0] if self.return_state else shape)[-1]

    def get_config(self) -> Dict[str, Any]:
        """The arguments of a layer like this."""
        given = {} if self._given_config is None else {"backward_layer": self._given_config}
        return {**super().get_config(), **given}

    @classmethod
    def from_config(cls, config: Dict[str, Any], custom_objects: Any = None) -> Any:
        """A layer of the arguments that `get_config` gave.

        Args:
            config: The arguments.
            custom_objects: Classes by their names, besides those of `tf.keras`.

        Returns:
            The layer.
        """
        config = dict(config)
        if config.get("backward_layer") is not None:
            config["backward_layer"] = keras_module("layers").deserialize(
                config["backward_layer"], custom_objects=custom_objects
            )
        return super().from_config(config, custom_objects)


def _check(forward: Any, backward: Any) -> None:
    if forward.go_backwards == backward.go_backwards:
        raise ValueError(
            "Forward layer and backward layer should have different `go_backwards` value."
        )
    for name in ("stateful", "return_sequences", "return_state"):
        values = getattr(forward, name), getattr(backward, name)
        if values[0] != values[1]:
            raise ValueError(
                "Forward layer and backward layer are expected to have the same value for "
                f"attribute {name}, got {values[0]} and {values[1]}"
            )


def _again(layer: Any, config: Dict[str, Any]) -> Any:
    """A second layer of a configuration, with cells of the classes of the first."""
    kind = type(layer)
    cell = getattr(layer, "cell", None)
    if cell is None or "custom_objects" not in inspect.signature(kind.from_config).parameters:
        return kind.from_config(config)
    cells = {type(each).__name__: type(each) for each in (cell, *getattr(cell, "cells", ()))}
    return kind.from_config(config, custom_objects=cells)
