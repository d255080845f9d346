"""Optimizers of `tf.train` for models of Keras."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.train.optimizer import Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable


class TFOptimizer:
    """Trains a model by an optimizer of `tf.train`.

    Its state is in neither files nor configurations of models, as in TensorFlow 1.15.

    Args:
        optimizer: The optimizer.
        iterations: A variable that counts the steps, by default a new one.
    """

    def __init__(self, optimizer: Optimizer, iterations: Optional[Variable] = None) -> None:
        self.optimizer = optimizer
        if iterations is None:
            iterations = Variable(
                0, dtype=dtypes.int64, trainable=False, name="TFOptimizer/iterations"
            )
        self.iterations = iterations

    def get_updates(self, loss: Tensor, params: List[Variable]) -> List[Operation]:
        """What updates variables, as models call it.

        Args:
            loss: The loss.
            params: The variables.

        Returns:
            One operation.
        """
        found = self.optimizer.compute_gradients(loss, var_list=params)
        return [self.optimizer.apply_gradients(found, global_step=self.iterations)]

    @property
    def weights(self) -> List[Variable]:
        """Not known: NotImplementedError."""
        raise NotImplementedError("an optimizer of tf.train does not list its variables")

    def get_config(self) -> Dict[str, Any]:
        """Not known: NotImplementedError."""
        raise NotImplementedError("an optimizer of tf.train has no configuration")

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> TFOptimizer:
        """Not known: NotImplementedError."""
        raise NotImplementedError("an optimizer of tf.train has no configuration")
