import numpy as np
import tensorflow as tf
from recorder import INTEGERS, array


def strings(values):
    return array(values, "string")


def record_raw(r):
    values = [1, 0, 2, 100, 1, 77]
    for dtype in INTEGERS + ["float16", "bfloat16", "float32", "float64", "complex64",
            "complex128"]:
        numbers = array(values, dtype).reshape(2, 3)
        swapped = numbers.view(np.uint16).byteswap() if dtype == "bfloat16" else numbers.byteswap()
        for little, source in [(None, numbers), (True, numbers), (False, swapped)]:
            rows = strings([row.tobytes() for row in source])
            r.call("DecodeRaw", rows, out_type=tf.as_dtype(dtype), little_endian=little,
                   outputs=[numbers], known_shape=False)
        if np.dtype(numbers.dtype).itemsize > 1:
            r.error("DecodeRaw", strings([b"a" * 17]), out_type=tf.as_dtype(dtype), says="17 bytes")
    numbers = array([1.5, -2.25, 1e30, np.inf], "float32")
    for dtype in ["float32", "int16", "uint8", "float64", "complex64", "complex128"]:
        for little in [True, False]:
            r.call("DecodeRaw", strings([[bytes(range(1, 17))], [numbers.tobytes()]]),
                   out_type=tf.as_dtype(dtype), little_endian=little, known_shape=False)
    r.call("DecodeRaw", strings([b"\x02\x00\x01\xff"]), out_type=tf.bool, known_shape=False)
    r.call("DecodeRaw", strings(b"\x01\x02"), out_type=tf.int8, known_shape=False)
    for empty in [b"", [b"", b""], []]:
        r.call("DecodeRaw", strings(empty), out_type=tf.int16, known_shape=False)
    r.error("DecodeRaw", strings([b"ab", b"a"]), out_type=tf.uint8, says="one length")
    r.error("DecodeRaw", np.full([1] * 8, b"a", dtype=object), out_type=tf.uint8, says="dimensions")


INT, LONG = np.array([1], "int32"), np.array([7], "int64")
REQUIRED = np.array([], "float32")
COLUMNS = [INT, strings([b"d"]), REQUIRED]


def record_csv(r):
    def call(records, columns, **attrs):
        r.call("DecodeCSV", strings(records), columns, **attrs)

    def error(records, columns, says, **attrs):
        r.error("DecodeCSV", strings(records), columns, says=says, **attrs)

    call([b"1,a,2.5", b",,3", b' 1 , a ,2 ', b'"1","b","3"', b"2,NA,4", b"3,x,nan", b"3,x,1e50"],
         COLUMNS)
    call([b'1,"a,b",2', b'1,"a""b",2', b'1,"",2', b'1,"a\nb","2"', b"\n1,\r\na,\n\n2", b'1,"""",2',
          b"\r,\xff\x00,1"], COLUMNS)
    call([b'1,"a""b",2', b'1,"a"b,2', b'1,a"b,2', b'1,"a,2', b'1,"",2', b'1,",2', b"1,NA,2"],
            COLUMNS,
         na_value="NA", use_quote_delim=False)
    call([b"NA,NA,2", b'"NA",NA,2', b"1,,2"], COLUMNS, na_value="NA")
    call([b"1;a;2", b";;3"], COLUMNS, field_delim=";")
    call([b"1\ta b\t2"], COLUMNS, field_delim="\t")
    call([b"1"], COLUMNS[:1], field_delim='"')
    call([[b"1"], [b"2"], [b"3"]], [INT])
    call(b"1,9223372036854775807,0.1", [np.array(5.5), np.array(5, "int64"), np.array([],
            "float64")])
    call([], COLUMNS)
    call([b",", b"5,", b",6"], [INT, LONG])
    for columns in [[0, 1], [1, 3], [0, 3]]:
        call([b"1,2,3,4", b"5,6,7,"], [INT, LONG], select_cols=columns)
    call([b'x,"y,",3,broken"quote', b"x,,3,", b"x,z,,"], [strings([b"none"]), LONG],
            select_cols=[1, 2])
    for record, says in [
            (b"1,a,", "missing"), (b"1,a", "3 fields"), (b"1,a,2,3", "4"), (b"", "0"), (b"\n", "0"),
            (b"x,a,1", "'x' is no number of int32"), (b"99999999999,a,1", "int32"),
            (b'1,"a"b,2', "two quotes"), (b'1,a"b,2', "without quotes"), (b"1,a,2\r\n",
                    "line ends"),
            (b'1,"a,2', "end with a quote"), (b'1,a,"', "end with a quote"), (b'1,",2', "end with"),
            (b'1,a,"2\n', "end with"), (b'"1","b","3"\n', "two quotes"), (b"1,a,2,", "4"),
            (b"1,a\nb,2", "line ends"), (b"1,a,b", "float32")]:
        error([b"1,a,2", record], COLUMNS, "record 1: ")
        error([record], COLUMNS, says)
    error([b"1,2"], [INT, LONG], "there are 1", select_cols=[1, 3])
    error([b"1,2,3,4"], [INT, LONG], "increasing", select_cols=[3, 1])
    error([b"1,2,3,4"], [INT, LONG], "increasing", select_cols=[1, 1])
    error([b"1,2,3,4"], [INT, LONG], "increasing", select_cols=[-1, 1])
    error([b"1,2,3,4"], [INT], "select_cols", select_cols=[1, 3])
    error([b"1"], [INT], "field_delim", field_delim=";;")
    error([b"1"], [INT], "field_delim", field_delim="")
    error([b"1"], [np.array([5, 6], "int32")], "[2]")
    error([b"1"], [np.array([[5]], "int32")], "[1,1]")
    error([b"1"], [np.array([True])], "OUT_TYPE")
    error([b"1"], [np.array([1], "int16")], "OUT_TYPE")


def record(r):
    record_raw(r)
    record_csv(r)
