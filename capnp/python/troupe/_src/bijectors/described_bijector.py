"""What bijectors are told of: their parameters, dtypes, shapes and scopes."""

from __future__ import annotations

import abc
import contextlib
import re
from typing import Any, Dict, Iterator, List, Optional, Sequence

from troupe._src.bijectors.pairs import Pairs
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


class DescribedBijector(abc.ABC):
    """The attributes of a bijector, and the shapes of its values."""

    @abc.abstractmethod
    def __init__(
        self,
        graph_parents: Optional[Sequence[Any]] = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: Any = None,
        forward_min_event_ndims: Optional[int] = None,
        inverse_min_event_ndims: Optional[int] = None,
        name: Optional[str] = None,
    ) -> None:
        """For the constructors of classes of bijectors.

        Args:
            graph_parents: The tensors of the parameters.
            is_constant_jacobian: Whether the Jacobian is the same for all x.
            validate_args: Whether steps check the parameters and the values.
            dtype: The dtype of x and y; None for any.
            forward_min_event_ndims: The rank of the smallest x that is one event.
            inverse_min_event_ndims: The rank of the smallest y; by default the same.
            name: The name scope of its nodes, by default of the class.

        Raises:
            ValueError: A rank is negative or neither is given, or a parent is not a tensor.
            TypeError: A rank is no integer.
        """
        self._graph_parents = list(graph_parents or [])
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise ValueError(
                "Must specify at least one of `forward_min_event_ndims` and "
                "`inverse_min_event_ndims`."
            )
        self._ranks: List[int] = []
        ranks = [forward_min_event_ndims, inverse_min_event_ndims]
        for index, text in enumerate(("forward_min_event_ndims", "inverse_min_event_ndims")):
            rank = ranks[1 - index] if ranks[index] is None else ranks[index]
            if not isinstance(rank, int):
                raise TypeError(
                    f"Expected {text} to be of type int, got {type(rank).__name__}"
                )
            if rank < 0:
                raise ValueError(f"{text} must be a non-negative integer.")
            self._ranks.append(rank)
        self._is_constant_jacobian, self._validate_args = is_constant_jacobian, validate_args
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._pairs = Pairs()
        self._constants: Dict[Any, Tensor] = {}
        self._name = name or _in_small_letters(type(self).__name__.lstrip("_"))
        for index, each in enumerate(self._graph_parents):
            if each is None or not is_tensor(each):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {each}.")

    @property
    def graph_parents(self) -> List[Any]:
        """The tensors of the parameters."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> int:
        """The rank of the smallest x that is one event."""
        return self._ranks[0]

    @property
    def inverse_min_event_ndims(self) -> int:
        """The rank of the smallest y that is one event."""
        return self._ranks[1]

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the Jacobian is the same for all x."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self) -> bool:
        """Whether each y has one x; else the inverse gives a tuple of the x of all branches."""
        return True

    @property
    def validate_args(self) -> bool:
        """Whether steps check the parameters and the values."""
        return self._validate_args

    @property
    def dtype(self) -> Any:
        """The dtype of x and y; None for any."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name scope of its nodes."""
        return self._name

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        return input_shape

    def forward_event_shape_tensor(
        self, input_shape: Any, name: str = "forward_event_shape_tensor"
    ) -> Any:
        """The sizes of the y of an x, int32.

        Args:
            input_shape: The sizes of an x.

        Returns:
            The sizes, a tensor.
        """
        with self._name_scope(name):
            sizes = convert_to_tensor(input_shape, dtypes.int32)
            return self._forward_event_shape_tensor(sizes)

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        return input_shape

    def forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The sizes of the y of an x, as far as they are known.

        Args:
            input_shape: The sizes of an x.

        Returns:
            The shape.
        """
        return as_shape(self._forward_event_shape(as_shape(input_shape)))

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        return output_shape

    def inverse_event_shape_tensor(
        self, output_shape: Any, name: str = "inverse_event_shape_tensor"
    ) -> Any:
        """The sizes of the x of a y, int32.

        Args:
            output_shape: The sizes of a y.

        Returns:
            The sizes, a tensor.
        """
        with self._name_scope(name):
            sizes = convert_to_tensor(output_shape, dtypes.int32)
            return self._inverse_event_shape_tensor(sizes)

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        return output_shape

    def inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        """The sizes of the x of a y, as far as they are known.

        Args:
            output_shape: The sizes of a y.

        Returns:
            The shape.
        """
        return as_shape(self._inverse_event_shape(as_shape(output_shape)))

    @contextlib.contextmanager
    def _name_scope(self, name: Optional[str] = None, values: Any = None) -> Iterator[str]:
        with name_scope(self.name), name_scope(name) as scope:
            yield scope

    def _argument(self, value: Any, name: str) -> Tensor:
        tensor = convert_to_tensor(value, name=name)
        if self.dtype is not None and self.dtype.base_dtype != tensor.dtype.base_dtype:
            raise TypeError(
                f"Input had dtype {tensor.dtype.name} but expected {self.dtype.base_dtype.name}."
            )
        return tensor


def _in_small_letters(name: str) -> str:
    """A name in CamelCase as one with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", name).lower()
