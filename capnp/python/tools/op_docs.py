"""What docstrings of generated functions say of an op's arguments and results."""

from __future__ import annotations

import textwrap
from typing import Any, Dict, List, Tuple

WIDTH = 92

FLOATING = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")

# What attributes are that are no dtypes.
KINDS = {
    "int": "An integer.",
    "float": "A number.",
    "bool": "A bool.",
    "string": "A text.",
    "shape": "A shape.",
    "func": "A function of the graph.",
    "tensor": "A constant tensor.",
    "list(int)": "A list of integers.",
    "list(float)": "A list of numbers.",
    "list(string)": "A list of texts.",
    "list(type)": "A list of dtypes.",
    "list(shape)": "A list of shapes.",
    "list(func)": "A list of functions of the graph.",
}


def listed(words: List[str]) -> str:
    """ "a, b or c"."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def dtypes_in_words(names: List[str]) -> str:
    """Those dtypes, by the names of their groups where all of a group are there."""
    if not names or set(names) >= {*FLOATING, *INTEGERS, *COMPLEX, "bool", "string"}:
        return "any dtype"
    rest, groups = list(names), []
    for members, word in (
        ((*FLOATING, *INTEGERS, *COMPLEX), "numbers"),
        ((*FLOATING, *INTEGERS), "real numbers"),
        (FLOATING, "floating point numbers"),
        (INTEGERS, "integers"),
        (COMPLEX, "complex numbers"),
    ):
        if set(members) <= set(rest):
            groups.append(word)
            rest = [name for name in rest if name not in members]
    return listed(groups + rest)


class OpDocs:
    """The docstring of an op's function."""

    def __init__(self, op_def: Dict[str, Any], dtype_names: Dict[int, str]) -> None:
        self._op_def = op_def
        self._dtype_names = dtype_names
        self._rules = {attr["name"]: attr for attr in op_def["attrs"]}
        self._said: Dict[str, str] = {}  # which argument has said its dtype, by the attribute

    def text(self, doc: str, parameters: List[Tuple[str, str]]) -> List[str]:
        """Its lines. `parameters`: (name in the op, name in Python), in order."""
        inputs = {argument["name"]: argument for argument in self._op_def["inputs"]}
        lines = [*wrapped(f'"""{doc}', ""), "", "Args:"]
        for name, python_name in parameters:
            argument = inputs.get(name)
            said = self._attr(name) if argument is None else self._argument(argument, python_name)
            lines += wrapped(f"{python_name}: {said}", "    ", "    ")
        lines += ["    name: The name of the node.", "", "Returns:"]
        return [*lines, *wrapped(self._results(), "    "), '"""']

    def _dtypes_of(self, attr: str) -> str:
        allowed = self._rules[attr]["allowed"] if attr in self._rules else ()
        return dtypes_in_words([self._dtype_names[number] for number in allowed])

    def _of_dtype(self, argument: Dict[str, Any], name: str) -> str:
        """ "of int32", or "of the dtype of `x`" where another argument has said it."""
        attr = argument["dtype_attr"]
        if not attr:
            return f"of {self._dtype_names[argument['dtype']]}"
        if attr in self._said:
            return f"of the dtype of `{self._said[attr]}`"
        if name:
            self._said[attr] = name
        return f"of {self._dtypes_of(attr)}"

    def _argument(self, argument: Dict[str, Any], name: str) -> str:
        if argument["dtypes_attr"]:
            return "A list of tensors of any dtypes."
        if argument["count_attr"]:
            return f"A list of tensors {self._of_dtype(argument, name)}."
        if argument["is_ref"]:
            return f"A reference to a variable {self._of_dtype(argument, name)}."
        if self._dtype_names.get(argument["dtype"]) == "resource":
            return "The handle of a resource."
        return f"A tensor {self._of_dtype(argument, name)}."

    def _attr(self, name: str) -> str:
        attr = self._rules[name]
        if attr["type"] == "type":
            self._said.setdefault(name, "")
            return f"A dtype: {self._dtypes_of(name)}."
        return KINDS[attr["type"]]

    def _result(self, output: Dict[str, Any]) -> str:
        attr = output["dtype_attr"]
        if output["dtypes_attr"]:
            return f"tensors of the dtypes `{output['dtypes_attr']}`"
        if attr and self._said.get(attr) == "":
            of = f"of the dtype `{attr}`"
        else:
            of = self._of_dtype(output, "")
        return f"tensors {of}" if output["count_attr"] else f"a tensor {of}"

    def _results(self) -> str:
        outputs = self._op_def["outputs"]
        if not outputs:
            return "The operation."
        said = [f"`{each['name']}`, {self._result(each)}" for each in outputs]
        is_list = len(outputs) > 1 or outputs[0]["count_attr"] or outputs[0]["dtypes_attr"]
        return ("A list of " if is_list else "The tensor ") + self._joined(said, bool(is_list))

    @staticmethod
    def _joined(said: List[str], is_list: bool) -> str:
        if is_list:
            return "; ".join(said) + "."
        name, _, of = said[0].partition(", a tensor ")
        return f"{name}, {of}."


def wrapped(text: str, indent: str, hang: str = "") -> List[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + hang,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
