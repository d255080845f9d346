"""What is known of matrices that are known by what they do: their shape, and hints."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.linalg.batch_ops import static_or_shape
from troupe._src.module_scopes.module_like import ModuleLike
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.dimensions import Dimension
from troupe._src.types.shapes import TensorShape


def is_variable(value: Any) -> bool:
    """Whether a value is a variable, whose class is defined above this module."""
    return hasattr(value, "read_value") and hasattr(value, "initializer")


class DescribedOperator(ModuleLike):
    """What is known of a batch of matrices: its shape, and hints, of which None is not known.

    Args:
        dtype: The dtype of the elements.
        graph_parents: The tensors that it is made of.
        is_non_singular: Whether all matrices have an inverse.
        is_self_adjoint: Whether they equal their adjoints.
        is_positive_definite: Whether x* A x has a positive real part for all x but 0.
        is_square: Whether there are as many rows as columns.
        name: The name scope of its nodes.

    Raises:
        ValueError: The hints exclude each other.
    """

    _arguments: Tuple[Any, ...] = ()  # what an operator was made of

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        operator = super().__new__(cls)
        operator._arguments = (*args, *kwargs.values())
        return operator

    def __init__(
        self,
        dtype: Optional[DTypeLike],
        graph_parents: Optional[Sequence[Any]] = None,
        is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        # A class of a program that computes nothing itself may have none.
        self._dtype = as_dtype(dtype).base_dtype if dtype else dtype
        self._graph_parents = list(graph_parents or [])
        self._is_non_singular, self._is_self_adjoint = is_non_singular, is_self_adjoint
        self._is_positive_definite, self._is_square = is_positive_definite, is_square
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(self, name: Optional[str]) -> Iterator[None]:
        graph = get_default_graph()
        with graph.name_scope(self._name), graph.name_scope(name):
            yield

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name scope of its nodes."""
        return self._name

    @property
    def graph_parents(self) -> List[Any]:
        """The tensors that it is made of."""
        return self._graph_parents

    @property
    def variables(self) -> Tuple[Any, ...]:
        """The variables that it was made of, also those of the operators that it was made of."""
        found: List[Any] = []
        for each in self._arguments:
            for value in each if isinstance(each, (list, tuple)) else (each,):
                if isinstance(value, DescribedOperator):
                    found.extend(value.variables)
                elif is_variable(value):
                    found.append(value)
        return tuple({id(each): each for each in found}.values())

    @property
    def trainable_variables(self) -> Tuple[Any, ...]:
        """Those of them that optimizers train."""
        return tuple(each for each in self.variables if each.trainable)

    @property
    def is_non_singular(self) -> Optional[bool]:
        """Whether all matrices have an inverse."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> Optional[bool]:
        """Whether they equal their adjoints."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> Optional[bool]:
        """Whether x* A x has a positive real part for all x but 0."""
        return self._is_positive_definite

    @property
    def is_square(self) -> Optional[bool]:
        """Whether there are as many rows as columns."""
        columns, rows = self.domain_dimension.value, self.range_dimension.value
        if columns is None or rows is None:
            return self._is_square
        if columns == rows and self._is_square is False:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return bool(columns == rows)

    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Tensor:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """[..., rows, columns], as far as it is known."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape as a tensor, a constant where it is known."""
        with self._name_scope(name):
            return static_or_shape(self.shape, self._shape_tensor)

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without rows and columns, as far as it is known."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape without rows and columns, as a tensor."""
        with self._name_scope(name):
            return static_or_shape(self.batch_shape, lambda: self._shape_tensor()[:-2])

    @property
    def tensor_rank(self) -> Optional[int]:
        """How many axes the shape has; None where it is not known."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The same as a tensor."""
        with self._name_scope(name):
            if self.tensor_rank is not None:
                return convert_to_tensor(self.tensor_rank)
            return array_ops.size(self.shape_tensor())

    @property
    def domain_dimension(self) -> Dimension:
        """How many columns there are, as far as it is known."""
        return Dimension(self.shape.as_list()[-1] if self.shape.rank else None)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """How many columns there are, as a tensor."""
        with self._name_scope(name):
            known = self.domain_dimension.value
            return self.shape_tensor()[-1] if known is None else convert_to_tensor(known)

    @property
    def range_dimension(self) -> Dimension:
        """How many rows there are, as far as it is known."""
        return Dimension(self.shape.as_list()[-2] if self.shape.rank else None)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """How many rows there are, as a tensor."""
        with self._name_scope(name):
            known = self.range_dimension.value
            return self.shape_tensor()[-2] if known is None else convert_to_tensor(known)
