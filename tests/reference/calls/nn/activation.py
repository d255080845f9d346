from recorder import FLOATS, INTEGERS, array

VALUES = [-3.5, -1.25, -0.5, -0.1, 0.2, 0.75, 2.5, 5.5, 7.0]
SPECIAL = [0.0, 6.0, float("inf"), float("-inf"), float("nan"), 88.0, -88.0, -104.0, 1e-7]
FUNCTIONS = ["Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign"]
DERIVATIVES = ["Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"]


def record_function(r, op):
    for dtype in FLOATS:
        r.call(op, array(VALUES, dtype))
    special = SPECIAL
    if op == "Relu6":
        special = [value for value in SPECIAL if value == value]
        nan = array([float("nan"), 1], "float32")
        r.call(op, nan, outputs=[nan])
    r.call(op, array(special, "float32"))
    r.call(op, array(-0.75, "float64"))
    r.call(op, array([[], []], "float32"))
    r.error(op, array([True], "bool"), says="T")


def record_derivative(r, op):
    gradients = [0.5, -2.0, 1.5, 3.0, -0.25, 1.0, 2.0, -1.0, 0.125]
    points = VALUES
    if op == "EluGrad":
        points = [-0.95, -0.5, -0.3, -0.1, 0.2, 0.75, 2.5, 5.5, 7.0]
    if op == "SeluGrad":
        points = [-1.75, -1.5, -0.3, -0.1, 0.2, 0.75, 2.5, 5.5, 7.0]
    for dtype in FLOATS:
        r.call(op, array(gradients, dtype), array(points, dtype))
    r.call(op, array(gradients, "float32"), array(SPECIAL, "float32"))
    r.call(op, array(2, "float64"), array(-0.75, "float64"))
    r.call(op, array([], "float32"), array([], "float32"))
    r.error(op, array([1, 2], "float32"), array([1], "float32"), says="[2]")
    r.error(op, array([1], "float32"), array(1, "float32"), says="[1]")


def record(r):
    for op in FUNCTIONS:
        record_function(r, op)
    for op in DERIVATIVES:
        record_derivative(r, op)
    for dtype in INTEGERS:
        values = array([0, 1, 5, 6, 7, 100], dtype)
        r.call("Relu6", values, outputs=[array([0, 1, 5, 6, 6, 6], dtype)])
        r.call("Relu6Grad", array([1, 2, 3, 4, 5, 6], dtype), values,
               outputs=[array([0, 2, 3, 0, 0, 0], dtype)])
    r.call("Relu6", array([-128, -1, 3, 127], "int8"))
    r.error("Elu", array([1], "int32"), says="T")
    for alpha in [0.0, 0.5, 1.5, -1.0]:
        r.call("LeakyRelu", array(VALUES, "float64"), alpha=alpha)
        r.call("LeakyReluGrad", array([1, 2, 3], "float64"), array([-2, 0.5, 3], "float64"),
               alpha=alpha)
    # Far from 0 neither overflows, and small results keep their digits.
    far = array([-800, -40, -36.5, 30, 40, 800], "float64")
    r.call("Softplus", far, outputs=[[0, 4.248354255291589e-18, 1.4068617124461467e-16,
                                      30.000000000000092, 40, 800]], gradient=[])
    r.call("SoftplusGrad", array([1] * 6, "float64"), far, gradient=[0])
