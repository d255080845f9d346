import numpy as np

from recorder import NUMERIC, PLAIN, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def gathers(r):
    x = array(np.arange(24).reshape(2, 3, 4) / 8, "float64")
    r.call("GatherNd", x, ints([[0, 1], [1, 2], [0, 1]]))
    r.call("GatherNd", x, ints([[[1]], [[0]]], "int64"))
    r.call("GatherNd", x, ints([1, 2, 3]))
    r.call("GatherNd", x, ints([[0, 0, 0], [1, 2, 3]]))
    r.call("GatherNd", x, array(np.zeros([2, 0]), "int32"))
    r.call("GatherNd", x, array(np.zeros([0, 2]), "int64"))
    r.call("GatherNd", array(np.zeros([3, 0]), "float32"), ints([[2], [0]]),
           outputs=[array(np.zeros([2, 0]), "float32")])  # TensorFlow refuses empty params
    r.call("GatherNd", array(5, "float32"), array(np.zeros([2, 0]), "int32"),
           outputs=[array([5, 5], "float32")])  # TensorFlow refuses scalars
    r.call("GatherNd", array([["a", "bc"], ["d", ""]], "string"), ints([[1, 0], [0, 1]]))
    for dtype in PLAIN:
        r.call("GatherNd", array([[0, 1], [1, 0]], dtype), ints([[1, 0], [0, 0]]), gradient=[])


def scatters(r):
    r.call("ScatterNd", ints([[4], [1], [4]]), array([1.5, 2, 4], "float64"), ints([6]))
    r.call("ScatterNd", ints([[1], [0]], "int64"), array([[1, 2], [3, 4]], "float64"),
           ints([3, 2], "int64"))
    r.call("ScatterNd", ints([[0, 1], [1, 1]]), array([1, 2], "float64"), ints([2, 2]))
    r.call("ScatterNd", array(np.zeros([0, 1]), "int32"), array(np.zeros([0, 2]), "float32"),
           ints([2, 2]))
    r.call("ScatterNd", array(np.zeros([2, 0]), "int32"), array([[1, 2], [3, 5]], "float64"),
           ints([2]), outputs=[array([4, 7], "float64")])  # TensorFlow takes it for empty
    r.call("ScatterNd", ints([2]), array(7, "float64"), ints([4]),
           outputs=[array([0, 0, 7, 0], "float64")])
    r.call("ScatterNd", ints([[1], [1]]), array(["a", "b"], "string"), ints([3]))
    r.call("ScatterNd", ints([[1], [1], [0]]), array([True, False, False], "bool"), ints([3]))
    r.call("ScatterNd", ints([[0], [0]]), array([127, 1], "int8"), ints([1]))
    for dtype in NUMERIC:
        r.call("ScatterNd", ints([[1], [1]]), array([1, 2], dtype), ints([2]), gradient=[],
               outputs=[array([0, 3], dtype)])


def tensor_scatters(r):
    for op in ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
               "ScatterNdNonAliasingAdd"]:
        x = array([[1, 2, 3], [4, 5, 6]], "float64")
        r.call(op, x, ints([[1]]), array([[7, 8, 9.5]], "float64"))
        r.call(op, x, ints([[0, 2], [1, 0]], "int64"), array([10, 20], "float64"))
        r.call(op, x, array(np.zeros([0, 1]), "int32"), array(np.zeros([0, 3]), "float64"))
        r.call(op, array([1, 2], "float32"), ints([[0], [0]]), array([5, 7], "float32"))
        for dtype in NUMERIC:
            result = {"TensorScatterUpdate": 2, "TensorScatterSub": 7}.get(op, 11)
            r.call(op, array([1, 9], dtype), ints([[1]]), array([2], dtype), gradient=[],
                   outputs=[array([1, result], dtype)])
        r.error(op, x, ints([[2]]), array([[7, 8, 9]], "float64"), says="[2] (number 0")
        r.error(op, x, ints([[-1]]), array([[7, 8, 9]], "float64"), says="does not lie in the")
        r.error(op, x, ints([[0]]), array([[7, 8]], "float64"), says="must have the shape [1,3]")
        r.error(op, x, ints(0), array([[7, 8]], "float64"), says="at least one axis")
    r.call("TensorScatterUpdate", array(["a", "b"], "string"), ints([[1]]), array(["c"], "string"))
    r.call("TensorScatterUpdate", array([True, False], "bool"), ints([[0], [0]]),
           array([True, False], "bool"))
    r.call("ScatterNdNonAliasingAdd", array([True, False], "bool"), ints([[0], [1]]),
           array([False, True], "bool"))


def errors(r):
    x = array([[1, 2, 3], [4, 5, 6]], "float32")
    r.error("GatherNd", x, ints([[0, 1], [1, 3]]), says="index [1,3] (number 1")
    r.error("GatherNd", x, ints([[-1]]), says="index [-1]")
    r.error("GatherNd", x, ints([[0, 0, 0]]), says="fewer axes")
    r.error("GatherNd", x, ints(0), says="at least one axis")
    r.error("GatherNd", array(np.zeros([0, 2]), "float32"), ints([[0]]), says="does not lie")
    r.error("GatherNd", array(np.zeros([2, 0]), "float32"), ints([[2]]), says="does not lie")
    one = array([1], "float32")
    r.error("ScatterNd", ints([[3]]), one, ints([3]), says="does not lie in the shape [3]")
    r.error("ScatterNd", ints([[0]]), one, ints([-3]), says="-3")
    r.error("ScatterNd", ints([[0], [1]]), one, ints([3]), says="must have the shape [2]")
    r.error("ScatterNd", ints([[0, 0]]), one, ints([3]), says="fewer axes")


def record(r):
    gathers(r)
    scatters(r)
    tensor_scatters(r)
    errors(r)
