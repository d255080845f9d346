"""Fields of messages of Protocol Buffers."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.types.dtypes import DTypeLike


class DecodeProtoV2(NamedTuple):
    """What `decode_proto` returns."""

    sizes: Tensor
    values: List[Tensor]


def decode_proto(
    bytes: TensorLike,  # noqa: A002
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[DTypeLike],
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: Optional[str] = None,
) -> DecodeProtoV2:
    """The values of some fields of messages.

    Args:
        bytes: The messages, strings of any shape, of which there is one at least.
        message_type: Their full name: "package.Message".
        field_names: The fields, by name, or extensions by full name.
        output_types: The dtype of each field: that of its type, or a wider one; string for
            messages, enums as int32.
        descriptor_source: A file that is a FileDescriptorSet, or "bytes://" and the bytes of one;
            "local://" for messages of TensorFlow.
        message_format: "binary" or "text".
        sanitize: Whether messages are checked, and written anew, first.
        name: The name of the node.

    Returns:
        `sizes`, int32, [..., fields], how many values a message has of each field; and `values`,
        for each field a tensor [..., most values of a message], filled up by its default.

    Raises:
        troupe.errors.InvalidArgumentError: In the step: there is no such type or field, or it
            cannot be of that dtype.
        troupe.errors.DataLossError: In the step: bytes are no message.
    """
    sizes, *values = raw_ops.DecodeProtoV2(
        bytes=bytes, message_type=message_type, field_names=list(field_names),
        output_types=list(output_types), descriptor_source=descriptor_source,
        message_format=message_format, sanitize=sanitize, name=name,
    )  # fmt: skip
    return DecodeProtoV2(sizes, values)


def encode_proto(
    sizes: TensorLike,
    values: Sequence[Any],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str = "local://",
    name: Optional[str] = None,
) -> Tensor:
    """Messages with the values of some fields.

    Args:
        sizes: int32, [..., fields], how many values a message gets of each field.
        values: For each field a tensor [..., values].
        field_names: The fields, by name.
        message_type: The full name of the messages: "package.Message".
        descriptor_source: As of `decode_proto`.
        name: The name of the node.

    Returns:
        Strings, [...].

    Raises:
        troupe.errors.InvalidArgumentError: In the step: there is no such type or field, it cannot
            be of that dtype, or shapes and sizes do not fit.
    """
    return raw_ops.EncodeProto(
        sizes=sizes, values=list(values), field_names=list(field_names),
        message_type=message_type, descriptor_source=descriptor_source, name=name,
    )  # fmt: skip
