import numpy as np

from recorder import FLOATS, PLAIN, array


def text(*values):
    return [array(values[0] if len(values) == 1 else list(values), "string")]


def record_identities(r):
    for dtype in PLAIN + ["string"]:
        x = array([[0], [1]], dtype) if dtype != "string" else array([["a"], ["b"]], dtype)
        r.call("Snapshot", x, outputs=[x])
        r.call("DeepCopy", x, outputs=[x])
        r.call("PreventGradient", x, outputs=[x], gradient=[], message="none")
        r.call("EnsureShape", x, shape=[2, 1], outputs=[x])
        r.call("EnsureShape", x, shape=[-1, 1], outputs=[x])
        r.call("PlaceholderWithDefault", x, shape=[2, 1], outputs=[x])
        for op in ["Copy", "CopyHost"]:
            r.call(op, x, outputs=[x], tensor_name="x:0", debug_ops_spec=["DebugNop;;0"])
    x = array(np.zeros([0, 3]), "float64")
    for op in ["Snapshot", "DeepCopy", "Copy"]:
        r.call(op, x, outputs=[x])
        r.call(op, array(1.5, "float32"), outputs=[array(1.5, "float32")])
    r.call("DeepCopy", array([1.5], "float32"))
    r.call("EnsureShape", x, shape=[0, 3])
    r.call("EnsureShape", array(1.5, "float64"), shape=[])
    r.call("PlaceholderWithDefault", x, shape=[-1, -1], outputs=[x], known_shape=False)
    r.error("EnsureShape", x, shape=[3, 0], says="[3,0]")
    r.error("EnsureShape", x, shape=[-1], says="[0,3]")
    r.error("PlaceholderWithDefault", x, shape=[0, 2], says="[0,2]")
    r.error("PlaceholderWithDefault", x, shape=[], says="[0,3]")


def record_numerics(r):
    largest = {"float16": 65504, "bfloat16": 3e38, "float32": 3.4e38, "float64": 1.7e308}
    nan, inf = float("nan"), float("inf")
    for dtype in FLOATS:
        r.call("CheckNumerics", array([1.5, -2, largest[dtype], -0.0], dtype), message="",
               gradient=[])
        for values, found in [([1, nan], "NaN"), ([inf, 1], "Inf"), ([-inf], "Inf"),
                              ([nan, inf], "Inf and NaN")]:
            r.error("CheckNumerics", array(values, dtype), message="here",
                    says=f"here : Tensor had {found} values")
    r.call("CheckNumerics", array([], "float32"), message="")
    r.call("CheckNumerics", array(-3, "float64"), message="")
    r.error("CheckNumerics", array([1], "int32"), message="", says="T")


def record_assert(r):
    true, false = array(True, "bool"), array(False, "bool")
    x = array(np.arange(24).reshape(2, 3, 4), "int32")
    r.call("Assert", true, [x, array("a", "string")])
    for data, shown, most in [
        ([x], "assertion failed: [[[0 1 2...]]...]", None),
        ([x[0, :2]], "[[0 1 2 3][4...]...]", 5),
        ([x[0, :2]], "[[0 1 2 3][4 5 6 7]]", -1),
        ([array("x\"y\n\x01", "string"), array([True, False], "bool"), array(1.5, "float32"),
          array([], "float64")], "[x\\\"y\\n\\001] [1 0] [1.5] []", None),
        ([x[0, 0]], "assertion failed: [...]", 0),
        ([array(3, "int8")], "[3]", 1),
        ([array([1 + 2j, 0.5j], "complex64")], "[(1,2) (0,0.5)]", None),
        ([array([0.1, 1 / 3, 1e10, float("nan"), -float("inf")], "float64")],
         "[0.1 0.33333333333333331 10000000000 nan -inf]", 10),
        ([array([0.1, 1 / 3, 1e-7], "float32")], "[0.1 0.333333343 1e-07]", None),
        ([array([-1, 1], "int8"), array([255], "uint8")], "[-1 1] [255]", None),
        ([array([0.5], "float16"), array([0.5], "bfloat16")], "[0.5] [0.5]", None),
    ]:
        r.error("Assert", false, data, says=shown, summarize=most)
    r.error("Assert", array([True], "bool"), [x], says="[1]")
    r.error("Assert", true, [], says="T")


def record_print(r):
    x = array([1.5, 2], "float64")
    r.call("Print", x, [x, array("a", "string")], outputs=[x], message="x = ", gradient=[])
    r.call("Print", x, [], outputs=[x], first_n=0)
    r.call("PrintV2", array("a line of a test", "string"), outputs=[])
    r.error("PrintV2", array(["a"], "string"), says="[1]")
    r.error("PrintV2", array("a", "string"), output_stream="nowhere", says="nowhere")


def record_format(r):
    x = np.arange(24).reshape(2, 3, 4)
    for dtype in PLAIN:
        if dtype not in ["complex64", "complex128"]:  # TensorFlow shows these as "?"
            r.call("StringFormat", [array([0, 1], dtype)])
    r.call("StringFormat", [array([1 - 2j], "complex64"), array(1j, "complex128")],
           template="%s %s", outputs=text("[(1,-2)] (0,1)"))
    for most in [0, 1, 2, -1]:
        r.call("StringFormat", [array(x, "int32")], summarize=most)
        r.call("StringFormat", [array(x[0, 0], "int64")], summarize=most)
        r.call("StringFormat", [array(3.5, "float32")], summarize=most)
    r.call("StringFormat", [array(np.arange(10), "int32")])
    r.call("StringFormat", [array(np.zeros([0, 3]), "float32")])
    r.call("StringFormat", [array(np.zeros([2, 0]), "float32")])
    special = [0.1, 1 / 3, 1e10, 1e-7, float("nan"), float("inf"), -float("inf"), -0.0, 16777217]
    for dtype in ["float32", "float64"]:
        r.call("StringFormat", [array(special, dtype)], summarize=-1)
    r.call("StringFormat", [array(["a\n\"b", "it's\\", "\t\x7f"], "string"), array("hi", "string")],
           template="%s and %s")
    r.call("StringFormat", [array(1, "int32"), array([2.5], "float32")],
           template="a {} b {} %s", placeholder="{}")
    r.call("StringFormat", [], template="nothing")
    r.error("StringFormat", [array(1, "int32")], template="%s %s", says="2 placeholders")
    r.error("StringFormat", [array(1, "int32")], template="a", says="1 inputs")
    r.error("StringFormat", [array(1, "int32")], placeholder="", says="placeholder")


def record_broadcast_args(r):
    for dtype in ["int32", "int64"]:
        r.call("BroadcastArgs", array([2, 1, 3], dtype), array([4, 1], dtype))
    for x, y in [([], []), ([], [2, 0]), ([0, 1], [1, 5]), ([1, 1], [1])]:
        r.call("BroadcastArgs", array(x, "int32"), array(y, "int32"))
    r.error("BroadcastArgs", array([2, 3], "int32"), array([2], "int32"), says="[2,3]")
    r.error("BroadcastArgs", array([-2], "int32"), array([1], "int32"), says="-2")
    r.error("BroadcastArgs", array([[2]], "int32"), array([1], "int32"), says="[1,1]")
    r.error("BroadcastArgs", array([1] * 9, "int32"), array([1], "int32"), says="at most 8")


def record(r):
    record_identities(r)
    record_numerics(r)
    record_assert(r)
    record_print(r)
    record_format(r)
    record_broadcast_args(r)
