"""What the layers of transposed convolutions have in common."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.layers.convolution import Convolution
from troupe._src.layers.windows import format_of_op, output_shape, unwindowed
from troupe._src.nn.conv_transpose_ops import conv2d_transpose, conv3d_transpose
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import ShapeLike, TensorShape


class Transposition(Convolution):
    """A transposed convolution, whose kernel has the outputs before the channels."""

    _config_only = {"output_padding": None}
    _config_ignored = ("dilation_rate",)

    def __init__(self, rank: int, **kwargs: Any) -> None:
        super().__init__(rank, dilation_rate=1, **kwargs)

    def build(self, input_shape: ShapeLike) -> None:
        channels = self._channels(input_shape)
        self._add_kernel([*self.kernel_size, self.filters, channels])
        self._add_bias()
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert_to_tensor(inputs)
        shape = self.compute_output_shape(tensor.shape)
        transpose: Any = conv2d_transpose if self.rank == 2 else conv3d_transpose
        outputs = transpose(
            tensor,
            self.kernel,
            self._sizes(tensor, shape),
            self.strides,
            self.padding.upper(),
            format_of_op(self.data_format, self.rank),
        )
        outputs.set_shape(shape)
        return self._finish(outputs)

    def _sizes(self, tensor: Any, shape: TensorShape) -> Any:
        """The shape of the result, with sizes of this step where they are unknown before."""
        if shape.is_fully_defined():
            return shape.as_list()
        first = 1 if self.data_format == "channels_last" else 2
        given = array_ops.unstack(array_ops.shape(tensor), self.rank + 2)
        sizes = []
        for axis, (size, own) in enumerate(zip(shape.as_list(), given)):
            at = axis - first
            if size is None and 0 <= at < self.rank:
                own = unwindowed(own, self.kernel_size[at], self.padding, self.strides[at])
            sizes.append(own if size is None else size)
        return array_ops.stack(sizes)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        def size_of(axis: int, size: Optional[int]) -> Optional[int]:
            found: Optional[int] = unwindowed(
                size, self.kernel_size[axis], self.padding, self.strides[axis]
            )
            return found

        return output_shape(input_shape, self.data_format, size_of, self.filters)
