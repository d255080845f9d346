"""Layers around another one that have weights of their own besides."""

from __future__ import annotations

from typing import Any, List


def _own(layer: Any, is_trained: bool) -> List[Any]:
    trained, others = layer._trainable_weights, layer._non_trainable_weights
    if is_trained:
        return list(trained) if layer.trainable else []
    return list(others) if layer.trainable else [*trained, *others]


def _distinct(values: List[Any]) -> List[Any]:
    return list({id(each): each for each in values}.values())


def _trainable_weights(self: Any) -> List[Any]:
    return _distinct([*_own(self, True), *self.layer.trainable_weights])


def _non_trainable_weights(self: Any) -> List[Any]:
    return _distinct([*_own(self, False), *self.layer.non_trainable_weights])


def _losses(self: Any) -> List[Any]:
    return _distinct([*self._losses, *getattr(self.layer, "losses", [])])


def _updates(self: Any) -> List[Any]:
    return _distinct([*self._updates, *getattr(self.layer, "updates", [])])


def _build(self: Any, input_shape: Any = None) -> None:
    """Makes the weights of the layer inside."""
    if not self.layer.built:
        self.layer.build(input_shape)
        self.layer.built = True
    self.built = True


def extend_wrappers(module: Any) -> None:
    """Lets the base of such layers have weights.

    Args:
        module: `layers.wrappers`.
    """
    kind, base = module.Wrapper, module.Layer
    kind.build = _build
    kind.trainable_weights = property(_trainable_weights)
    kind.non_trainable_weights = property(_non_trainable_weights)
    kind.losses, kind.updates = property(_losses), property(_updates)

    def get_weights(self: Any) -> Any:
        has_own = self._trainable_weights or self._non_trainable_weights
        return base.get_weights(self) if has_own else self.layer.get_weights()

    def set_weights(self: Any, weights: Any) -> None:
        has_own = self._trainable_weights or self._non_trainable_weights
        base.set_weights(self, weights) if has_own else self.layer.set_weights(weights)

    kind.get_weights, kind.set_weights = get_weights, set_weights
