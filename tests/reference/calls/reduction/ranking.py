from recorder import INTEGERS, REAL, array

ROWS = [[3, 1, 2, 5, 4], [9, 7, 9, 0, 8]]
DISTINCT = [[0.3, -1.5, 2.25, 0.7], [4.5, 3.5, -2.0, 0.1]]
INF, NAN = float("inf"), float("nan")


def record_top_k(r):
    for dtype in REAL:
        r.call("TopKV2", array(ROWS, dtype), array(3, "int32"), sorted=True, gradient=[])
    for k in [0, 1, 5]:
        r.call("TopKV2", array(ROWS, "float32"), array(k, "int32"), sorted=True)
    r.call("TopKV2", array([2, 7, 1], "int64"), array(2, "int32"), sorted=True)
    r.call("TopKV2", array([[[1.5, 0.5]], [[2.5, 3.5]]], "float32"), array(1, "int32"),
           sorted=True)
    r.call("TopKV2", array([[INF, 1, -INF, 2]], "float32"), array(4, "int32"), sorted=True)
    r.call("TopKV2", array([5, 5, 6, 5], "int32"), array(3, "int32"), sorted=True)
    r.call("TopKV2", array([[], []], "float32"), array(0, "int32"), sorted=True)
    for k in [1, 3]:
        r.call("TopKV2", array(DISTINCT, "float64"), array(k, "int32"), sorted=True)
    r.call("TopKV2", array([DISTINCT, DISTINCT], "float64"), array(2, "int32"), sorted=True)
    r.call("TopKV2", array([0.5, -0.5, 1.5], "float64"), array(2, "int32"), sorted=True)
    r.call("TopK", array(ROWS, "float32"), k=2, sorted=True, outputs=[
        array([[5, 4], [9, 9]], "float32"), array([[3, 4], [0, 2]], "int32")])
    r.call("TopK", array(DISTINCT, "float64"), k=2, sorted=True, outputs=[
        array([[2.25, 0.7], [4.5, 3.5]], "float64"), array([[2, 3], [0, 1]], "int32")])
    r.error("TopKV2", array(1.0, "float32"), array(0, "int32"), says="at least rank 1")
    r.error("TopKV2", array([1.0], "float32"), array(2, "int32"), says="shorter")
    r.error("TopKV2", array([1.0], "float32"), array(-1, "int32"), says="negative")
    r.error("TopKV2", array([1.0], "float32"), array([1, 1], "int32"), says="")
    r.error("TopK", array([1.0], "float32"), k=2, says="shorter")


def record_in_top_k(r):
    predictions = array([[0.1, 0.3, 0.2], [0.5, 0.5, 0.4], [0.1, 0.2, 0.3]], "float32")
    for dtype in ["int32", "int64"]:
        for k in [0, 1, 2, 3, 9]:
            targets = array([1, 0, 0], dtype)
            r.call("InTopKV2", predictions, targets, array(k, dtype))
            r.call("InTopK", predictions, targets, k=k)
    r.call("InTopKV2", predictions, array([5, -1, 2], "int32"), array(3, "int32"))
    special = array([[NAN, 1, 2], [INF, 1, 2], [0, -INF, 1]], "float32")
    r.call("InTopKV2", special, array([1, 1, 2], "int32"), array(3, "int32"))
    r.call("InTopKV2", array([[], []], "float32"), array([0, 0], "int64"), array(1, "int64"),
           outputs=[array([False, False], "bool")])
    r.error("InTopKV2", predictions, array([1, 2], "int32"), array(1, "int32"), says="")
    r.error("InTopKV2", array([1, 2], "float32"), array([1], "int32"), array(1, "int32"),
            says="must have rank 2")


def record_nth_element(r):
    for dtype in ["float16", "bfloat16", "float32", "float64"] + INTEGERS:
        for n in [0, 2, 4]:
            r.call("NthElement", array(ROWS, dtype), array(n, "int32"), reverse=False,
                   gradient=[])
    r.call("NthElement", array(ROWS, "float32"), array(1, "int32"), reverse=True)
    r.call("NthElement", array([4, 2, 3], "int32"), array(1, "int32"), reverse=False)
    for reverse in [False, True]:
        r.call("NthElement", array(DISTINCT, "float64"), array(1, "int32"), reverse=reverse)
    r.error("NthElement", array([1.0, 2.0], "float32"), array(2, "int32"), reverse=False,
            says="no such element")
    r.error("NthElement", array([1.0, 2.0], "float32"), array(-1, "int32"), reverse=False,
            says="no such element")
    r.error("NthElement", array(1.0, "float32"), array(0, "int32"), reverse=False,
            says="at least rank 1")


def record(r):
    record_top_k(r)
    record_in_top_k(r)
    record_nth_element(r)
