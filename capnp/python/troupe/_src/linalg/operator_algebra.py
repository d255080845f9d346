"""What is made of linear operators by their classes: adjoints, factors, inverses, products."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple, Type, TypeVar

from troupe._src.graph.graph import get_default_graph

Function = TypeVar("Function", bound=Callable[..., Any])
_Functions = Dict[Tuple[type, ...], Callable[..., Any]]

ADJOINTS: _Functions = {}
CHOLESKY_DECOMPS: _Functions = {}
INVERSES: _Functions = {}
MATMUL: _Functions = {}
SOLVE: _Functions = {}


def registered_function(
    kinds: Tuple[type, ...], functions: _Functions
) -> Optional[Callable[..., Any]]:
    """The function for the classes that are nearest to those of the operators, or None."""
    found: Optional[Tuple[Tuple[int, Tuple[int, ...]], Callable[..., Any]]] = None
    lines = [kind.__mro__ for kind in kinds]
    for key, function in functions.items():
        if all(each in line for each, line in zip(key, lines)):
            steps = tuple(line.index(each) for each, line in zip(key, lines))
            distance = (sum(steps), steps)
            if found is None or distance < found[0]:
                found = distance, function
    return None if found is None else found[1]


def registered_adjoint(kind: type) -> Optional[Callable[..., Any]]:
    """The function that makes adjoints of operators of a class, or None."""
    return registered_function((kind,), ADJOINTS)


def registered_cholesky(kind: type) -> Optional[Callable[..., Any]]:
    """The function that makes the triangular factors of operators of a class, or None."""
    return registered_function((kind,), CHOLESKY_DECOMPS)


def registered_inverse(kind: type) -> Optional[Callable[..., Any]]:
    """The function that makes inverses of operators of a class, or None."""
    return registered_function((kind,), INVERSES)


def registered_matmul(left: type, right: type) -> Optional[Callable[..., Any]]:
    """The function that makes products of operators of two classes, or None."""
    return registered_function((left, right), MATMUL)


def registered_solve(left: type, right: type) -> Optional[Callable[..., Any]]:
    """The function that makes solutions for operators of two classes, or None."""
    return registered_function((left, right), SOLVE)


def _made(
    functions: _Functions, operators: Tuple[Any, ...], what: str, name: Optional[str], scope: str
) -> Any:
    kinds = tuple(type(each) for each in operators)
    function = registered_function(kinds, functions)
    if function is None:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"No {what} registered for {names}")
    with get_default_graph().name_scope(name or scope):
        return function(*operators)


def adjoint(lin_op_a: Any, name: Optional[str] = None) -> Any:
    """The adjoint of an operator, by the function that is registered for its class.

    Args:
        lin_op_a: The operator.

    Returns:
        An operator.

    Raises:
        ValueError: There is no such function.
    """
    return _made(ADJOINTS, (lin_op_a,), "adjoint", name, "Adjoint")


def cholesky(lin_op_a: Any, name: Optional[str] = None) -> Any:
    """The triangular factor of an operator, by the function that is registered for its class.

    Args:
        lin_op_a: The operator.

    Returns:
        An operator.

    Raises:
        ValueError: There is no such function.
    """
    return _made(CHOLESKY_DECOMPS, (lin_op_a,), "cholesky decomposition", name, "Cholesky")


def inverse(lin_op_a: Any, name: Optional[str] = None) -> Any:
    """The inverse of an operator, by the function that is registered for its class.

    Args:
        lin_op_a: The operator.

    Returns:
        An operator.

    Raises:
        ValueError: There is no such function.
    """
    return _made(INVERSES, (lin_op_a,), "inverse", name, "Inverse")


def matmul(lin_op_a: Any, lin_op_b: Any, name: Optional[str] = None) -> Any:
    """The product of two operators, by the function that is registered for their classes.

    Args:
        lin_op_a: The left operator.
        lin_op_b: The right one.

    Returns:
        An operator.

    Raises:
        ValueError: There is no such function.
    """
    return _made(MATMUL, (lin_op_a, lin_op_b), "matmul", name, "Matmul")


def solve(lin_op_a: Any, lin_op_b: Any, name: Optional[str] = None) -> Any:
    """The X of A X = B, by the function that is registered for the classes of both operators.

    Args:
        lin_op_a: A.
        lin_op_b: B.

    Returns:
        An operator.

    Raises:
        ValueError: There is no such function.
    """
    return _made(SOLVE, (lin_op_a, lin_op_b), "solve", name, "Solve")


class _Register:
    """A decorator that registers a function for classes of operators.

    Args:
        kinds: The classes.

    Raises:
        TypeError: What is decorated is no function.
        ValueError: The classes have one already.
    """

    functions: _Functions
    what = ""

    def __init__(self, *kinds: Type[Any]) -> None:
        self._key = kinds

    def __call__(self, function: Function) -> Function:
        if not callable(function):
            raise TypeError(f"The function of {self.what} must be callable, received: {function}")
        if self._key in self.functions:
            names = ", ".join(kind.__name__ for kind in self._key)
            raise ValueError(f"{self.what}({names}) has already been registered.")
        self.functions[self._key] = function
        return function


class RegisterAdjoint(_Register):
    """A decorator: the function makes adjoints of operators of the class."""

    functions, what = ADJOINTS, "Adjoint"

    def __init__(self, lin_op_cls_a: Type[Any]) -> None:
        super().__init__(lin_op_cls_a)


class RegisterCholesky(_Register):
    """A decorator: the function makes triangular factors of operators of the class."""

    functions, what = CHOLESKY_DECOMPS, "Cholesky"

    def __init__(self, lin_op_cls_a: Type[Any]) -> None:
        super().__init__(lin_op_cls_a)


class RegisterInverse(_Register):
    """A decorator: the function makes inverses of operators of the class."""

    functions, what = INVERSES, "Inverse"

    def __init__(self, lin_op_cls_a: Type[Any]) -> None:
        super().__init__(lin_op_cls_a)


class RegisterMatmul(_Register):
    """A decorator: the function makes products of operators of the two classes."""

    functions, what = MATMUL, "Matmul"

    def __init__(self, lin_op_cls_a: Type[Any], lin_op_cls_b: Type[Any]) -> None:
        super().__init__(lin_op_cls_a, lin_op_cls_b)


class RegisterSolve(_Register):
    """A decorator: the function makes the X of A X = B, of operators of the two classes."""

    functions, what = SOLVE, "Solve"

    def __init__(self, lin_op_cls_a: Type[Any], lin_op_cls_b: Type[Any]) -> None:
        super().__init__(lin_op_cls_a, lin_op_cls_b)


def hints_of(operator: Any) -> Dict[str, Any]:
    """The hints of an operator that its adjoint and its inverse have, too."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
    }


def non_singular_hint(left: Any, right: Any) -> Optional[bool]:
    """Whether a product of two square operators has an inverse."""
    if left.is_non_singular is False or right.is_non_singular is False:
        return False
    return True if left.is_non_singular and right.is_non_singular else None


def commuting_hints(left: Any, right: Any) -> Dict[str, Any]:
    """The hints of the product of two operators whose order does not matter."""
    adjoints = (left.is_self_adjoint, right.is_self_adjoint)
    is_self_adjoint: Optional[bool] = None
    if all(adjoints):
        is_self_adjoint = True
    elif True in adjoints and False in adjoints and non_singular_hint(left, right):
        # The other factor would be a product of the whole and of an inverse, all self-adjoint.
        is_self_adjoint = False
    is_positive = left.is_positive_definite and right.is_positive_definite
    return {
        "is_non_singular": non_singular_hint(left, right),
        "is_self_adjoint": is_self_adjoint,
        "is_positive_definite": True if is_positive and is_self_adjoint else None,
    }
