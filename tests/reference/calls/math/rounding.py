from recorder import COMPLEX, FLOATS, INTEGERS, array


def record(r):
    halves = [-2.5, -1.5, -1.0, -0.5, -0.2, 0.0, 0.3, 0.5, 1.0, 1.5, 2.5, 7.49]
    special = [-0.0, float("inf"), float("-inf"), float("nan"), 1e30]
    for op in ["Floor", "Ceil", "Rint", "Round"]:
        for dtype in FLOATS:
            r.call(op, array(halves, dtype), gradient=[])
        r.call(op, array(special, "float32"))
        r.call(op, array([], "float32"))
        r.call(op, array(1.7, "float64"), gradient=[])
    for dtype in INTEGERS:  # TensorFlow has no kernels for all of them
        r.call("Round", array([[1], [127]], dtype), outputs=[array([[1], [127]], dtype)])
    for dtype in COMPLEX:
        r.call("Round", array([1.5 - 0.5j, -2.6 + 7.2j], dtype),
               outputs=[array([2 - 0j, -3 + 7j], dtype)])
    r.error("Floor", array([1], "int32"), says="T")
