"""Arrays of tensors that a step writes and reads, element by element."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Iterator, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import get_static_value, identity, shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast, range
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


@dataclasses.dataclass
class _Known:
    """What is known of an array while the graph is built, by all objects that stand for it."""

    element_shape: TensorShape
    first_written: Optional[Tensor] = None


@set_module("troupe")
class TensorArray:
    """An array whose elements a step writes once each, and reads.

    The array ends with the step. What changes it returns another `TensorArray`, whose `flow` makes
    all that is done with it happen afterwards; the older object is used no more.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: Optional[TensorLike] = None,
        dynamic_size: Optional[bool] = None,
        clear_after_read: Optional[bool] = None,
        tensor_array_name: Optional[str] = None,
        handle: Optional[Tensor] = None,
        flow: Optional[Tensor] = None,
        infer_shape: bool = True,
        element_shape: ShapeLike = None,
        colocate_with_first_write_call: bool = True,
        name: Optional[str] = None,
    ) -> None:
        """Adds an array to the graph, or stands for the one with that handle and flow.

        Args:
            dtype: The dtype of the elements.
            size: How many elements it has, an int32 scalar; not with a handle.
            dynamic_size: A write beyond the end makes it longer; by default it does not.
            clear_after_read: An element can be read once, and is freed then; the default, unless it
                is False.
            tensor_array_name: A name for the array; by default that of its node.
            handle: The handle of an array that exists.
            flow: The flow of that array: the scalar that orders reads after writes.
            infer_shape: Demands one shape of all elements.
            element_shape: The shape of each element, as far as it is known.
            colocate_with_first_write_call: The array is on the device of the first tensor that is
                written; with False on that of the scope.

        Raises:
            ValueError: There are a handle and options of a new array, a handle without its flow, or
                neither a handle nor a size.
            TypeError: The handle is no tensor.
        """
        options = {
            "size": size,
            "element_shape": element_shape,
            "dynamic_size": dynamic_size,
            "clear_after_read": clear_after_read,
            "tensor_array_name": tensor_array_name,
        }
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._colocates = colocate_with_first_write_call
        self._known = _Known(as_shape(element_shape))
        if handle is not None:
            for option, value in options.items():
                if value is not None:
                    raise ValueError(f"An array has a handle or {option}, not both")
            if not isinstance(handle, Tensor):
                raise TypeError(f"The handle must be a Tensor, not {handle!r}")
            if flow is None:
                raise ValueError("The array of a handle needs its flow")
            self._handle, self._flow = handle, flow
            return
        if size is None:
            raise ValueError("A new array needs a size")
        graph = get_default_graph()
        anywhere: Any = graph.device(None) if self._colocates else contextlib.nullcontext()
        with anywhere:
            self._handle, self._flow = raw_ops.TensorArrayV3(
                size=size,
                dtype=self._dtype,
                element_shape=self._known.element_shape,
                dynamic_size=self._dynamic_size,
                clear_after_read=clear_after_read is not False,
                identical_element_shapes=infer_shape,
                tensor_array_name=tensor_array_name or "",
                name=name or "TensorArray",
            )

    @property
    def flow(self) -> Tensor:
        """A tensor that is there when all has been done that led to this array."""
        return self._flow

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The tensor that stands for the array in a step."""
        return self._handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of elements while the graph is built."""
        return self._known.element_shape

    @property
    def dynamic_size(self) -> bool:
        """Whether a write beyond the end makes it longer."""
        return self._dynamic_size

    def identity(self) -> TensorArray:
        """The same array, after the control dependencies of the scope."""
        return self._after(identity(self._flow))

    def grad(
        self, source: str, flow: Optional[Tensor] = None, name: Optional[str] = None
    ) -> TensorArray:
        """Its gradient array, which sums what is written to an element.

        Args:
            source: The name of the gradient; each name has its own array.
            flow: The flow after which the array is read; by default the own one.

        Returns:
            An array of the same size.
        """
        flow = self._flow if flow is None else flow
        graph = get_default_graph()
        with graph.name_scope(name or "TensorArrayGrad"), self._on_its_device():
            handle, _ = raw_ops.TensorArrayGradV3(
                handle=self._handle, flow_in=flow, source=source, name=name
            )
            # As the forward array has its size only when its flow is there.
            with graph.control_dependencies([handle]):
                flow = identity(flow, name="gradient_flow")
        gradient = TensorArray(
            self._dtype,
            handle=handle,
            flow=flow,
            infer_shape=self._infer_shape,
            colocate_with_first_write_call=False,
        )
        gradient._known = self._known
        return gradient

    def read(self, index: TensorLike, name: Optional[str] = None) -> Tensor:
        """An element.

        Args:
            index: Its index, an int32 scalar.

        Returns:
            A tensor of the shape of elements.
        """
        with self._on_its_device():
            value: Tensor = raw_ops.TensorArrayReadV3(
                handle=self._handle, index=index, flow_in=self._flow, dtype=self._dtype, name=name
            )
        value.set_shape(self.element_shape)
        return value

    def write(
        self, index: TensorLike, value: TensorLike, name: Optional[str] = None
    ) -> TensorArray:
        """The array with one more element, which nothing may have written or read before.

        Args:
            index: Its index, an int32 scalar.
            value: The element.

        Returns:
            The array after the write; this object stands for the one before.

        Raises:
            ValueError: The shape is not that of the other elements.
        """
        with get_default_graph().name_scope(name or "TensorArrayWrite"):
            tensor = self._to_write(value)
            self._check_shape(tensor.shape)
            with self._on_device_of(tensor):
                flow = raw_ops.TensorArrayWriteV3(
                    handle=self._handle, index=index, value=tensor, flow_in=self._flow, name=name
                )
        return self._after(flow)

    def stack(self, name: Optional[str] = None) -> Tensor:
        """All elements, which have one shape, as the rows of a tensor."""
        with get_default_graph().name_scope(name or "TensorArrayStack"), self._on_its_device():
            return self.gather(range(0, self.size()), name=name)

    def gather(self, indices: TensorLike, name: Optional[str] = None) -> Tensor:
        """Several elements of one shape as the rows of a tensor.

        Args:
            indices: Their indices, an int32 vector.

        Returns:
            A tensor, [number of indices, shape of an element].
        """
        with self._on_its_device():
            value: Tensor = raw_ops.TensorArrayGatherV3(
                handle=self._handle,
                indices=indices,
                flow_in=self._flow,
                dtype=self._dtype,
                element_shape=self.element_shape,
                name=name,
            )
        if self.element_shape.rank is not None:
            value.set_shape([None, *self.element_shape.as_list()])
        return value

    def concat(self, name: Optional[str] = None) -> Tensor:
        """All elements, concatenated along axis 0."""
        row = self.element_shape[1:]
        with self._on_its_device():
            value, _ = raw_ops.TensorArrayConcatV3(
                handle=self._handle,
                flow_in=self._flow,
                dtype=self._dtype,
                element_shape_except0=row,
                name=name,
            )
        if row.rank is not None:
            value.set_shape([None, *row.as_list()])
        concatenated: Tensor = value
        return concatenated

    def unstack(self, value: TensorLike, name: Optional[str] = None) -> TensorArray:
        """The array with the rows of `value` as its first elements.

        Args:
            value: A tensor of rank 1 or more.

        Returns:
            The array after the writes.

        Raises:
            ValueError: The shape of a row is not that of the other elements.
        """
        with get_default_graph().name_scope(name or "TensorArrayUnstack"):
            tensor = self._to_write(value)
            return self.scatter(range(0, shape(tensor)[0]), tensor, name=name)

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: Optional[str] = None
    ) -> TensorArray:
        """The array with the rows of `value` at `indices`.

        Args:
            indices: The indices, an int32 vector.
            value: A tensor with a row for each of them.

        Returns:
            The array after the writes.

        Raises:
            ValueError: The shape of a row is not that of the other elements.
        """
        with get_default_graph().name_scope(name or "TensorArrayScatter"):
            tensor = self._to_write(value)
            self._check_shape(tensor.shape[1:])
            with self._on_device_of(tensor):
                flow = raw_ops.TensorArrayScatterV3(
                    handle=self._handle,
                    indices=indices,
                    value=tensor,
                    flow_in=self._flow,
                    name=name,
                )
        return self._after(flow)

    def split(
        self, value: TensorLike, lengths: TensorLike, name: Optional[str] = None
    ) -> TensorArray:
        """The array with parts of a tensor along axis 0 as its elements.

        Args:
            value: A tensor of rank 1 or more.
            lengths: The first size of each part, an int vector whose sum is that of `value`.

        Returns:
            The array after the writes.

        Raises:
            ValueError: The shape of a part is not that of the other elements.
        """
        with get_default_graph().name_scope(name or "TensorArraySplit"):
            tensor = convert_to_tensor(value, self._dtype, name="value")
            lengths = convert_to_tensor(lengths)
            known = get_static_value(lengths)
            if known is not None and known.ndim == 1 and len(set(known.tolist())) == 1:
                if tensor.shape.rank is not None:
                    self._check_shape(TensorShape([int(known[0])]).concatenate(tensor.shape[1:]))
            with self._on_device_of(tensor):
                flow = raw_ops.TensorArraySplitV3(
                    handle=self._handle,
                    value=tensor,
                    lengths=cast(lengths, dtypes.int64),
                    flow_in=self._flow,
                    name=name,
                )
        return self._after(flow)

    def size(self, name: Optional[str] = None) -> Tensor:
        """The number of elements."""
        with self._on_its_device():
            size: Tensor = raw_ops.TensorArraySizeV3(
                handle=self._handle, flow_in=self._flow, name=name
            )
        return size

    def close(self, name: Optional[str] = None) -> Operation:
        """An operation that frees the elements before the step ends."""
        with self._on_its_device():
            operation: Operation = raw_ops.TensorArrayCloseV3(handle=self._handle, name=name)
        return operation

    def mark_used(self) -> None:
        """Has no effect: only TensorFlow warns of arrays that are not used."""

    def _after(self, flow: Tensor) -> TensorArray:
        """The same array when that flow is there."""
        array = TensorArray(
            self._dtype,
            handle=self._handle,
            flow=flow,
            infer_shape=self._infer_shape,
            colocate_with_first_write_call=self._colocates,
        )
        array._dynamic_size = self._dynamic_size
        array._known = self._known
        return array

    def _to_write(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value, name="value", preferred_dtype=self._dtype)
        if tensor.dtype != self._dtype:
            logging.error(
                "%r is written to a TensorArray of %s: the step that does so fails.",
                tensor,
                self._dtype.name,
            )
        return tensor

    def _check_shape(self, written: TensorShape) -> None:
        known = self._known.element_shape
        if not written.is_compatible_with(known):
            raise ValueError(f"Shapes of elements are not one: {written} and {known}")
        if self._infer_shape:
            self._known.element_shape = known.merge_with(written)

    def _on_its_device(self) -> Any:
        # What uses the array runs where it is, whatever the device of the scope.
        return get_default_graph().colocate_with(self._handle)

    @contextlib.contextmanager
    def _on_device_of(self, value: Tensor) -> Iterator[None]:
        if not self._colocates:
            with self._on_its_device():
                yield
            return
        if self._known.first_written is None:
            self._known.first_written = value
        with get_default_graph().colocate_with(self._known.first_written):
            yield
