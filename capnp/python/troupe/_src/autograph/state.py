"""The variables of Python that a loop or a branch of a graph sets."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Sequence, Tuple

from troupe._src.control_flow.nest import assert_same_structure, flatten
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape

State = Tuple[Any, ...]
GetState = Callable[[], State]
SetState = Callable[[State], None]


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value yet; conversion gives it a marker."""
    variables = sys.modules.get("malt.operators.variables")
    return variables is not None and isinstance(value, variables.Undefined)


def is_undefined_return(value: Any) -> bool:
    """Whether a function has returned nothing yet."""
    variables = sys.modules.get("malt.operators.variables")
    return variables is not None and isinstance(value, variables.UndefinedReturnValue)


def check_defined_before_loop(values: State, names: Sequence[str]) -> None:
    """ValueError for a variable that a loop sets and that has no value before it."""
    missing = [name for value, name in zip(values, names) if is_undefined(value)]
    if missing:
        raise ValueError(
            "A loop of a graph may run no iteration, so these variables must be defined before it: "
            + ", ".join(missing)
        )
    if any(map(is_undefined_return, values)):
        raise ValueError(
            "return statements are not supported within a loop of a graph: set a variable, break,"
            " and return it after the loop."
        )


def check_defined_in_branches(outputs: Dict[str, State], names: Sequence[str]) -> None:
    """ValueError for a variable that one branch sets, and that has no value in the other."""
    if len(outputs) < 2:
        return
    for name, first, second in zip(names, outputs["if"], outputs["else"]):
        for value, branch in ((first, "if"), (second, "else")):
            if is_undefined_return(value):
                raise ValueError(f"A value must also be returned from the {branch} branch.")
            if is_undefined(value):
                raise ValueError(f"'{name}' must also be initialized in the {branch} branch.")
        if (first is None) != (second is None):
            raise ValueError(f"'{name}' is None in one branch, and a value in the other.")


def check_branches(first: State, second: State, names: Sequence[str]) -> None:
    """TypeError for a variable whose values in two branches are of different kinds."""
    for name, one, other in zip(names, first, second):
        _check_structure(name, one, other, "in the if and else branches")
        for a, b in zip(map(_dtype_of, flatten(one)), map(_dtype_of, flatten(other))):
            if a is not None and b is not None and a != b:
                raise TypeError(
                    f"'{name}' has dtype {a.name} in the if branch, but dtype {b.name} in the else"
                    " branch."
                )


def check_iteration(
    before: State, after: State, names: Sequence[str], checks_shapes: bool = True
) -> None:
    """Checks what an iteration has made of the variables of a loop.

    Raises:
        TypeError: A variable has another dtype or structure than before.
        ValueError: Its shape is less known than before, or another one.
    """
    for name, one, other in zip(names, before, after):
        _check_structure(name, one, other, "before a loop and after an iteration")
        for a, b in zip(flatten(one), flatten(other)):
            had, has = _dtype_of(a), _dtype_of(b)
            if had is not None and has is not None and had != has:
                raise TypeError(
                    f"'{name}' has dtype {had.name} before the loop, but dtype {has.name} after"
                    " one iteration. It must stay the same."
                )
            if checks_shapes and is_tensor(a) and is_tensor(b) and not _fits(a.shape, b.shape):
                raise ValueError(
                    f"'{name}' has shape {a.shape} before the loop, but shape {b.shape} after one"
                    " iteration. It must stay the same or become more specific; see"
                    " tf.autograph.experimental.set_loop_options for shape_invariants."
                )


def _check_structure(name: str, one: Any, other: Any, when: str) -> None:
    try:
        assert_same_structure(one, other)
    except (TypeError, ValueError) as error:
        raise TypeError(f"'{name}' has not the same nested structure {when}: {error}") from error


def _dtype_of(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)):
        value = convert_to_tensor(value)
    dtype = getattr(value, "dtype", None)
    return dtype.base_dtype if isinstance(dtype, DType) else None


def _fits(general: TensorShape, special: TensorShape) -> bool:
    """Whether each size that the first has is that of the second."""
    if general.rank is None:
        return True
    if special.rank != general.rank:
        return False
    pairs = zip(general.as_list(), special.as_list())
    return all(size is None or size == other for size, other in pairs)
