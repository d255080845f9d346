"""The operators of tensors and variables: each adds a node to the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple, TypeVar

if TYPE_CHECKING:
    from troupe._src.graph.elements import Tensor


Function = TypeVar("Function", bound=Callable[..., Any])

_functions: Dict[str, Callable[..., Any]] = {}


def implements(name: str) -> Callable[[Function], Function]:
    """A decorator that registers a function for `Operand`.

    The functions are in ops/operators.py: they need Tensor, which derives from Operand, so this
    module cannot import them.
    """

    def register(function: Function) -> Function:
        _functions[name] = function
        return function

    return register


def apply(name: str, *operands: Any) -> Tensor:
    result: Tensor = _functions[name](*operands)
    return result


def _binary(operator: str, x: Any, y: Any) -> Tensor:
    return apply("binary", operator, x, y)


class Operand:
    """A tensor or variable. `==` compares identity; `tf.equal` compares values."""

    __slots__ = ()
    __array_priority__ = 100  # NumPy arrays defer to the operators of this class

    def _shape_tuple(self) -> Optional[Tuple[Optional[int], ...]]:
        """The static sizes; None where their number is not known."""
        shape = self.shape  # type: ignore[attr-defined]
        return None if shape.rank is None else tuple(shape.as_list())

    def __neg__(self) -> Tensor:
        return apply("negative", self)

    def __abs__(self) -> Tensor:
        return apply("absolute", self)

    def __invert__(self) -> Tensor:
        return apply("invert", self)

    def __getitem__(self, key: Any) -> Tensor:
        return apply("index", self, key)

    def __or__(self, other: Any) -> Tensor:
        return _binary("or", self, other)

    def __ror__(self, other: Any) -> Tensor:
        return _binary("or", other, self)

    def __xor__(self, other: Any) -> Tensor:
        return apply("xor", self, other)

    def __rxor__(self, other: Any) -> Tensor:
        return apply("xor", other, self)

    def __add__(self, other: Any) -> Tensor:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Tensor:
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return _binary("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _binary("truediv", other, self)

    def __div__(self, other: Any) -> Tensor:
        """What `/` is in Python 2, which libraries call by its name."""
        return apply("div", self, other)

    def __rdiv__(self, other: Any) -> Tensor:
        return apply("div", other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return _binary("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return _binary("floordiv", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return _binary("mod", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return _binary("mod", other, self)

    def __pow__(self, other: Any) -> Tensor:
        return _binary("pow", self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return _binary("pow", other, self)

    def __matmul__(self, other: Any) -> Tensor:
        return _binary("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return _binary("matmul", other, self)

    def __and__(self, other: Any) -> Tensor:
        return _binary("and", self, other)

    def __rand__(self, other: Any) -> Tensor:
        return _binary("and", other, self)

    def __lt__(self, other: Any) -> Tensor:
        return _binary("less", self, other)

    def __le__(self, other: Any) -> Tensor:
        return _binary("less_equal", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return _binary("greater", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return _binary("greater_equal", self, other)
