"""Functions of the package that take ragged tensors.

Each function of the table is replaced by one that looks for a ragged tensor among its arguments,
and lists of them, and then calls what `handlers` has for it. It is done before other modules import
the functions, and costs a look at an empty tuple until a program has made a ragged tensor.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, Callable, Dict, List, Tuple

from troupe._src.graph import operand

# Element-wise functions of one tensor, whose other arguments may be ragged as well.
UNARY = {
    "ops.arithmetic_ops": "abs log_sigmoid",
    "ops.array_ops": "identity",
    "ops.assert_ops": "check_numerics",
    "ops.cast_ops": "angle conj imag real saturate_cast to_bfloat16 to_complex128 to_complex64 "
    "to_double to_float to_int32 to_int64",
    "ops.clip_ops": "clip_by_value",
    "ops.creation_ops": "ones_like zeros_like",
    "ops.gen_ops": "acos acosh as_string asin asinh atan atanh ceil cos cosh decode_base64 "
    "decode_compressed digamma elu encode_base64 erf erfc exp expm1 floor invert is_finite is_inf "
    "is_nan lgamma log log1p logical_not negative reciprocal relu relu6 rint round rsqrt selu "
    "sigmoid sign sin sinh softplus softsign sqrt square string_lower string_strip "
    "string_to_hash_bucket_fast string_to_hash_bucket_strong string_upper tan tanh "
    "unicode_script unicode_transcode",
    "ops.math_ops": "cast",
    "strings.string_ops": "regex_full_match regex_replace string_length string_to_hash_bucket "
    "string_to_number substr",
}
# Element-wise functions of a list of tensors.
OF_LISTS = {"ops.arithmetic_ops": "add_n", "strings.string_ops": "string_join"}
# Element-wise functions of two tensors that broadcast.
BINARY = {
    "ops.arithmetic_ops": "equal floordiv logical_xor not_equal",
    "ops.cast_ops": "complex",
    "ops.gen_ops": "atan2 bitwise_and bitwise_or bitwise_xor div_no_nan floormod greater "
    "greater_equal left_shift less less_equal logical_and logical_or maximum minimum multiply pow "
    "realdiv right_shift squared_difference subtract truncatediv truncatemod xdivy xlogy",
    "ops.math_ops": "add div divide",
}
# Functions that have forms of their own for ragged tensors.
OTHERS = {
    "control_flow.functional": "map_fn",
    "ops.array_ops": "concat expand_dims rank size squeeze stack",
    "ops.creation_ops": "one_hot",
    "ops.gen_ops": "dynamic_partition tile unsorted_segment_join unsorted_segment_max "
    "unsorted_segment_min unsorted_segment_prod unsorted_segment_sum",
    "ops.math_ops": "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod "
    "reduce_sum",
    "ops.rearrange_ops": "batch_gather boolean_mask gather_nd",
    "ops.segment_ops": "unsorted_segment_mean unsorted_segment_sqrt_n",
    "ops.selection_ops": "gather where where_v2",
    "strings.string_ops": "reduce_join",
}
# The functions behind operators, by the names that `Operand` calls them.
OPERATORS = ("absolute", "binary", "div", "index", "invert", "negative", "xor")

_kinds: Tuple[type, ...] = ()  # the classes of ragged tensors of which a program has made one


def note_ragged(kind: type) -> None:
    """From now on arguments of this class are ragged tensors."""
    global _kinds
    if kind not in _kinds:
        _kinds = (*_kinds, kind)


def has_ragged(values: Any) -> bool:
    """Whether one of the values is ragged, or a list with a ragged tensor."""
    for value in values:
        if isinstance(value, _kinds):
            return True
        if isinstance(value, (list, tuple)) and any(isinstance(each, _kinds) for each in value):
            return True
    return False


def _dispatched(key: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _kinds and (has_ragged(args) or (kwargs and has_ragged(kwargs.values()))):
            handlers = importlib.import_module("troupe._src.ragged_functions.handlers")
            return handlers.handle(key, function, args, kwargs)
        return function(*args, **kwargs)

    # inspect.getfullargspec, by which programs look at parameters, sees no wrapped function.
    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return call


def install() -> None:
    """Replaces the functions of the table."""
    for table in (UNARY, OF_LISTS, BINARY, OTHERS):
        for module, names in table.items():
            found = vars(importlib.import_module(f"troupe._src.{module}"))
            for name in names.split():
                function = found[name]
                dispatched = _dispatched(name, function)
                aliases = [each for each, value in found.items() if value is function]
                found.update(dict.fromkeys(aliases, dispatched))
    importlib.import_module("troupe._src.ops.slicing")
    for name in OPERATORS:
        operand.implements(name)(_dispatched(f"operator {name}", operand._functions[name]))


def names_in(table: Dict[str, str]) -> List[str]:
    """The names of the functions in a table."""
    return [name for names in table.values() for name in names.split()]
