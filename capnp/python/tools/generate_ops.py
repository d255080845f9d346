"""Generates the Python functions of all ops in the catalog, with signatures and docstrings.

Usage: generate_ops.py EXTENSION PACKAGE_FOLDER

`_src/ops/raw_ops.py` has a function for each op, under the name of the op; `raw_ops.py` exports
them. `_src/ops/gen_ops.py` has the functions that are public under TensorFlow's names and need no
wrapper written by hand.
"""

from __future__ import annotations

import importlib.util
import pathlib
import re
import sys
from typing import Any, Dict, List

from op_docs import OpDocs

# Public names that are not the op's name in snake case.
RENAMED = {
    "AddN": "add_n",
    "AddV2": "add_v2",
    "FloorMod": "floormod",
    "L2Loss": "l2_loss",
    "Mul": "multiply",
    "MulNoNan": "multiply_no_nan",
    "Neg": "negative",
    "NextAfter": "nextafter",
    "RealDiv": "realdiv",
    "Sub": "subtract",
    "TruncateDiv": "truncatediv",
    "TruncateMod": "truncatemod",
}

# Ops that have a wrapper written by hand, or are only available as raw ops.
NOT_PUBLIC = {
    "AccumulateNV2", "Add", "AddV2", "AdjustContrastv2", "AdjustHue", "AdjustSaturation", "All",
    "AllCandidateSampler", "Angle", "Any", "ArgMax", "ArgMin", "Assert", "AudioSpectrogram",
    "AvgPool", "AvgPool3D", "BatchMatMul", "BiasAdd", "Bincount", "BroadcastGradientArgs",
    "CTCBeamSearchDecoder", "CTCGreedyDecoder", "CTCLoss", "Cast", "CheckNumerics", "ClipByValue",
    "Complex", "ComplexAbs", "ComputeAccidentalHits", "Concat", "ConcatV2", "Conj", "Const",
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Conv3DBackpropFilterV2",
    "Conv3DBackpropInputV2", "CountUpTo", "CropAndResize", "CropAndResizeGradBoxes",
    "CropAndResizeGradImage", "DecodeCSV", "DecodeRaw", "DecodeWav", "DenseToDenseSetOperation",
    "DenseToSparseSetOperation", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput", "DeserializeManySparse", "DeserializeSparse",
    "Dilation2D", "Dilation2DBackpropFilter", "Dilation2DBackpropInput", "Div", "DrawBoundingBoxes",
    "DrawBoundingBoxesV2", "Einsum", "EncodeJpegVariableQuality", "EncodePng", "EuclideanNorm",
    "ExpandDims", "ExtractGlimpse", "FixedUnigramCandidateSampler", "FusedBatchNorm",
    "FusedBatchNormGradV2", "FusedBatchNormGradV3", "FusedBatchNormV2", "FusedBatchNormV3",
    "Gather", "GatherV2", "HistogramFixedWidth", "IdentityN", "Imag", "InTopK", "InTopKV2", "Inv",
    "IsVariableInitialized", "LRN", "LeakyRelu", "LearnedUnigramCandidateSampler", "LogSoftmax",
    "LogUniformCandidateSampler", "MatMul", "Max", "MaxPool", "MaxPool3D", "MaxPoolGradGradV2",
    "MaxPoolGradGradWithArgmax", "MaxPoolGradV2", "MaxPoolGradWithArgmax", "MaxPoolV2",
    "MaxPoolWithArgmax", "Mean", "Mfcc", "Min", "Mod", "Multinomial", "NoOp", "NonMaxSuppression",
    "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5",
    "NonMaxSuppressionWithOverlaps", "OneHot", "OnesLike", "Pack", "Pad", "ParseExample",
    "ParseSequenceExample", "ParseSingleExample", "ParseSingleSequenceExample", "Placeholder",
    "Print", "PrintV2", "Prod", "PyFunc", "PyFuncStateless", "QuantizeAndDequantize",
    "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "RandomGamma", "RandomGammaGrad",
    "RandomPoisson", "RandomPoissonV2", "RandomShuffle", "RandomStandardNormal", "RandomUniform",
    "RandomUniformInt", "Range", "Real", "ReduceJoin", "RegexFullMatch", "RegexReplace",
    "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor", "Reverse", "ReverseSequence",
    "ReverseV2", "SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2", "ScatterAdd",
    "ScatterDiv", "ScatterMax", "ScatterMin", "ScatterMul", "ScatterNdAdd", "ScatterNdSub",
    "ScatterNdUpdate", "ScatterSub", "ScatterUpdate", "SdcaFprint", "SdcaOptimizer",
    "SdcaOptimizerV2", "SdcaShrinkL1", "Select", "SelectV2", "SerializeManySparse",
    "SerializeSparse", "SetSize", "Size", "Slice", "Softmax", "SoftmaxCrossEntropyWithLogits",
    "SparseConcat", "SparseFillEmptyRows", "SparseReduceMax", "SparseReduceMaxSparse",
    "SparseReduceSum", "SparseReduceSumSparse", "SparseReorder", "SparseReshape",
    "SparseSegmentMean", "SparseSegmentMeanWithNumSegments", "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSum", "SparseSegmentSumWithNumSegments",
    "SparseSlice", "SparseSoftmaxCrossEntropyWithLogits", "SparseTensorDenseAdd",
    "SparseTensorDenseMatMul", "SparseToDense", "SparseToSparseSetOperation", "Split", "SplitV",
    "Squeeze", "StatelessMultinomial", "StatelessRandomNormal", "StatelessRandomUniform",
    "StatelessRandomUniformInt", "StatelessTruncatedNormal", "StaticRegexFullMatch",
    "StaticRegexReplace", "StringFormat", "StringJoin", "StringLength", "StringSplit",
    "StringSplitV2", "StringToHashBucket", "StringToNumber", "Substr", "Sum", "Svd",
    "ThreadUnsafeUnigramCandidateSampler", "TopK", "TopKV2", "Transpose", "TruncatedNormal",
    "UnicodeDecode", "UnicodeDecodeWithOffsets", "UnicodeEncode", "UniformCandidateSampler",
    "Unpack", "Where", "ZerosLike",
}  # fmt: skip
INTERNAL = re.compile(r"_.*|Assign.*|.*Checkpoints?|.*Dataset(V\d)?|DatasetTo.*|.*Grad(V\d)?"
                      r"|.*Iterator.*|Queue.*|.*Queue(V\d)?|Read.*Op|Resource.*"
                      r"|Restore(V2|Slice)?|Save(V2|Slices)?|ShardedFile.*|Var.*Op"
                      r"|.*Accumulator.*|Barrier.*|(Ordered)?Map[A-Z].*|Stack.*|Stage.*|Unstage"
                      r"|BlockLSTM(V2)?|(LSTM|GRU)BlockCell|Combined.*"
                      r"|Case|For|(Stateless)?(If|While)|.*Call|SymbolicGradient")  # fmt: skip

HEADER = '''"""{title}

Generated by generate_ops.py from the catalog of ops.
"""

from __future__ import annotations

# Private names, because an op or an attribute may have any public one.
from typing import Any as _Any
from typing import List as _List
from typing import Optional as _Optional
from typing import Sequence as _Sequence

from troupe._src.graph.elements import Operation as _Operation
from troupe._src.graph.elements import Tensor as _Tensor
from troupe._src.graph.tensor_like import TensorLike as _TensorLike
from troupe._src.ops.apply_op import apply_op as _apply_op
from troupe._src.types import dtypes as _dtypes
from troupe._src.types.dtypes import DTypeLike as _DTypeLike
from troupe._src.types.shapes import ShapeLike as _ShapeLike'''

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
PYTHON_NAMES = {"input": "input", "lambda": "lambda_", "from": "from_", "in": "in_"}


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
    if kind == "tensor" or (kind.startswith("list(") and not value):
        return "None"
    if kind == "float":
        return repr(float(f"{value:.7g}"))
    return repr(value)


class Function:
    """The Python function of an op."""

    def __init__(self, op: str, op_def: Dict[str, Any], dtype_names: Dict[int, str]) -> None:
        self.op = op
        self.op_def = op_def
        self.doc = op_def["doc"]
        self.inputs = {argument["name"]: argument for argument in op_def["inputs"]}
        implied = {
            argument[key]
            for argument in op_def["inputs"]
            for key in ("dtype_attr", "count_attr", "dtypes_attr")
        }
        self.attrs = [attr for attr in op_def["attrs"] if attr["name"] not in implied]
        self.attrs.sort(key=lambda attr: attr["has_default"])
        self.dtype_names = dtype_names
        outputs = op_def["outputs"]
        is_list = len(outputs) > 1 or any(o["count_attr"] or o["dtypes_attr"] for o in outputs)
        self.result = "_List[_Tensor]" if is_list else "_Tensor" if outputs else "_Operation"

    def parameters(self) -> List[str]:
        parts = [
            f"{PYTHON_NAMES.get(name, name)}: {input_type(argument)}"
            for name, argument in self.inputs.items()
        ]
        for attr in self.attrs:
            kind = ATTR_TYPES.get(attr["type"], "_Any")
            if not attr["has_default"]:
                parts.append(f"{attr['name']}: {kind}")
                continue
            default = default_of(attr, self.dtype_names)
            kind = f"_Optional[{kind}]" if default == "None" else kind
            parts.append(f"{attr['name']}: {kind} = {default}")
        return parts + ["name: _Optional[str] = None"]

    def source(self, name: str) -> str:
        given = self.parameters()
        lines = [f"def {name}("]
        lines += [f"    {part}," for part in given]
        lines.append(f") -> {self.result}:")
        doc = (self.doc or self.op).replace("\\", "\\\\")
        attrs = [attr["name"] for attr in self.attrs]
        said = [(each, PYTHON_NAMES.get(each, each)) for each in (*self.inputs, *attrs)]
        text = OpDocs(self.op_def, self.dtype_names).text(doc, said)
        lines += [f"    {part}" if part else "" for part in text]
        inputs = ", ".join(f'"{n}": {PYTHON_NAMES.get(n, n)}' for n in self.inputs)
        attrs = ", ".join(f'"{attr["name"]}": {attr["name"]}' for attr in self.attrs)
        call = f'_apply_op("{self.op}", {{{inputs}}}, {{{attrs}}}, name)'
        lines += [f"    result: {self.result} = {call}", "    return result"]
        return "\n".join(lines)


def input_type(argument: Dict[str, Any]) -> str:
    is_list = argument["count_attr"] or argument["dtypes_attr"]
    return "_Sequence[_TensorLike]" if is_list else "_TensorLike"


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("troupe._native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exports(ops: List[str]) -> str:
    """The public module raw_ops.py."""
    lines = ['"""All ops, under their own names."""', ""]
    lines += ["from troupe._src.api.keyword_ops import (", *[f"    {op}," for op in ops], ")", ""]
    lines += ["__all__ = [", *[f'    "{op}",' for op in ops], "]"]
    return "\n".join(lines) + "\n"


def main() -> None:
    native, package = load(sys.argv[1]), pathlib.Path(sys.argv[2])
    dtype_names = {number: name for name, number in native.dtypes()}
    raw = [HEADER.format(title="All ops, under their own names.")]
    public = [HEADER.format(title="The ops that are public without a wrapper written by hand.")]
    op_defs = native.ops()
    ops = [op for op in op_defs if not op.startswith("_")]
    for op in ops:
        function = Function(op, op_defs[op], dtype_names)
        raw.append(function.source(op))
        if op not in NOT_PUBLIC and not INTERNAL.fullmatch(op):
            public.append(function.source(RENAMED.get(op, snake_case(op))))
    folder = package / "_src/ops"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "raw_ops.py").write_text("\n\n\n".join(raw) + "\n")
    (folder / "gen_ops.py").write_text("\n\n\n".join(public) + "\n")
    (package / "raw_ops.py").write_text(exports(ops))


if __name__ == "__main__":
    main()
