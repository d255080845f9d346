"""Whether the samples of distributions have gradients."""

from __future__ import annotations

from troupe._src.set_module import set_module


@set_module("troupe.distributions")
class ReparameterizationType:
    """Whether samples are functions of the parameters, which have gradients."""

    def __init__(self, rep_type: str) -> None:
        """One of the two ways.

        Args:
            rep_type: What is printed.
        """
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameteriation Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")
