"""What is known of a value before a step computes it."""

from __future__ import annotations

from typing import Any

from troupe._src.set_module import set_module


@set_module("troupe")
class TypeSpec:
    """What is known of a value: its class, with dtypes and shapes. Kinds of it say of what."""

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value can be both: what this, and what the other specification says.

        Args:
            spec_or_value: A specification, or a value.

        Returns:
            The answer.
        """
        other = self._spec_of(spec_or_value)
        return type(other) is type(self) and self._fits(other)

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """What is known of values of which this, or the other specification, is known.

        Args:
            other: The other specification.

        Returns:
            A specification of the same kind.

        Raises:
            ValueError: There is none.
        """
        if type(other) is not type(self):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self._common(other)

    def _spec_of(self, value: Any) -> Any:
        """The specification of a value, or of one of this kind what says as much; None for none."""
        return value if isinstance(value, TypeSpec) else getattr(value, "_type_spec", None)

    def _fits(self, other: Any) -> bool:
        """As `is_compatible_with`, with a specification of the same kind."""
        raise NotImplementedError(f"{type(self).__name__}.is_compatible_with")

    def _common(self, other: Any) -> TypeSpec:
        """As `most_specific_compatible_type`, with one of the same kind."""
        raise NotImplementedError(f"{type(self).__name__}.most_specific_compatible_type")

    def _key(self) -> Any:
        """What makes it differ from others of its kind."""
        raise NotImplementedError(f"{type(self).__name__}._key")

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and bool(self._key() == other._key())

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__}.__hash__")


class BatchableTypeSpec(TypeSpec):
    """The base class of specifications of what batches may be made of."""
