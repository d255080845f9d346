"""What several tensors make up."""

from __future__ import annotations

import abc
from typing import Any


class CompositeTensor(abc.ABC):
    """The base class of what is made of tensors, such as sparse tensors.

    A class of a program's own says in `_type_spec` what its tensors are.
    """

    @property
    @abc.abstractmethod
    def _type_spec(self) -> Any:
        """A `tf.TypeSpec` of the object."""
