"""Convolutions, their gradients, and pools, of images with channels last."""

import dataclasses

from .case import Case, case, gradient
from .operands import floats


@dataclasses.dataclass(frozen=True)
class Convolution:
    """Of square images by square filters."""

    batch: int
    size: int
    channels: int
    filters: int
    kernel: int
    stride: int = 1

    @property
    def name(self):
        images = f"{self.batch}x{self.size}x{self.size}x{self.channels}"
        stride = f"_stride_{self.stride}" if self.stride > 1 else ""
        return f"{images}_by_{self.kernel}x{self.kernel}x{self.filters}{stride}"

    @property
    def image_shape(self):
        return [self.batch, self.size, self.size, self.channels]

    @property
    def filter_shape(self):
        return [self.kernel, self.kernel, self.channels, self.filters]

    @property
    def output_shape(self):
        size = (self.size + self.stride - 1) // self.stride
        return [self.batch, size, size, self.filters]

    @property
    def strides(self):
        return [1, self.stride, self.stride, 1]

    def forward(self) -> Case:
        return case(
            lambda tf, x, w: tf.nn.conv2d(x, w, strides=self.strides, padding="SAME"),
            floats(*self.image_shape),
            floats(*self.filter_shape),
        )

    def to_images(self) -> Case:
        return case(
            lambda tf, w, dy: tf.nn.conv2d_backprop_input(
                self.image_shape, w, dy, self.strides, "SAME"
            ),
            floats(*self.filter_shape),
            floats(*self.output_shape),
        )

    def to_filter(self) -> Case:
        return case(
            lambda tf, x, dy: tf.nn.conv2d_backprop_filter(
                x, self.filter_shape, dy, self.strides, "SAME"
            ),
            floats(*self.image_shape),
            floats(*self.output_shape),
        )


FORWARD = [
    Convolution(batch=1, size=56, channels=64, filters=64, kernel=3),
    Convolution(batch=1, size=14, channels=256, filters=256, kernel=3),
    Convolution(batch=1, size=7, channels=512, filters=512, kernel=3),
    Convolution(batch=8, size=56, channels=64, filters=64, kernel=3),
    Convolution(batch=8, size=28, channels=128, filters=128, kernel=3),
    Convolution(batch=8, size=14, channels=256, filters=256, kernel=3),
    Convolution(batch=8, size=7, channels=512, filters=512, kernel=3),
    Convolution(batch=8, size=28, channels=192, filters=64, kernel=3),
    Convolution(batch=8, size=56, channels=64, filters=256, kernel=1),
    Convolution(batch=8, size=28, channels=512, filters=128, kernel=1),
    Convolution(batch=8, size=224, channels=3, filters=64, kernel=7, stride=2),
    Convolution(batch=8, size=56, channels=128, filters=128, kernel=3, stride=2),
    Convolution(batch=32, size=28, channels=1, filters=32, kernel=5),
]
BACKWARD = [
    Convolution(batch=8, size=56, channels=64, filters=64, kernel=3),
    Convolution(batch=8, size=14, channels=256, filters=256, kernel=3),
    Convolution(batch=8, size=7, channels=512, filters=512, kernel=3),
    Convolution(batch=8, size=56, channels=64, filters=256, kernel=1),
    Convolution(batch=8, size=112, channels=3, filters=64, kernel=7, stride=2),
    Convolution(batch=8, size=56, channels=128, filters=128, kernel=3, stride=2),
    Convolution(batch=64, size=28, channels=1, filters=32, kernel=5),
    Convolution(batch=64, size=14, channels=32, filters=64, kernel=5),
]


def _depthwise(tf, x, w):
    return tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")


def _transposed(batch):
    """It doubles the size of images."""
    return case(
        lambda tf, x, w: tf.nn.conv2d_transpose(
            x, w, output_shape=[batch, 56, 56, 32], strides=[1, 2, 2, 1]
        ),
        floats(batch, 28, 28, 64),
        floats(3, 3, 32, 64),
    )


def _max_pool(window):
    return lambda tf, x: tf.nn.max_pool(x, [1, window, window, 1], [1, 2, 2, 1], "SAME")


def _avg_pool(tf, x):
    return tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")


OTHER_CONVOLUTIONS = {
    "depthwise_conv2d": case(_depthwise, floats(8, 56, 56, 128), floats(3, 3, 128, 1)),
    "depthwise_conv2d_of_1_image": case(_depthwise, floats(1, 112, 112, 32), floats(3, 3, 32, 1)),
    "depthwise_conv2d_gradient_to_filter": gradient(
        _depthwise, floats(8, 28, 28, 64), floats(3, 3, 64, 1), to=1
    ),
    "separable_conv2d": case(
        lambda tf, x, depthwise, pointwise: tf.nn.separable_conv2d(
            x, depthwise, pointwise, [1, 1, 1, 1], "SAME"
        ),
        floats(8, 28, 28, 64),
        floats(3, 3, 64, 1),
        floats(1, 1, 64, 128),
    ),
    "dilated_conv2d": case(
        lambda tf, x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", dilations=[1, 2, 2, 1]),
        floats(8, 28, 28, 64),
        floats(3, 3, 64, 64),
    ),
    "conv2d_transpose": _transposed(batch=8),
    "conv2d_transpose_of_1_image": _transposed(batch=1),
    "conv1d": case(
        lambda tf, x, w: tf.nn.conv1d(x, w, 1, "SAME"), floats(16, 512, 64), floats(5, 64, 64)
    ),
    "conv3d": case(
        lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"),
        floats(2, 16, 28, 28, 16),
        floats(3, 3, 3, 16, 32),
    ),
}

POOLS = {
    "max_pool_3x3": case(_max_pool(3), floats(8, 112, 112, 64)),
    "max_pool_2x2": case(_max_pool(2), floats(32, 28, 28, 32)),
    "max_pool_gradient": gradient(_max_pool(3), floats(8, 112, 112, 64)),
    "avg_pool_3x3": case(_avg_pool, floats(8, 112, 112, 64)),
    "avg_pool_gradient": gradient(_avg_pool, floats(8, 112, 112, 64)),
}

CASES = {
    **{f"conv2d_{each.name}": each.forward() for each in FORWARD},
    **{f"conv2d_to_images_{each.name}": each.to_images() for each in BACKWARD},
    **{f"conv2d_to_filter_{each.name}": each.to_filter() for each in BACKWARD},
    **OTHER_CONVOLUTIONS,
    **POOLS,
}
