"""Items of examples that are messages of features."""

from __future__ import annotations

import abc
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from troupe._src.control_flow.conditional import case, cond
from troupe._src.control_flow.functional import map_fn
from troupe._src.image.files import decode_image, is_jpeg
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import equal
from troupe._src.ops.sparse_tensor import SparseTensor as Sparse
from troupe._src.parsing.example_ops import parse_single_example
from troupe._src.parsing.feature_configs import FixedLenFeature
from troupe._src.parsing.parsing_ops import decode_raw
from troupe._src.set_module import set_module
from troupe._src.slim.data import DataDecoder
from troupe._src.sparse.arrangement import sparse_reshape
from troupe._src.sparse.conversions import sparse_tensor_to_dense
from troupe._src.types import dtypes

_PLACE = "troupe.contrib.slim.tfexample_decoder"


@set_module(_PLACE)
class ItemHandler(abc.ABC):
    """Makes one item of some features.

    Args:
        keys: The keys of the features, a list or a single one.
    """

    def __init__(self, keys: Union[str, Sequence[str]]) -> None:
        self._keys: Any = keys if isinstance(keys, (list, tuple)) else [keys]

    @property
    def keys(self) -> Any:
        """The keys of the features."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The item.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            A tensor.
        """


@set_module(_PLACE)
class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function.

    Args:
        keys: The keys of the features, a list or a single one.
        func: Is given {key: feature}.
    """

    def __init__(self, keys: Any, func: Callable[[Dict[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """What the function returns.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            The item.
        """
        return self._func(keys_to_tensors)


@set_module(_PLACE)
class BoundingBox(ItemHandler):
    """Boxes, [boxes, 4], of a feature for each side.

    Args:
        keys: The keys of the four sides; by default "ymin", "xmin", "ymax" and "xmax".
        prefix: What is before each key.

    Raises:
        ValueError: There are not four.
    """

    def __init__(self, keys: Optional[Sequence[str]] = None, prefix: str = "") -> None:
        sides = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(sides) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(sides)}")
        super().__init__([prefix + side for side in sides])

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The boxes.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            A tensor, [boxes, 4].
        """
        sides = [keys_to_tensors[key] for key in self._keys]
        dense = [side.values if isinstance(side, Sparse) else side for side in sides]
        rows = array_ops.concat([array_ops.expand_dims(side, 0) for side in dense], 0)
        return array_ops.transpose(rows)


def _dense(value: Any, default: Any = 0) -> Any:
    return sparse_tensor_to_dense(value, default) if isinstance(value, Sparse) else value


@set_module(_PLACE)
class Tensor(ItemHandler):
    """A feature as a dense tensor.

    Args:
        tensor_key: The key of the feature.
        shape_keys: The keys of features with its sizes, a list or a single one.
        shape: Its shape, instead.
        default_value: What a sparse feature has elsewhere.

    Raises:
        ValueError: There are both keys and a shape.
    """

    def __init__(
        self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys: List[str] = shape_keys or []
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *self._shape_keys])

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The tensor.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            It, in its shape.
        """
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            sizes = [_dense(keys_to_tensors[key]) for key in self._shape_keys]
            shape = array_ops.reshape(array_ops.stack(sizes), [-1])
        if isinstance(tensor, Sparse):
            tensor = tensor if shape is None else sparse_reshape(tensor, shape)
            return _dense(tensor, self._default_value)
        return tensor if shape is None else array_ops.reshape(tensor, shape)


@set_module(_PLACE)
class LookupTensor(Tensor):
    """A feature, looked up in a table.

    Args:
        tensor_key: The key of the feature.
        table: The table.
        shape_keys: The keys of features with its sizes, a list or a single one.
        shape: Its shape, instead.
        default_value: What a sparse feature has elsewhere, before it is looked up.
    """

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None,
        default_value: Any = "",
    ) -> None:  # fmt: skip
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The values of the table.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            A tensor.
        """
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


@set_module(_PLACE)
class BackupHandler(ItemHandler):
    """An item of one handler, or where that is empty, of another.

    Args:
        handler: The one.
        backup: The other.

    Raises:
        ValueError: One of them is no handler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for kind, each in (("Primary", handler), ("Backup", backup)):
            if not isinstance(each, ItemHandler):
                raise ValueError(f"{kind} handler is of type {type(each)} instead of ItemHandler")
        self._handler, self._backup = handler, backup
        super().__init__([*handler.keys, *backup.keys])

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The item.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            A tensor.
        """
        item = self._handler.tensors_to_item(keys_to_tensors)
        is_empty = equal(math_ops.reduce_prod(array_ops.shape(item)), 0)
        return cond(
            is_empty, lambda: self._backup.tensors_to_item(keys_to_tensors), lambda: item
        )


@set_module(_PLACE)
class SparseTensor(ItemHandler):
    """A sparse tensor of a feature with indices and one with values.

    Args:
        indices_key: The key of the indices along the last axis, by default "indices".
        values_key: The key of the values, by default "values".
        shape_key: The key of the shape.
        shape: The shape, instead; by default that of the indices.
        densify: Whether it is made dense.
        default_value: What it has elsewhere then.
    """

    def __init__(
        self, indices_key: Optional[str] = None, values_key: Optional[str] = None,
        shape_key: Optional[str] = None, shape: Any = None, densify: bool = False,
        default_value: Any = 0,
    ) -> None:  # fmt: skip
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        own = [self._indices_key, self._values_key]
        super().__init__([*own, shape_key] if shape_key else own)

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The tensor.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            A sparse tensor, or a dense one.
        """
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = self._shape or indices.dense_shape
        if self._shape_key:
            shape = _dense(keys_to_tensors[self._shape_key])
        last = array_ops.reshape(math_ops.cast(indices.values, dtypes.int64), [-1, 1])
        places = array_ops.concat([indices.indices[:, :-1], last], 1)
        tensor = Sparse(places, values.values, shape)
        return _dense(tensor, self._default_value) if self._densify else tensor


@set_module(_PLACE)
class Image(ItemHandler):
    """An image of its file, or of its bytes where the format is "raw".

    Args:
        image_key: The key of the bytes, by default "image/encoded".
        format_key: The key of the format, by default "image/format".
        shape: The shape of the image; None for that of the file.
        channels: How many channels it has.
        dtype: The dtype of its pixels; those of files are cast.
        repeated: Whether the feature has several images.
        dct_method: As that of `tf.image.decode_jpeg`.
    """

    def __init__(
        self, image_key: Optional[str] = None, format_key: Optional[str] = None, shape: Any = None,
        channels: int = 3, dtype: Any = dtypes.uint8, repeated: bool = False, dct_method: str = "",
    ) -> None:  # fmt: skip
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: Dict[str, Any]) -> Any:
        """The image.

        Args:
            keys_to_tensors: {key: feature}.

        Returns:
            A tensor, [height, width, channels], or a batch of them.
        """
        encoded, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return map_fn(lambda each: self._decoded(each, kind), encoded, dtype=self._dtype)
        return self._decoded(encoded, kind)

    def _decoded(self, encoded: Any, kind: Any) -> Any:
        def of_file() -> Any:
            return math_ops.cast(decode_image(encoded, channels=self._channels), self._dtype)

        def of_jpeg() -> Any:
            pixels = gen_ops.decode_jpeg(
                encoded, channels=self._channels, dct_method=self._dct_method
            )
            return math_ops.cast(pixels, self._dtype)

        def of_known_file() -> Any:
            # A picture of this format has a decoder that takes the method of its transform.
            return cond(is_jpeg(encoded), of_jpeg, of_file, name="cond_jpeg")

        is_raw = gen_ops.logical_or(equal(kind, "raw"), equal(kind, "RAW"))
        image = case(
            [(is_raw, lambda: decode_raw(encoded, out_type=self._dtype))],
            default=of_known_file,
            exclusive=True,
        )
        if self._shape is not None:
            return array_ops.reshape(image, self._shape)
        image.set_shape([None, None, self._channels])
        return image


@set_module(_PLACE)
class TFExampleDecoder(DataDecoder):
    """Makes the items of serialized `tf.train.Example`s.

    Args:
        keys_to_features: {key: how the feature is parsed}.
        items_to_handlers: {name of an item: what makes it}.
    """

    def __init__(
        self, keys_to_features: Dict[str, Any], items_to_handlers: Dict[str, ItemHandler]
    ) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> List[str]:
        """The names of the items."""
        return list(self._items_to_handlers)

    def decode(self, data: Any, items: Optional[Sequence[str]] = None) -> List[Any]:
        """The items of an example.

        Args:
            data: The serialized example.
            items: The names of the items; None for all.

        Returns:
            A tensor for each item.
        """
        example = parse_single_example(data, self._keys_to_features)
        for key, config in self._keys_to_features.items():
            if isinstance(config, FixedLenFeature):
                example[key] = array_ops.reshape(example[key], config.shape)
        handlers = [self._items_to_handlers[item] for item in items or self.list_items()]
        return [
            handler.tensors_to_item({key: example[key] for key in handler.keys})
            for handler in handlers
        ]
