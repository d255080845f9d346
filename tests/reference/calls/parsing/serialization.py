import numpy as np
import tensorflow as tf
from recorder import PLAIN, array

INDICES, SHAPE = [[0, 0], [0, 2], [2, 1]], [4, 3]


def strings(values):
    return array(values, "string")


def longs(values, columns=None):
    values = array(values, "int64")
    return values if columns is None else values.reshape(-1, columns)


def tensor_of(dtype, **fields):
    """A TensorProto; shape: a list."""
    shape = fields.pop("shape", [])
    made = tf.make_tensor_proto(0)
    made.Clear()
    made.dtype = tf.as_dtype(dtype).as_datatype_enum
    made.tensor_shape.CopyFrom(tf.TensorShape(shape).as_proto())
    for name, value in fields.items():
        if isinstance(value, bytes):
            setattr(made, name, value)
        else:
            getattr(made, name).extend(value)
    return made


def content(values, dtype):
    values = array(values, dtype)
    return tensor_of(dtype, shape=list(values.shape), tensor_content=values.tobytes())


def parse(r, message, dtype, expected=None, **more):
    if not isinstance(message, bytes):
        message = message.SerializeToString(deterministic=True)
    if expected is not None:
        more["outputs"] = [expected]
    r.call("ParseTensor", strings(message), out_type=tf.as_dtype(dtype), known_shape=False, **more)


FIELDS = {
    "float32": "float_val", "float64": "double_val", "int32": "int_val", "int16": "int_val",
    "int8": "int_val", "uint8": "int_val", "uint16": "int_val", "int64": "int64_val",
    "uint32": "uint32_val", "uint64": "uint64_val", "bool": "bool_val",
}


def record_tensors(r):
    for dtype in PLAIN:
        values = array([[1, 0, 2], [100, 1, 77]], dtype)
        for each in [values, values[0, 0], values[:0]]:
            r.call("SerializeTensor", each, gradient=[])
        parse(r, content(values, dtype), dtype)
        parse(r, tensor_of(dtype, shape=[2, 2]), dtype, array(np.zeros([2, 2]), dtype))
        parse(r, tensor_of(dtype, shape=[0, 2]), dtype, array(np.zeros([0, 2]), dtype))
        if dtype in FIELDS:
            field, given = FIELDS[dtype], [1, 0, 1]
        elif dtype in ["float16", "bfloat16"]:
            field, given = "half_val", [int(v) for v in array([1, 0, 1], dtype).view(np.uint16)]
        else:
            field = "scomplex_val" if dtype == "complex64" else "dcomplex_val"
            given = [1, 0, 0, 0, 1, 0]
        part = {field: given}
        parse(r, tensor_of(dtype, shape=[3], **part), dtype, array([1, 0, 1], dtype))
        parse(r, tensor_of(dtype, shape=[2, 3], **part), dtype,
              array([[1, 0, 1], [1, 1, 1]], dtype))
        parse(r, tensor_of(dtype, shape=[2], **part), dtype, array([1, 0], dtype))
        parse(r, tensor_of(dtype, **part), dtype, array(1, dtype))
    r.call("SerializeTensor", array([float("nan"), float("inf"), -0.0], "float32"))
    parse(r, tensor_of("complex64", shape=[1], scomplex_val=[1, 2]), "complex64",
          array([1 + 2j], "complex64"))


def record_strings(r):
    for values in [["a", "", b"\xff\x00", "x" * 200], "", [["a"], ["b"]], []]:
        r.call("SerializeTensor", strings(values))
        made = tensor_of("string", shape=list(strings(values).shape),
                         string_val=[tf.compat.as_bytes(v) for v in strings(values).reshape(-1)])
        parse(r, made, "string")
    parse(r, tensor_of("string", shape=[3], string_val=[b"a", b"b"]), "string",
          strings(["a", "b", "b"]))
    parse(r, tensor_of("string", shape=[3], tensor_content=b"\x01\x00\x03abcd"), "string",
          strings(["a", "", "bcd"]))


def record_tensor_errors(r):
    def error(message, says, dtype=tf.float32, code="InvalidArgument"):
        message = message if isinstance(message, bytes) else message.SerializeToString()
        r.error("ParseTensor", strings(message), out_type=dtype, says=says, code=code)

    error(b"bogus", "Could not parse `serialized` as TensorProto: 'bogus'")
    error(b"", "there are no tensors of type DT_INVALID")
    error(content([1.0, 2.0], "float64"), "parsed tensor (float64) and dtype (float)")
    error(content([1], "uint8"), "parsed tensor (uint8) and dtype (uint16)", tf.uint16)
    for unfit in [b"abc", b"abcde", b"abcdefghi"]:
        error(tensor_of("float32", shape=[2], tensor_content=unfit), "which takes 8")
    for unfit in [b"\x01", b"\x01a\x01b", b"\x01\x01a", b"\x01\x01abc", b"\xff\xff", b"\x80\x80",
                  b"\xff" * 9 + b"\x01\x00"]:
        error(tensor_of("string", shape=[2], tensor_content=unfit), "does not fit string[2]",
              tf.string)
    for shape, says in [([2**20, 2**12], "more than 2147483648 bytes"), ([2**62, 4], "2^48"),
                        ([None, 2], "unknown shape [?,2]"), (None, "unknown shape"),
                        ([1] * 9, "9 dimensions")]:
        error(tensor_of("float32", shape=shape), says,
              code="ResourceExhausted" if "bytes" in says else "InvalidArgument")
    # Short, but each of its elements would own that string.
    error(tensor_of("string", shape=[2**22], string_val=[b"x" * 600]), "more than", tf.string,
          "ResourceExhausted")
    negative = tensor_of("float32", shape=[1])
    negative.tensor_shape.dim[0].size = -2
    error(negative, "size -2")
    both = tensor_of("float32", shape=[1])
    both.tensor_shape.unknown_rank = True
    error(both, "unknown rank")
    error(tensor_of("complex64", shape=[1], scomplex_val=[1, 2, 3]), "3 parts", tf.complex64)
    for number, name in [(12, "DT_QUINT8"), (21, "DT_VARIANT"), (20, "resource"),
                         (101, "DT_FLOAT_REF"), (99, "type 99"), (-1, "type -1")]:
        made = tensor_of("float32", shape=[1])
        made.dtype = number
        error(made, name)
    r.error("ParseTensor", strings(["bogus"]), out_type=tf.float32, says="[1]")


def record_sparse(r):
    for dtype in PLAIN:
        values = array([1, 0, 1], dtype)
        r.call("SerializeSparse", longs(INDICES), values, longs(SHAPE), gradient=[])
        if dtype in ["float32", "float64", "int64", "bool"]:
            r.call("SerializeManySparse", longs(INDICES), values, longs(SHAPE), gradient=[])
    texts = strings(["a", "", "x" * 200])
    for op in ["SerializeSparse", "SerializeManySparse"]:
        r.call(op, longs(INDICES), texts, longs(SHAPE))
        r.call(op, longs([], 2), strings([]), longs([2, 5]))
    r.call("SerializeManySparse", longs([], 3), array([], "float32"), longs([0, 2, 3]))
    r.call("SerializeManySparse", longs([[1, 0, 2], [1, 1, 0]]), array([5, 6], "int32"),
           longs([3, 2, 3]), outputs=[serialized_rows()])
    r.call("SerializeSparse", np.zeros([0, 0], "int64"), array([], "float32"), longs([]))
    r.error("SerializeSparse", longs([0, 1]), array([1, 2], "float32"), longs([3]), says="[2]")
    r.error("SerializeSparse", longs([[0]]), array([[1]], "float32"), longs([3]), says="[1,1]")
    r.error("SerializeManySparse", longs([[0]]), array([1], "float32"), longs([3]),
            says="saw rank: 1")
    x = array([1, 2], "float32")
    for indices, says in [([[1, 0], [0, 1]], "indices[1] = [0,1] is out of order"),
                          ([[1, 0], [1, 0]], "indices[1] = [1,0] is repeated"),
                          ([[0, 0], [4, 0]], "[4,0]"), ([[-1, 0], [0, 0]], "[-1,0]"),
                          ([[0, 0], [1, 3]], "[1,3]")]:
        r.error("SerializeManySparse", longs(indices), x, longs(SHAPE), says=says)
    r.error("SerializeManySparse", longs([[0, 0]]), x, longs(SHAPE), says="2 values")


def parts_of(indices, values, shape):
    made = [tf.io.serialize_sparse(tf.SparseTensor(indices, values, shape)).numpy()]
    return list(made[0])


def serialized_rows():
    empty = parts_of(longs([], 2), array([], "int32"), [2, 3])
    row = parts_of(longs([[0, 2], [1, 0]]), array([5, 6], "int32"), [2, 3])
    return strings([empty, row, empty])


def record_deserialized(r):
    def call(op, parts, dtype, **more):
        r.call(op, strings(parts), dtype=tf.as_dtype(dtype), known_shape=False, **more)

    for dtype in PLAIN:
        values = array([1, 0, 1], dtype)
        one = [tf.io.serialize_tensor(t).numpy() for t in
               (longs(INDICES), tf.constant(values), longs(SHAPE))]
        other = [tf.io.serialize_tensor(t).numpy() for t in
                 (longs([[5, 0]]), tf.constant(values[:1]), longs([6, 2]))]
        call("DeserializeSparse", one, dtype, outputs=[longs(INDICES), values, longs(SHAPE)])
        both = [longs([[0, 0, 0], [0, 0, 2], [0, 2, 1], [1, 5, 0]]),
                np.concatenate([values, values[:1]]), longs([2, 6, 3])]
        for op in ["DeserializeSparse", "DeserializeManySparse"]:
            call(op, [one, other], dtype, outputs=both)
    texts = parts_of(longs(INDICES), strings(["a", "", "b"]), SHAPE)
    none = parts_of(longs([], 2), strings([]), [2, 9])
    call("DeserializeSparse", texts, "string")
    call("DeserializeManySparse", [none, texts, none], "string")
    call("DeserializeManySparse", [none], "string")
    call("DeserializeSparse", [[texts, none], [none, texts], [texts, texts]], "string")
    call("DeserializeSparse", [[texts]], "string")
    point = [tf.io.serialize_tensor(t).numpy() for t in
             (np.zeros([1, 0], "int64"), array([7], "float32"), longs([]))]
    call("DeserializeManySparse", [point, point], "float32")


def record_deserialized_errors(r):
    def error(parts, says, dtype="float32", op="DeserializeSparse"):
        r.error(op, strings(parts), dtype=tf.as_dtype(dtype), says=says)

    def of(*tensors):
        return [tf.io.serialize_tensor(t).numpy() for t in tensors]

    x = array([1, 2, 3], "float32")
    good = of(longs(INDICES), x, longs(SHAPE))
    error(good, "type float64 but SparseTensor[0].values.dtype() == float32", "float64")
    error([good, of(longs([[0]]), x[:1], longs([1]))], "rank of SparseTensor[1] is: 1")
    for wrong, says in [
            (of(longs([0, 1, 2]), x, longs([3])), "must be a matrix of int64"),
            (of(array(INDICES, "int32"), x, longs(SHAPE)), "must be a matrix of int64"),
            (of(longs(INDICES), x.reshape(3, 1), longs(SHAPE)), "must be a vector"),
            (of(longs(INDICES), x[:2], longs(SHAPE)), "for 2 values"),
            (of(longs(INDICES), x, longs([4, 3, 2])), "of rank 3"),
            (of(longs(INDICES), x, longs([[4, 3]])), "vector of int64"),
            (of(longs(INDICES), x, array(SHAPE, "int32")), "vector of int64"),
            (of(longs(INDICES), x, longs([-4, 3])), "[-4,3]"),
            ([b"bogus"] + good[1:], "part 0 of SparseTensor[1] could not be parsed")]:
        error([good, wrong], says, op="DeserializeManySparse")
    error(good[:2], "")
    error("x", "")
    error(np.zeros([0, 3], dtype=object), "at least 1")
    error(good, "", op="DeserializeManySparse")


def record(r):
    record_tensors(r)
    record_strings(r)
    record_tensor_errors(r)
    record_sparse(r)
    record_deserialized(r)
    record_deserialized_errors(r)
