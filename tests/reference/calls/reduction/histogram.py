import numpy as np
import tensorflow as tf
from recorder import array

DTYPES = ["int32", "int64", "float32", "float64"]


def record_bincount(r):
    numbers, size = array([[1, 5, 0], [1, 2, 7]], "int32"), array(6, "int32")
    for dtype in DTYPES:
        none = array([], dtype)
        r.call("Bincount", numbers, size, none)
        weights = array([[1, 2, 3], [4, -5, 6]], dtype)
        r.call("Bincount", numbers, size, weights)
        r.call("Bincount", array([], "int32"), size, none)
        r.call("Bincount", numbers, array(0, "int32"), none)
    most = np.iinfo("int32").max
    r.call("Bincount", array([most, 2], "int32"), array(3, "int32"),
           array([np.nan, np.inf], "float32"))
    r.call("Bincount", array(3, "int32"), array(5, "int32"), array([], "int64"),
           outputs=[array([0, 0, 0, 1, 0], "int64")])
    r.error("Bincount", array([1, -1], "int32"), size, none, says="the number -1 is negative")
    r.error("Bincount", numbers, array(-1, "int32"), none, says="at least 0, but is -1")
    r.error("Bincount", numbers, array([1, 2], "int32"), none, says="")
    r.error("Bincount", numbers, size, array([1, 2], "float64"), says="weights must be empty")


def record_histogram(r):
    op, bins = "HistogramFixedWidth", array(5, "int32")
    for dtype in DTYPES:
        values = array([-1, 0, 1, 2, 5, 15, 4], dtype)
        r.call(op, values, array([0, 5], dtype), bins)
        r.call(op, values, array([0, 5], dtype), bins, dtype=tf.int64)
        r.call(op, array([], dtype), array([-2, 2], dtype), bins)
        r.call(op, array([[1, 2], [3, 3]], dtype), array([1, 4], dtype), array(1, "int32"))
        r.error(op, values, array([5, 5], dtype), bins, says="the lesser one first")
        r.error(op, values, array([6, 5], dtype), bins, says="the lesser one first")
        r.error(op, values, array([0, 1, 2], dtype), bins, says="2 elements")
        r.error(op, values, array([0, 1], dtype), array(0, "int32"), says="at least 1, but is 0")
        r.error(op, values, array([0, 1], dtype), array(-3, "int32"), says="at least 1")
        r.error(op, values, array([0, 1], dtype), array([2, 3], "int32"), says="")
    values = array([-1.0, 0.0, 1.5, 2.0, 5.0, 15, 0.99, 4.999], "float32")
    r.call(op, values, array([0.0, 5.0], "float32"), bins)
    r.call(op, array([-np.inf, np.inf, 0.5, 1e308], "float64"), array([0, 1], "float64"), bins,
           outputs=[array([1, 0, 1, 0, 2], "int32")])
    least, most = np.iinfo("int64").min, np.iinfo("int64").max
    r.call(op, array([least, most, 0, -1], "int64"), array([least, most], "int64"),
           array(4, "int32"), outputs=[array([1, 0, 2, 1], "int32")])
    r.error(op, array([0], "float64"), array([0, 5e-324], "float64"), bins, says="value_range")
    r.error(op, array([np.nan], "float32"), array([0, 1], "float32"), bins, says="NaN")
    r.error(op, array([1], "float32"), array([0, np.inf], "float32"), bins, says="finite")
    r.error(op, array([1], "float32"), array([np.nan, 1], "float32"), bins, says="finite")


def record(r):
    record_bincount(r)
    record_histogram(r)
