"""Generalized divisive normalization: each channel is divided by a norm of all channels."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, rearrange_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.train.custom_gradient import custom_gradient
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape

_AXES = {"channels_first": 1, "channels_last": -1}


@set_module("troupe.contrib.layers")
class GDN(Layer):
    """y[i] = x[i] / sqrt(beta[i] + sum over j of gamma[j, i] * x[j]^2), for all channels i and j.

    The variables are square roots of `beta` and `gamma`, so that training slows down near zero.

    Args:
        inverse: Multiplies instead, which is one step towards the inverse.
        beta_min: The least value of `beta`.
        gamma_init: What the first `gamma` has on its diagonal.
        reparam_offset: The least value of the variables, so that gradients do not vanish.
        data_format: "channels_last" or "channels_first".
        activity_regularizer: Makes a loss of the result.
        trainable: Whether optimizers train the variables by default.
        name: The name of the layer.
        **kwargs: Arguments of `Layer`.

    Raises:
        ValueError: The format is another one.
    """

    beta: Tensor
    gamma: Tensor

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Any = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        if data_format not in _AXES:
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self.inverse, self.data_format = inverse, data_format
        self._beta_min, self._gamma_init = beta_min, gamma_init
        self._offset = reparam_offset
        self.input_spec = InputSpec(min_ndim=3, max_ndim=5)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables.

        Args:
            input_shape: The shape of the inputs.

        Raises:
            ValueError: The number of channels is not known.
        """
        shape, axis = as_shape(input_shape), _AXES[self.data_format]
        channels = shape[axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self.input_spec = InputSpec(ndim=shape.rank, axes={axis: channels})
        pedestal = self._offset**2

        def first_beta(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            return gen_ops.sqrt(creation_ops.ones(shape, dtype) + pedestal)

        def first_gamma(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            eye = rearrange_ops.eye(shape[0], dtype=dtype)
            return gen_ops.sqrt(eye * self._gamma_init + pedestal)

        beta = self.add_weight("reparam_beta", [channels], initializer=first_beta)
        gamma = self.add_weight("reparam_gamma", [channels, channels], initializer=first_gamma)
        least_beta = (self._beta_min + pedestal) ** 0.5
        self.beta = gen_ops.square(at_least(beta, least_beta)) - pedestal
        self.gamma = gen_ops.square(at_least(gamma, self._offset)) - pedestal
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """The normalized inputs.

        Args:
            inputs: Floating point numbers, of rank 3 to 5.

        Returns:
            A tensor of the same shape.
        """
        x = convert_to_tensor(inputs, self._dtype)
        squares = gen_ops.square(x)
        axes: List[int] = list(range(len(x.shape)))
        is_first = self.data_format == "channels_first"
        if is_first:
            squares = array_ops.transpose(squares, [0, *axes[2:], 1])
        rows = array_ops.reshape(squares, array_ops.stack([-1, array_ops.shape(self.beta)[0]]))
        sums = math_ops.matmul(rows, self.gamma) + self.beta
        norms = gen_ops.sqrt(array_ops.reshape(sums, array_ops.shape(squares)))
        if is_first:
            norms = array_ops.transpose(norms, [0, axes[-1], *axes[1:-1]])
        outputs = x * norms if self.inverse else x / norms
        outputs.set_shape(x.shape)
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The static shape of the result.

        Args:
            input_shape: The static shape of the inputs.

        Returns:
            The same shape.

        Raises:
            ValueError: The rank is not from 3 to 5, or the number of channels is not known.
        """
        shape = as_shape(input_shape)
        if shape.rank not in (3, 4, 5):
            raise ValueError("`input_shape` must be of rank 3 to 5, inclusive.")
        if shape[_AXES[self.data_format]].value is None:
            raise ValueError("The channel dimension of `input_shape` must be defined.")
        return shape


def at_least(x: TensorLike, bound: float) -> Tensor:
    """The elements, or the bound where they are below it.

    Where they are, gradients pass that make them greater, and only those.

    Args:
        x: Floating point numbers.
        bound: The least result.

    Returns:
        A tensor of the same shape.
    """

    @custom_gradient
    def bounded(tensor: Tensor) -> Any:
        def grad(given: Tensor) -> Tensor:
            passes = gen_ops.logical_or(
                gen_ops.greater_equal(tensor, bound), gen_ops.less(given, 0.0)
            )
            return math_ops.cast(passes, given.dtype) * given

        return gen_ops.maximum(tensor, bound), grad

    result: Tensor = bounded(x)
    return result


def gdn(
    inputs: TensorLike, inverse: bool = False, beta_min: float = 1e-6, gamma_init: float = 0.1,
    reparam_offset: float = 2**-18, data_format: str = "channels_last",
    activity_regularizer: Any = None, trainable: bool = True, name: Optional[str] = None,
    reuse: Any = None,
) -> Tensor:  # fmt: skip
    """The result of a `GDN` layer, which is made for it.

    Args:
        inputs: Floating point numbers, of rank 3 to 5, with a known number of channels.
        inverse: Multiplies instead, which is one step towards the inverse.
        beta_min: The least value of `beta`.
        gamma_init: What the first `gamma` has on its diagonal.
        reparam_offset: The least value of the variables, so that gradients do not vanish.
        data_format: "channels_last" or "channels_first".
        activity_regularizer: Makes a loss of the result.
        trainable: Whether optimizers train the variables by default.
        name: The name of the layer, and of its scope.
        reuse: Takes the variables that the scope has.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The format or the rank is another one, or the number of channels is not known.
    """
    x = convert_to_tensor(inputs)
    layer = GDN(
        inverse, beta_min, gamma_init, reparam_offset, data_format, activity_regularizer,
        trainable, name, dtype=x.dtype.base_dtype, _scope=name, _reuse=reuse,
    )  # fmt: skip
    result: Tensor = layer.apply(x)
    return result
