"""Writes definitions.json: how TensorFlow 1.15 defines each of its ops, as a line each.

Usage: definitions.py OPS_PBTXT

OPS_PBTXT is `tensorflow/core/ops/ops.pbtxt` of TensorFlow's source tree. Runs in the environment of
`tools/bench --setup`. The lines are those of `signature()` in `graph/op_signature.hpp`.
"""

import json
import pathlib
import struct
import sys

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import op_def_pb2


def dtype_name(number):
    return tf.dtypes.as_dtype(number).base_dtype.name


def shape_text(shape):
    if shape.unknown_rank:
        return "<unknown>"
    return "[" + ",".join("?" if dim.size < 0 else str(dim.size) for dim in shape.dim) + "]"


def float_text(value):
    single = struct.unpack("f", struct.pack("f", value))[0]
    return f"{single:.6g}"


def tensor_text(tensor):
    return dtype_name(tensor.dtype) + shape_text(tensor.tensor_shape)


def list_text(value, kind):
    texts = {
        "int": lambda: [str(item) for item in value.i],
        "float": lambda: [float_text(item) for item in value.f],
        "string": lambda: [item.decode() for item in value.s],
        "type": lambda: [dtype_name(item) for item in value.type],
        "shape": lambda: [shape_text(item) for item in value.shape],
        "func": lambda: [item.name for item in value.func],
    }
    return "[" + ", ".join(texts[kind]()) + "]"


def value_text(value, kind):
    if kind.startswith("list("):
        return list_text(value.list, kind[len("list(") : -1])
    texts = {
        "int": lambda: str(value.i),
        "float": lambda: float_text(value.f),
        "bool": lambda: "true" if value.b else "false",
        "string": lambda: '"' + value.s.decode().replace("\n", "\\n") + '"',
        "type": lambda: dtype_name(value.type),
        "shape": lambda: shape_text(value.shape),
        "tensor": lambda: tensor_text(value.tensor),
        "func": lambda: value.func.name,
    }
    return texts[kind]()


def argument_text(argument):
    if argument.type_list_attr:
        return f"{argument.name}: [{argument.type_list_attr}]"
    dtype = argument.type_attr or dtype_name(argument.type)
    if argument.number_attr:
        dtype = f"{argument.number_attr}*{dtype}"
    return f"{argument.name}: " + ("ref " if argument.is_ref else "") + dtype


def attr_text(attr):
    text = f"{attr.name}: {attr.type}"
    if attr.HasField("default_value"):
        text += " = " + value_text(attr.default_value, attr.type)
    return text


def by_name(attrs):
    return sorted(attrs, key=lambda attr: attr.name)


def signature(op):
    told = {
        name
        for argument in op.input_arg
        for name in (argument.type_attr, argument.number_attr, argument.type_list_attr)
    }
    inputs = ", ".join(argument_text(argument) for argument in op.input_arg)
    attrs = ", ".join(attr_text(attr) for attr in by_name(op.attr) if attr.name not in told)
    outputs = ", ".join(argument_text(argument) for argument in op.output_arg)
    return (
        f"{op.name}({inputs}{'; ' + attrs if attrs else ''}){' -> ' + outputs if outputs else ''}"
    )


def main():
    ops = op_def_pb2.OpList()
    text_format.Parse(pathlib.Path(sys.argv[1]).read_text(), ops)
    lines = [json.dumps(signature(op), ensure_ascii=True) for op in ops.op]
    path = pathlib.Path(__file__).parent / "definitions.json"
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{path}: {len(lines)} ops")


if __name__ == "__main__":
    main()
