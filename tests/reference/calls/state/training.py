import numpy as np

from recorder import COMPLEX, FLOATS, array

# Of each algorithm: the variables' values, the scalars with the gradient's place, the flag.
GRADIENT = "gradient"
FORMS = {
    "GradientDescent": (1, [0.5, GRADIENT], None),
    "ProximalGradientDescent": (1, [0.5, 0.25, 0.125, GRADIENT], None),
    "Momentum": (2, [0.5, GRADIENT, 0.75], "use_nesterov"),
    "KerasMomentum": (2, [0.5, GRADIENT, 0.75], "use_nesterov"),
    "AddSign": (2, [0.5, 1.5, 0.75, 0.875, GRADIENT], None),
    "PowerSign": (2, [0.5, 1.0, 0.75, 0.875, GRADIENT], None),
    "Adagrad": (2, [0.5, GRADIENT], "update_slots"),
    "AdagradV2": (2, [0.5, 0.0625, GRADIENT], "update_slots"),
    "AdagradDA": (3, [GRADIENT, 0.5, 0.25, 0.125, np.int64(3)], None),
    "ProximalAdagrad": (2, [0.5, 0.25, 0.125, GRADIENT], None),
    "Adadelta": (3, [0.5, 0.875, 0.0625, GRADIENT], None),
    "RMSProp": (3, [0.5, 0.875, 0.75, 0.0625, GRADIENT], None),
    "CenteredRMSProp": (4, [0.5, 0.875, 0.75, 0.0625, GRADIENT], None),
    "Ftrl": (3, [GRADIENT, 0.5, 0.25, 0.125, -0.5], None),
    "FtrlV2": (3, [GRADIENT, 0.5, 0.25, 0.125, 0.0625, -0.5], None),
    "Adam": (3, [0.75, 0.875, 0.5, 0.75, 0.875, 0.0625, GRADIENT], "use_nesterov"),
    "AdaMax": (3, [0.75, 0.5, 0.75, 0.875, 0.0625, GRADIENT], None),
    "AdamWithAmsgrad": (4, [0.75, 0.875, 0.5, 0.75, 0.875, 0.0625, GRADIENT], None),
}
DENSE_ONLY = ["GradientDescent", "AddSign", "PowerSign", "Adam", "AdaMax", "AdamWithAmsgrad"]


def variables(count, dtype, shape=(3, 2)):
    """The first may be negative; others are sums of squares where that matters."""
    size = int(np.prod(shape))
    first = np.linspace(-1.5, 1, size).reshape(shape)
    others = [np.linspace(1.25 + i, 2 + i, size).reshape(shape) for i in range(count - 1)]
    if count == 4:  # of CenteredRMSProp: the mean, whose square is below that of squares
        others[0] = others[0] / 8
    return [array(value, dtype) for value in [first] + others]


def gradient_of(shape, dtype):
    size = int(np.prod(shape))
    values = (np.arange(size) * 7 % 5 - 1.5) / 2
    return array(values.reshape(shape), dtype)


def inputs(scalars, gradient, dtype, indices=None):
    result = []
    for scalar in scalars:
        if isinstance(scalar, str):
            result += [gradient] if indices is None else [gradient, indices]
        else:
            result.append(np.array(scalar) if isinstance(scalar, np.int64)
                          else array(scalar, dtype))
    return result


def flags_of(flag):
    return [{flag: False}, {flag: True}] if flag else [{}]


def record_dense(r, name, count, scalars, flag):
    op = f"ResourceApply{name}"
    for dtype in FLOATS:
        for attrs in flags_of(flag):
            r.update(op, variables(count, dtype),
                     *inputs(scalars, gradient_of([3, 2], dtype), dtype), **attrs)
    for shape in [(), (0, 2)]:
        r.update(op, variables(count, "float32", shape),
                 *inputs(scalars, gradient_of(shape, "float32"), "float32"))
    f = "float32"
    good = inputs(scalars, gradient_of([3, 2], f), f)
    r.update_error(op, variables(count, f), says="[2,3]",
                   *inputs(scalars, gradient_of([2, 3], f), f))
    for i in range(1, count):
        wrong = variables(count, f)
        wrong[i] = wrong[i][:2]
        r.update_error(op, wrong, *good, says="[2,2]")
    wrong = list(good)
    at = 1 if scalars[0] == GRADIENT else 0
    wrong[at] = array([0.5], f)
    r.update_error(op, variables(count, f), *wrong, says="[1]")


def record_sparse(r, name, count, scalars, flag):
    op = f"ResourceSparseApply{name}"

    def call(dtype, gradient, indices, variable_shape=(3, 2), **attrs):
        r.update(op, variables(count, dtype, variable_shape),
                 *inputs(scalars, gradient, dtype, indices), **attrs)

    for dtype in FLOATS:
        for attrs in flags_of(flag):
            call(dtype, gradient_of([2, 2], dtype), array([2, 0], "int32"), **attrs)
    f = "float32"
    call("float64", gradient_of([3, 2], "float64"), array([1, 1, 1], "int64"))
    call(f, gradient_of([2], f), array([2, 0], "int64"), variable_shape=(3,))
    call(f, gradient_of([1, 2, 3], f), array([1], "int64"), variable_shape=(2, 2, 3))
    call(f, gradient_of([0, 2], f), array([], "int32"))

    def error(gradient, indices, says, given=None):
        r.update_error(op, given or variables(count, f),
                       *inputs(scalars, gradient, f, indices), says=says)

    error(gradient_of([2, 2], f), array([0, 3], "int32"), "index 3 (number 1")
    error(gradient_of([1, 2], f), array([-1], "int64"), "index -1")
    error(gradient_of([2, 2], f), array([0], "int32"), "[2,2]")
    error(gradient_of([1, 3], f), array([0], "int32"), "[1,3]")
    error(gradient_of([1, 2], f), array([[0]], "int32"), "")
    error(gradient_of([1], f), array([0], "int32"), "scalar", variables(count, f, ()))
    for i in range(1, count):
        wrong = variables(count, f)
        wrong[i] = wrong[i][:, :1]
        error(gradient_of([1, 2], f), array([0], "int32"), "[3,1]", wrong)


def record_special(r):
    f = "float64"
    for dtype in COMPLEX:
        x, slope = array([1 + 2j, -1j], dtype), array([0.5j, 1 - 1j], dtype)
        half = array(0.5, dtype)
        r.update("ResourceApplyGradientDescent", [x], half, slope)
        for name in ["Momentum", "KerasMomentum"]:
            for nesterov in [False, True]:
                r.update(f"ResourceApply{name}", [x, x], half, slope, half, use_nesterov=nesterov)
    # The signs that AddSign and PowerSign compare; what l1 makes 0; powers other than -1/2.
    slope = array([-2, -0.5, 0, 0.5, 2, 1], f)
    mean = array([1, -1, 1, -1, 1, 0], f)
    for name in ["AddSign", "PowerSign"]:
        r.update(f"ResourceApply{name}", [slope, mean],
                 *inputs(FORMS[name][1], slope, f))
    for name in ["ProximalGradientDescent", "ProximalAdagrad", "AdagradDA", "Ftrl", "FtrlV2"]:
        count, scalars, _ = FORMS[name]
        for replaced in [{0.25: 4.0}, {0.25: 0.0}, {0.125: 0.0}, {-0.5: -0.25}, {-0.5: 0.0}]:
            if not any(isinstance(s, float) and s in replaced for s in scalars):
                continue
            changed = [replaced.get(s, s) if isinstance(s, float) else s for s in scalars]
            r.update(f"ResourceApply{name}", variables(count, f, (6,)),
                     *inputs(changed, slope, f))
            r.update(f"ResourceSparseApply{name}", variables(count, f, (6,)),
                     *inputs(changed, slope, f, array([0, 1, 2, 3, 4, 5], "int32")))


def record_scalar_errors(r):
    f = "float32"
    rows = array([0, 1, 2], "int32")
    for name, what in [("ProximalAdagrad", "Apply"), ("ProximalAdagrad", "SparseApply"),
                       ("Ftrl", "SparseApply"), ("FtrlV2", "SparseApply")]:
        count, scalars, _ = FORMS[name]
        wrong = {0: (-0.5, "lr must be positive, but is -0.5"),
                 1: (-1.0, "l1 must not be negative"), 2: (-1.0, "l2 must not be negative")}
        places = [i for i, scalar in enumerate(scalars) if scalar != GRADIENT]
        if name == "Ftrl":
            wrong[3] = (0.5, "lr_power must not be positive")
        if name == "FtrlV2":
            wrong[4] = (0.5, "lr_power must not be positive")
        for index, (value, says) in wrong.items():
            changed = list(scalars)
            changed[places[index]] = value
            r.update_error(f"Resource{what}{name}", variables(count, f), says=says,
                           *inputs(changed, gradient_of([3, 2], f), f,
                                   rows if what == "SparseApply" else None))
    r.update_error("ResourceApplyAdam", variables(3, "complex64"), code="Unimplemented",
                   says="complex64", *inputs(FORMS["Adam"][1], gradient_of([3, 2], "complex64"),
                                             "complex64"))
    r.update_error("ResourceApplyMomentum", variables(2, "float64"), says="float64",
                   *inputs(FORMS["Momentum"][1], gradient_of([3, 2], f), f))


def record(r):
    for name, form in FORMS.items():
        record_dense(r, name, *form)
        if name not in DENSE_ONLY:
            record_sparse(r, name, *form)
    record_special(r)
    record_scalar_errors(r)
