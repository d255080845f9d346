"""Nested values as messages, as `tensorflow.python.saved_model.nested_structure_coder` has it."""

from __future__ import annotations

from typing import Any

from troupe._src.messages.meta_graph_messages import StructuredValue
from troupe._src.object_saved_models.structures import can_be_encoded, decode, encode


class NotEncodableError(Exception):
    """A value is of a kind that messages do not have."""


class StructureCoder:
    """Makes messages of nested values, and values of messages."""

    def encode_structure(self, nested_structure: Any) -> StructuredValue:
        """A value as a message.

        Args:
            nested_structure: None, a number, a string, a shape, a dtype, a `tf.TensorSpec`, or
                lists, tuples and dicts of such.

        Returns:
            The message.

        Raises:
            NotEncodableError: The value is something else.
        """
        try:
            return encode(nested_structure)
        except TypeError as error:
            raise NotEncodableError(
                f"No encoder for object [{nested_structure}] of type [{type(nested_structure)}]."
            ) from error

    def can_encode(self, nested_structure: Any) -> bool:
        """Whether `encode_structure` knows it."""
        return can_be_encoded(nested_structure)

    def decode_proto(self, proto: StructuredValue) -> Any:
        """The value of a message.

        Args:
            proto: What `encode_structure` gives.

        Returns:
            The value; named tuples are of new classes.

        Raises:
            ValueError: It is of a kind that is not known here.
        """
        return decode(proto)
