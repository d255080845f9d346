"""Writes the functions of all ops in the catalog: Python source with signatures and docstrings.

Usage: generate_ops.py EXTENSION FOLDER

`raw_ops.py` has a function for every op, under the op's own name; `_gen_ops.py` those that are
public under the name that TensorFlow gives them, and need no further thought in Python.
"""

from __future__ import annotations

import importlib.util
import pathlib
import re
import sys
from typing import Any, Dict, List

# Public names that are not the op's own in small letters.
RENAMED = {
    "AddN": "add_n",
    "AddV2": "add_v2",
    "L2Loss": "l2_loss",
    "Mul": "multiply",
    "Neg": "negative",
    "RealDiv": "realdiv",
    "Sub": "subtract",
}

# Ops that programs reach through a function written by hand, or not at all but as raw ops.
NOT_PUBLIC = {
    "Add", "AddV2", "All", "Any", "ArgMax", "ArgMin", "BatchMatMul", "BroadcastGradientArgs",
    "Cast", "ConcatV2", "Const", "Div", "ExpandDims", "GatherV2", "LogSoftmax", "Mean", "Max",
    "MatMul", "Min", "NoOp", "OneHot", "OnesLike", "Pack", "Pad", "Placeholder", "Prod",
    "RandomStandardNormal", "RandomUniform", "Range", "Select", "Size", "Slice", "Softmax",
    "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "Squeeze", "Sum",
    "Transpose", "TruncatedNormal", "Unpack", "ZerosLike",
}  # fmt: skip
INTERNAL = re.compile(r"_.*|Assign.*|.*Checkpoints?|.*Grad|.*V2Grad|Read.*Op|Resource.*|RestoreV2"
                      r"|SaveV2|ShardedFilename|Var.*Op")  # fmt: skip

HEADER = '''"""{title}

Written by generate_ops.py from the catalog of ops.
"""

from __future__ import annotations

# Ops may have any names of their own.
from typing import Any as _Any
from typing import List as _List
from typing import Optional as _Optional

from troupe import _dtypes
from troupe._apply import apply_op as _apply_op
from troupe._dtypes import DTypeLike as _DTypeLike
from troupe._elements import Operation as _Operation
from troupe._elements import Tensor as _Tensor
from troupe._shapes import ShapeLike as _ShapeLike'''

ATTR_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "string": "str",
    "type": "_DTypeLike",
    "shape": "_ShapeLike",
    "list(int)": "_List[int]",
    "list(float)": "_List[float]",
    "list(string)": "_List[str]",
    "list(type)": "_List[_DTypeLike]",
    "list(shape)": "_List[_ShapeLike]",
}
PYTHON_WORDS = {"input": "input", "lambda": "lambda_", "from": "from_", "in": "in_"}


def snake_case(name: str) -> str:
    words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()


def default_of(attr: Dict[str, Any], dtype_names: Dict[int, str]) -> str:
    value = attr["default"]
    kind = attr["type"]
    if kind == "type":
        name = dtype_names[value]
        return f"_dtypes.{name + '_' if name == 'bool' else name}"
    if kind == "string":
        return repr(value.decode())
    if kind.startswith("list(") and not value:
        return "None"
    if kind == "float":
        return repr(float(f"{value:.7g}"))
    return repr(value)


class Function:
    """What of an op becomes a signature."""

    def __init__(self, op: str, facts: Dict[str, Any], dtype_names: Dict[int, str]) -> None:
        self.op = op
        self.doc = facts["doc"]
        self.inputs = [argument["name"] for argument in facts["inputs"]]
        implied = {
            argument[key]
            for argument in facts["inputs"]
            for key in ("dtype_attr", "count_attr", "dtypes_attr")
        }
        self.attrs = [attr for attr in facts["attrs"] if attr["name"] not in implied]
        self.attrs.sort(key=lambda attr: attr["has_default"])
        self.dtype_names = dtype_names
        outputs = facts["outputs"]
        is_list = len(outputs) > 1 or any(o["count_attr"] or o["dtypes_attr"] for o in outputs)
        self.answer = "_List[_Tensor]" if is_list else "_Tensor" if outputs else "_Operation"

    def parameters(self) -> List[str]:
        parts = [f"{PYTHON_WORDS.get(name, name)}: _Any" for name in self.inputs]
        for attr in self.attrs:
            kind = ATTR_TYPES.get(attr["type"], "_Any")
            if not attr["has_default"]:
                parts.append(f"{attr['name']}: {kind}")
                continue
            default = default_of(attr, self.dtype_names)
            kind = f"_Optional[{kind}]" if default == "None" else kind
            parts.append(f"{attr['name']}: {kind} = {default}")
        return parts + ["name: _Optional[str] = None"]

    def source(self, name: str, keywords_only: bool) -> str:
        given = self.parameters()
        lines = [f"def {name}("]
        if keywords_only:
            lines.append("    *,")
        lines += [f"    {part}," for part in given]
        lines.append(f") -> {self.answer}:")
        doc = (self.doc or self.op).replace("\\", "\\\\")
        lines += [f'    """{part}' if not i else f"    {part}" for i, part in enumerate(wrap(doc))]
        lines[-1] += '"""'
        inputs = ", ".join(f'"{n}": {PYTHON_WORDS.get(n, n)}' for n in self.inputs)
        attrs = ", ".join(f'"{attr["name"]}": {attr["name"]}' for attr in self.attrs)
        call = f'_apply_op("{self.op}", {{{inputs}}}, {{{attrs}}}, name)'
        lines += [f"    answer: {self.answer} = {call}", "    return answer"]
        return "\n".join(lines)


def wrap(text: str) -> List[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > 88:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("troupe._native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    native, folder = load(sys.argv[1]), pathlib.Path(sys.argv[2])
    dtype_names = {number: name for name, number in native.dtypes()}
    raw = [HEADER.format(title="Every op, under its own name; all arguments by keyword.")]
    public = [HEADER.format(title="The ops that are public as they are.")]
    for op, facts in native.ops().items():
        if op.startswith("_"):
            continue
        function = Function(op, facts, dtype_names)
        raw.append(function.source(op, keywords_only=True))
        if op not in NOT_PUBLIC and not INTERNAL.fullmatch(op):
            public.append(function.source(RENAMED.get(op, snake_case(op)), keywords_only=False))
    (folder / "raw_ops.py").write_text("\n\n\n".join(raw) + "\n")
    (folder / "_gen_ops.py").write_text("\n\n\n".join(public) + "\n")


if __name__ == "__main__":
    main()
