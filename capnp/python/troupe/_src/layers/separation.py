"""What the layers of separable convolutions have in common."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.layers.convolution import Convolution
from troupe._src.layers.windows import format_of_op
from troupe._src.nn import nn_ops
from troupe._src.nn.depthwise_ops import separable_conv2d
from troupe._src.nn.windows import line_of_images, sizes
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import ShapeLike


class Separation(Convolution):
    """A separable convolution: `depth_multiplier` filters of each channel, then a mixture."""

    _config_names = tuple(
        each for each in Convolution._config_names if not each.startswith("kernel_")
    ) + (
        "kernel_size", "depth_multiplier", "depthwise_initializer", "pointwise_initializer",
        "depthwise_regularizer", "pointwise_regularizer", "depthwise_constraint",
        "pointwise_constraint",
    )  # fmt: skip
    # Without effect: there is no kernel but these two.
    _config_only: Dict[str, Any] = {
        "kernel_initializer": {
            "class_name": "GlorotUniform",
            "config": {"seed": None, "dtype": "float32"},
        },
        "kernel_regularizer": None,
        "kernel_constraint": None,
    }

    def __init__(
        self,
        rank: int,
        depth_multiplier: int = 1,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        depthwise_regularizer: Optional[Callable[[Any], Any]] = None,
        pointwise_regularizer: Optional[Callable[[Any], Any]] = None,
        depthwise_constraint: Optional[Callable[[Any], Any]] = None,
        pointwise_constraint: Optional[Callable[[Any], Any]] = None,
        **kwargs: Any,
    ) -> None:
        """Sets what separable convolutions have in common.

        Args:
            rank: The number of dimensions.
            depth_multiplier: How many channels are made of each by its own window, before they are
                combined.
            depthwise_initializer: Makes the first values of the windows of channels; None for the
                scope's default.
            pointwise_initializer: Makes the first values of what combines channels; None for the
                scope's default.
            depthwise_regularizer: Makes a loss of the windows of channels, which is added to
                REGULARIZATION_LOSSES.
            pointwise_regularizer: Makes a loss of what combines channels, likewise.
            depthwise_constraint: Is applied to the windows of channels after an optimizer has
                updated them.
            pointwise_constraint: Is applied to what combines channels after an optimizer has
                updated it.
            **kwargs: Arguments of `Layer`.

        Raises:
            ValueError: An argument has another form.
        """
        super().__init__(rank, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        self._resolve_arguments()
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        channels = self._channels(input_shape)
        filters = self.depth_multiplier * channels
        self.depthwise_kernel = self._add(
            "depthwise", [*self.kernel_size, channels, self.depth_multiplier]
        )
        self.pointwise_kernel = self._add("pointwise", [1] * self.rank + [filters, self.filters])
        self._add_bias()
        self.built = True

    def _add(self, kind: str, shape: Any) -> Any:
        return self.add_weight(
            f"{kind}_kernel",
            shape,
            initializer=getattr(self, f"{kind}_initializer"),
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert_to_tensor(inputs)
        channels = self.rank + 1 if self.data_format == "channels_last" else 1
        strides = sizes(self.strides, self.rank + 2, channels, "strides")
        padding = self.padding.upper()
        if self.rank == 2:
            outputs = separable_conv2d(
                tensor,
                self.depthwise_kernel,
                self.pointwise_kernel,
                strides,
                padding,
                self.dilation_rate,
                data_format=format_of_op(self.data_format, 2),
            )
            return self._finish(outputs)
        if padding == "CAUSAL":
            tensor, padding = self._padded_before(tensor), "VALID"
        line = line_of_images(tensor, channels)
        outputs = separable_conv2d(
            line.images,
            array_ops.expand_dims(self.depthwise_kernel, 0),
            array_ops.expand_dims(self.pointwise_kernel, 0),
            _square(strides, line.height_axis),
            padding,
            [1, *self.dilation_rate],
            data_format=line.data_format,
        )
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias, line.data_format)
        sequences = line.sequences(outputs)
        return self.activation(sequences)


def _square(strides: Any, height_axis: int) -> Any:
    """The strides of images of height 1: the same for both axes of space, as the op demands."""
    return [*strides[:height_axis], max(strides), *strides[height_axis:]]
