"""Batch normalization, as a function."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.normalization import BatchNormalization
from troupe._src.variables.initializers import Ones, Zeros

_zeros, _ones = Zeros(), Ones()


def batch_normalization(
    inputs: TensorLike,
    axis: Union[int, Sequence[int]] = -1,
    momentum: Union[float, Operand] = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = _zeros,
    gamma_initializer: Any = _ones,
    moving_mean_initializer: Any = _zeros,
    moving_variance_initializer: Any = _ones,
    beta_regularizer: Optional[Callable[[Any], Any]] = None,
    gamma_regularizer: Optional[Callable[[Any], Any]] = None,
    beta_constraint: Optional[Callable[[Any], Any]] = None,
    gamma_constraint: Optional[Callable[[Any], Any]] = None,
    training: Union[bool, Operand] = False,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: Any = 0.99,
    fused: Optional[bool] = None,
    virtual_batch_size: Optional[int] = None,
    adjustment: Optional[Callable[..., Any]] = None,
) -> Tensor:
    """Normalizes each channel: in training by the moments of the batch, else by moving averages.

    A step of training has to run the collection UPDATE_OPS, which updates the moving averages.

    Args:
        inputs: A tensor of floating point numbers, with a known number of channels.
        axis: The axis of the channels, or several.
        momentum: How much of the moving averages each update keeps.
        epsilon: What is added to variances.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        beta_initializer: Makes the first values of `beta`, by default zeros.
        gamma_initializer: Makes the first values of `gamma`, by default ones.
        moving_mean_initializer: Makes the first moving means, by default zeros.
        moving_variance_initializer: Makes the first moving variances, by default ones.
        beta_regularizer: Makes a loss of `beta`, which is added to REGULARIZATION_LOSSES.
        gamma_regularizer: Makes a loss of `gamma`, likewise.
        beta_constraint: Is applied to `beta` after an optimizer has updated it.
        gamma_constraint: Is applied to `gamma` after an optimizer has updated it.
        training: A bool or a boolean tensor: whether the moments are those of the batch.
        trainable: Whether optimizers train its variables by default.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.
        renorm: Corrects what training normalizes, so that it is as by moving averages, up to
            clipping: batch renormalization.
        renorm_clipping: {"rmin", "rmax" or "dmax": bound}: the correction multiplies by `r`, in
            [rmin, rmax], and adds `d`, in [-dmax, dmax]; without bounds it is not clipped.
        renorm_momentum: How much each update keeps of the averages that corrections use.
        fused: False for no use of the op for images, which otherwise is used where it can be.
        virtual_batch_size: Batches of this size are normalized each by itself; it has to divide
            the number of rows. Variables then have all axes of the inputs, and one more.
        adjustment: Is called with the shape of the inputs, and gives (scale, offset), which in
            training the normalized values are multiplied by and added to.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The rank or the number of channels is not known, there is no such axis,
            `renorm_clipping` has other keys, or `virtual_batch_size` is not positive, or given
            with an adjustment or with axis 0.
    """
    layer = BatchNormalization(
        axis=axis,
        momentum=momentum,
        epsilon=epsilon,
        center=center,
        scale=scale,
        beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer,
        gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint,
        gamma_constraint=gamma_constraint,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum,
        fused=fused,
        trainable=trainable,
        virtual_batch_size=virtual_batch_size,
        adjustment=adjustment,
        name=name,
        _reuse=reuse,
        _scope=name,
    )
    outputs: Tensor = layer(inputs, training=training)
    return outputs
