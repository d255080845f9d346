"""The bijector whose inverse normalizes batches."""

from __future__ import annotations

from typing import Any, List, Union

from troupe._src.bijectors.bijector import Bijector
from troupe._src.graph.elements import Tensor
from troupe._src.layers.normalization import BatchNormalization as BatchNormalizationLayer
from troupe._src.nn.norm_ops import moments
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


def _positive(gamma: Any) -> Any:
    return gen_ops.relu(gamma) + 1e-6


@set_module("troupe.contrib.distributions.bijectors")
class BatchNormalization(Bijector):
    """x is what a layer of batch normalization makes of y.

    In training, x is normalized by the moments of the batch, whereas y is made of x by the moving
    averages: then the two functions are inverses of each other only as far as these agree.
    """

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        """The bijector.

        Args:
            batchnorm_layer: A `tf.layers.BatchNormalization`; by default one whose `gamma` stays
                positive. A step of training has to run its updates.
            training: Whether the inverse normalizes by the moments of the batch.
            validate_args: Has no effect.
            name: The name scope of its nodes.

        Raises:
            ValueError: The layer is of another class, corrects what it normalizes, or has virtual
                batches.
        """
        layer = batchnorm_layer or BatchNormalizationLayer(gamma_constraint=_positive)
        if not isinstance(layer, BatchNormalizationLayer):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        if layer.renorm:
            raise ValueError("BatchNorm Bijector does not support renormalization.")
        if layer.virtual_batch_size:
            raise ValueError("BatchNorm Bijector does not support virtual batch sizes.")
        self.batchnorm, self._training = layer, training
        axes = 1 if isinstance(layer.axis, int) else len(layer.axis)
        super().__init__(forward_min_event_ndims=axes, validate_args=validate_args, name=name)

    def _build(self, value: Tensor) -> List[int]:
        """Makes the variables for such values; the sizes of these."""
        if not value.shape.is_fully_defined():
            raise ValueError("Input must have shape known at graph construction.")
        if not self.batchnorm.built:
            self.batchnorm.build(value.shape)
        return [int(size) for size in value.shape.as_list() if size is not None]

    def _forward(self, x: Any) -> Any:
        sizes, layer = self._build(x), self.batchnorm
        full = [size if axis in layer.axis else 1 for axis, size in enumerate(sizes)]

        def spread(variable: Any) -> Any:
            return array_ops.reshape(variable, full)

        scale = gen_ops.sqrt(spread(layer.moving_variance) + layer.epsilon)
        if layer.scale:
            scale /= spread(layer.gamma)
        centered = x - spread(layer.beta) if layer.center else x
        return centered * scale + spread(layer.moving_mean)

    def _inverse(self, y: Any) -> Any:
        return self.batchnorm.apply(y, training=self._training)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        self._build(x)
        return -self._log_det(self.batchnorm.moving_variance)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        sizes = self._build(y)
        if not self._training:
            return self._log_det(self.batchnorm.moving_variance)
        others = [axis for axis in range(len(sizes)) if axis not in self.batchnorm.axis]
        _, variance = moments(y, others, keepdims=True)
        return self._log_det(variance)

    def _log_det(self, variance: Union[Tensor, Any]) -> Any:
        """That of the inverse, by the variances that it divides by."""
        layer = self.batchnorm
        logarithms = gen_ops.log(convert_to_tensor(variance) + layer.epsilon)
        found = -0.5 * math_ops.reduce_sum(logarithms)
        if not layer.scale:
            return found
        return found + math_ops.reduce_sum(gen_ops.log(convert_to_tensor(layer.gamma)))
