import numpy as np

from recorder import NUMERIC, PLAIN, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def makers(r):
    for dtype in PLAIN:
        r.call("Empty", ints([2, 1]), dtype=dtype, init=True, outputs=[array([[0], [0]], dtype)])
    r.call("Empty", ints([2]), dtype="string", outputs=[array(["", ""], "string")])
    r.call("Empty", ints([]), dtype="float32", outputs=[array(0, "float32")])
    r.call("Empty", ints([0, 3]), dtype="float32", outputs=[array(np.zeros([0, 3]), "float32")])
    r.error("Empty", ints([-1]), dtype="float32", says="-1")


def inplace(r):
    x, v = array([[1, 2], [3, 4], [5, 6]], "float32"), array([[10, 20], [30, 40]], "float32")
    for op, change in [("InplaceUpdate", lambda a, b: b), ("InplaceAdd", lambda a, b: a + b),
                       ("InplaceSub", lambda a, b: a - b)]:
        def expect(before, rows, updates):
            after = before.copy()
            for row, update in zip(rows, updates):
                after[row % len(before)] = change(after[row % len(before)], update)
            r.call(op, before, ints(rows), updates, outputs=[after])

        expect(x, [2, 0], v)
        expect(x, [1, 1], v)
        expect(x, [-1, 3], v)
        expect(x, [], v[:0])
        expect(array([1, 2], "float32"), [-(2**31), 2**31 - 1], array([5, 7], "float32"))
        for dtype in NUMERIC:
            expect(array([9, 8], dtype), [1], array([3], dtype))
        r.call(op, array(np.zeros([2, 0]), "float32"), ints([5]),
               array(np.zeros([1, 0]), "float32"), outputs=[array(np.zeros([2, 0]), "float32")])
        r.call(op, array(np.zeros([0, 2]), "float32"), ints([5]), array([[1, 2]], "float32"),
               outputs=[array(np.zeros([0, 2]), "float32")])
        r.error(op, x, ints([0]), v, says="must have the shape [1,2]")
        r.error(op, x, ints([0, 1]), array([1, 2], "float32"), says="must have the shape [2,2]")
        r.error(op, x, ints(0), v, says="")
        r.error(op, array(1, "float32"), ints([0]), array(1, "float32"), says="rows")
    r.call("InplaceUpdate", array(["a", "b"], "string"), ints([1]), array(["c"], "string"),
           outputs=[array(["a", "c"], "string")])


def parallel_concats(r):
    def concat(parts):
        whole = np.concatenate(parts)
        r.call("ParallelConcat", parts, shape=list(whole.shape), outputs=[whole])

    concat([array([[1, 2]], "float32"), array([[3, 4]], "float32")])
    concat([array([7], "int64")])
    concat([array([["a"]], "string"), array([["b"]], "string")])
    concat([array(np.zeros([1, 0]), "float32")] * 3)
    for dtype in PLAIN:
        concat([array([1], dtype), array([0], dtype)])
    one = array([[1, 2]], "float32")
    r.error("ParallelConcat", [one], shape=[2, 2], says="the 1 inputs as its rows")
    r.error("ParallelConcat", [one], shape=[1, 3], says="must have the shape [1,3]")
    r.error("ParallelConcat", [one], shape=[-1, 2], says="must be known")


def fingerprints(r):
    method = array(b"farmhash64", "string")
    for dtype in ["uint8", "int32", "float64", "complex64", "bfloat16", "float16", "int64"]:
        r.call("Fingerprint", array([[1, 2, 3], [4, 5, 6]], dtype), method, gradient=[])
    r.call("Fingerprint", array([True, False], "bool"), method)
    r.call("Fingerprint", array(np.arange(200).reshape(1, 200), "uint8"), method)
    r.call("Fingerprint", array(["", "abc", "x" * 90], "string"), method)
    r.call("Fingerprint", array([["a", "b"], ["", "cd"]], "string"), method)
    r.call("Fingerprint", array(np.zeros([0, 2]), "int32"), method,
           outputs=[array(np.zeros([0, 8]), "uint8")])
    r.error("Fingerprint", array([1], "int32"), array(b"md5", "string"), says="md5")
    r.error("Fingerprint", array(1, "int32"), method, says="")


def formats(r):
    for dtype in ["int32", "int64"]:
        axes = array([-4, -3, -2, -1, 0, 1, 2, 3], dtype)
        r.call("DataFormatDimMap", axes)
        r.call("DataFormatDimMap", axes.reshape(2, 4), src_format="NHWC", dst_format="HWNC")
        r.call("DataFormatDimMap", array([0, 4, -1, -5], dtype), src_format="NDHWC",
               dst_format="NCDHW", outputs=[array([0, 1, 1, 0], dtype)])
        numbers = array([7, 4, 9, 3], dtype)
        r.call("DataFormatVecPermute", numbers)
        r.call("DataFormatVecPermute", numbers, src_format="NCHW", dst_format="NHWC")
        pairs = array([[7, 4], [9, 3], [4, 5], [5, 1]], dtype)
        r.call("DataFormatVecPermute", pairs, src_format="HWNC", dst_format="NHWC")
        r.call("DataFormatVecPermute", array([1, 2, 3, 4, 5], dtype), src_format="NDHWC",
               dst_format="NCDHW", outputs=[array([1, 5, 2, 3, 4], dtype)])
        r.error("DataFormatVecPermute", array([1, 2, 3], dtype), says="4 axes")
    r.error("DataFormatDimMap", array(1, "int32"), src_format="NHWW", says="permutations")
    r.error("DataFormatDimMap", array(1, "int32"), dst_format="NCHX", says="permutations")
    r.error("DataFormatDimMap", array(1, "int32"), dst_format="NCDHW", says="permutations")
    r.call("FakeParam", dtype="float32", shape=[2, 3], outputs=[np.zeros((2, 3), "float32")])


def record(r):
    formats(r)
    makers(r)
    inplace(r)
    parallel_concats(r)
    fingerprints(r)
