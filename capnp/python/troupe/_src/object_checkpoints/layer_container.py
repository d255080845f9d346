"""What containers of checkpoints tell of the layers in them."""

from __future__ import annotations

from typing import Any, Iterator, List

from troupe._src.variables.variable import Variable


class LayerContainer:
    """A container whose layers have weights, losses and updates."""

    trainable = True

    def _held(self) -> Iterator[Any]:
        """What is in it."""
        for _, each in self._checkpoint_dependencies:  # type: ignore[attr-defined]
            yield each

    @property
    def layers(self) -> List[Any]:
        """The layers in it and in the containers in it."""
        found: List[Any] = []
        for each in self._held():
            if isinstance(each, LayerContainer):
                found += each.layers
            elif hasattr(each, "trainable_weights"):
                found.append(each)
        return found

    def _of_layers(self, kind: str) -> List[Any]:
        values = [value for layer in self.layers for value in getattr(layer, kind)]
        return list({id(value): value for value in values}.values())

    def _own(self, is_trained: bool) -> List[Any]:
        """The variables that are in it themselves."""
        return [
            each for each in self._held()
            if isinstance(each, Variable) and (each.trainable and self.trainable) is is_trained
        ]  # fmt: skip

    @property
    def trainable_weights(self) -> List[Any]:
        """The variables that optimizers train; none if it is not `trainable`."""
        if not self.trainable:
            return []
        return self._of_layers("trainable_weights") + self._own(True)

    @property
    def non_trainable_weights(self) -> List[Any]:
        """The other variables."""
        kinds = ["non_trainable_weights"] if self.trainable else ["weights"]
        return [each for kind in kinds for each in self._of_layers(kind)] + self._own(False)

    @property
    def weights(self) -> List[Any]:
        """All variables, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables, non_trainable_variables = trainable_weights, non_trainable_weights
    variables = weights

    @property
    def losses(self) -> List[Any]:
        """The losses of the layers."""
        return self._of_layers("losses")

    @property
    def updates(self) -> List[Any]:
        """The updates of the layers."""
        return self._of_layers("updates")
