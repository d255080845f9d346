import numpy as np
from recorder import FLOATS, INTEGERS, array

from calls._steps import first_step, record_first_step

SEEDS = [(1, 2), (0, 7), (-3, 2**40 + 5)]


def sizes(*values, dtype="int32"):
    return array(list(values), dtype)


def record_even_and_normal(r):
    for op in ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]:
        exact = op == "RandomUniform"
        for dtype in FLOATS:
            for seed, seed2 in SEEDS:
                record_first_step(r, op, {"shape": sizes(3, 5)}, exact, dtype=dtype, seed=seed,
                                  seed2=seed2)
        for shape in [sizes(dtype="int32"), sizes(1, dtype="int64"), sizes(2, 0, 3)]:
            record_first_step(r, op, {"shape": shape}, exact, dtype="float32", seed=5, seed2=6)
        record_first_step(r, op, {"shape": sizes(200)}, exact, dtype="float32", seed=8, seed2=9)
        r.error(op, sizes(2, -1), dtype="float32", says="the size -1")
        r.error(op, sizes(2), dtype="int32", says="dtype")


def record_even_ints(r):
    op = "RandomUniformInt"
    for dtype in ["int32", "int64"]:
        info = np.iinfo(dtype)
        for low, high in [(0, 10), (-3, 4), (info.min, info.max), (5, 6), (0, info.max)]:
            record_first_step(
                r, op, {"shape": sizes(7), "minval": array(low, dtype),
                        "maxval": array(high, dtype)}, seed=1, seed2=2)
        r.error(op, sizes(2), array(4, dtype), array(4, dtype), says="must be less than")
        r.error(op, sizes(2), array([4], dtype), array(5, dtype), says="")
        r.call(op, sizes(0), array(4, dtype), array(4, dtype), outputs=[array([], dtype)])


def record_shuffle(r):
    for dtype in FLOATS + INTEGERS + ["complex64", "complex128"]:
        record_first_step(r, "RandomShuffle", {"value": array(np.arange(11) % 7, dtype)}, seed=1,
                          seed2=2)
    record_first_step(r, "RandomShuffle", {"value": array([True, False, False, True], "bool")},
                      seed=3, seed2=2)
    record_first_step(r, "RandomShuffle", {"value": array(["a", "bc", "", "d"], "string")}, seed=1,
                      seed2=2)
    for shape in [(), (1,), (0, 3), (1, 4), (6, 2), (5, 2, 3), (4, 0)]:
        value = array(np.arange(int(np.prod(shape))).reshape(shape), "float32")
        record_first_step(r, "RandomShuffle", {"value": value}, seed=9, seed2=8)


def record_multinomial(r):
    logits = [[0.0, 1.0, -2.0, 0.5], [3.0, -1.0, -1.0, 2.0], [-50.0, 0.0, 50.0, 49.0]]
    special = [[np.nan, 1.0, np.inf, 0.5], [-np.inf, -np.inf, 2.0, -np.inf], [np.nan] * 4]
    for dtype in FLOATS:
        for values in (logits, special):
            for count in (1, 7):
                record_first_step(
                    r, "Multinomial", {"logits": array(values, dtype),
                                       "num_samples": array(count, "int32")}, seed=1, seed2=2)
    record_first_step(
        r, "Multinomial", {"logits": array(logits, "float32"), "num_samples": array(9, "int32")},
        seed=4, seed2=2, output_dtype="int32")
    for shape, count in [((0, 3), 2), ((2, 3), 0), ((1, 1), 5)]:
        record_first_step(
            r, "Multinomial", {"logits": array(np.zeros(shape), "float32"),
                               "num_samples": array(count, "int32")}, seed=4, seed2=2)
    for dtype in INTEGERS:  # TensorFlow has no kernels for them: as the same logits in doubles
        one_sided = np.array([[1], [0]])
        r.call("Multinomial", array(one_sided, dtype), array(2, "int32"), seed=1,
               outputs=[array(np.zeros((2, 2)), "int64")])
    matrix, five = array(logits, "float32"), array(5, "int32")
    r.error("Multinomial", array([0.0], "float32"), five, says="")
    r.error("Multinomial", matrix, array([5], "int32"), says="")
    r.error("Multinomial", matrix, array(-1, "int32"), says="must not be negative: -1")
    r.error("Multinomial", array(np.zeros((2, 0)), "float32"), five, says="classes")


def record_gamma(r):
    alphas = [[0.1, 0.5, 1.0], [1.5, 10.0, 1000.0]]
    for dtype in ["float16", "float32", "float64"]:
        for shape in [sizes(4), sizes(2, 2, dtype="int64"), sizes()]:
            record_first_step(r, "RandomGamma", {"shape": shape, "alpha": array(alphas, dtype)},
                              exact=False, seed=1, seed2=2)
        record_first_step(r, "RandomGamma", {"shape": sizes(6), "alpha": array(0.7, dtype)},
                          exact=False, seed=3, seed2=2)
    for shape, alpha in [(sizes(0), [1.0, 2.0]), (sizes(2), []), (sizes(3), [np.nan, np.inf, 0])]:
        record_first_step(r, "RandomGamma", {"shape": shape, "alpha": array(alpha, "float32")},
                          exact=False, seed=3, seed2=2)
    # Derivatives of samples are no differences of samples: a test of streams has TensorFlow's.
    r.call("RandomGamma", sizes(0, 3), array([1.5, 2.5], "float64"), seed=3, seed2=2,
           outputs=[array([], "float64").reshape(0, 3, 2)])
    r.error("RandomGamma", array(3, "int32"), array(1.0, "float32"), says="")
    r.error("RandomGamma", sizes(-1), array(1.0, "float32"), says="the size -1")
    for dtype, tolerance in [("float32", 2e-4), ("float64", 1e-7)]:
        alpha = array([[0.1], [0.7], [1.0], [3.0], [40.0]], dtype)
        quantiles = np.array([[0.3, 1.0, 1.4]])
        r.call("RandomGammaGrad", alpha, array(quantiles * alpha, dtype), tolerance=tolerance)
        r.call("RandomGammaGrad", array([1.5, 2.5], dtype), array([[1.0], [2.0], [4.0]], dtype),
               tolerance=tolerance)
        r.call("RandomGammaGrad", array([], dtype), array(1.0, dtype))
    r.error("RandomGammaGrad", array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"),
            says="")


def record_poisson(r):
    kinds = ["float16", "float32", "float64", "int32", "int64"]
    rates = [[0.0, 0.3, 4.0, 9.9], [10.0, 25.0, 400.0, 2000.0]]
    for rate in kinds:
        for dtype in kinds:
            record_first_step(r, "RandomPoissonV2", {"shape": sizes(3), "rate": array(rates, rate)},
                              dtype=dtype, seed=1, seed2=2)
        if "float" in rate:
            # TensorFlow refuses its former name in new graphs.
            inputs = {"shape": sizes(2, 2), "rate": array(5.5, rate)}
            seeds = {"seed": 1, "seed2": 2}
            answer = first_step("RandomPoissonV2", inputs, {"dtype": rate} | seeds)
            r.call("RandomPoisson", *inputs.values(), outputs=[answer], gradient=[], **seeds)
            record_first_step(
                r, "RandomPoissonV2", {"shape": sizes(2), "rate": array([np.inf, -2.0], rate)},
                dtype=rate, seed=1, seed2=2)
    many = array([0.5, 3.0, 12.0, 1e4, 1e9], "float64")
    for dtype in ["float64", "int64"]:
        record_first_step(r, "RandomPoissonV2", {"shape": sizes(12, dtype="int64"), "rate": many},
                          dtype=dtype, seed=11, seed2=2)
    for shape, rate in [(sizes(0), [1.0]), (sizes(2), []), (sizes(), [[3.0]])]:
        record_first_step(r, "RandomPoissonV2", {"shape": shape, "rate": array(rate, "float32")},
                          dtype="float32", seed=1, seed2=2)
    one = sizes(1)
    r.error("RandomPoissonV2", one, array(np.nan, "float32"), dtype="int64", says="NaN")
    r.error("RandomPoissonV2", one, array(np.inf, "float32"), dtype="int64", says="too great")
    r.error("RandomPoissonV2", one, array(1e30, "float64"), dtype="int64", says="too great")
    r.error("RandomPoissonV2", one, array(1e12, "float64"), dtype="float16", says="too great")
    r.error("RandomPoissonV2", array(3, "int32"), array(1.0, "float32"), dtype="int64", says="")


def record_bounded(r):
    op, inf = "ParameterizedTruncatedNormal", np.inf

    def call(shape, *parameters, dtype="float32", seed=1):
        names = ["means", "stdevs", "minvals", "maxvals"]
        inputs = {name: array(value, dtype) for name, value in zip(names, parameters, strict=True)}
        record_first_step(r, op, {"shape": sizes(*shape)} | inputs, exact=False, seed=seed, seed2=2)

    kinds = [(0, 1, -2, 2), (0, 1, -0.5, 0.5), (1, 2, 1.5, 2), (0, 1, 3, inf), (0, 1, -inf, -4),
             (5, 0.5, -inf, 7), (0, 1, 100, 101), (0, 1, -1, 0.1), (2, 1, -9, 0)]
    for dtype in ["float16", "float32", "float64"]:
        for kind in kinds:
            if dtype != "float16" or kind[3] != 101:
                call((6,), *kind, dtype=dtype)
    call((3, 5), [0, 1, 2], [1, 1, 3], [-1, 0, 2], [1, 4, 9])
    call((2, 3, 2), [1], 1, [-1, -2], [2], seed=4)
    call((3, 90), 0, 1, -1, 2)
    call((2, 0), 0, 1, -1, 2)
    call((0,), 0, 1, -1, 2)
    zero, one, two = (array(value, "float32") for value in (0, 1, 2))
    r.error(op, sizes(2), zero, -one, zero, one, says="deviation")
    r.error(op, sizes(2), zero, one, two, one, says="lower bound")
    r.error(op, sizes(2), zero, one, array(-inf, "float32"), array(inf, "float32"), says="finite")
    r.error(op, sizes(), zero, one, zero, one, says="at least one size")
    r.error(op, sizes(3), array([1, 2], "float32"), one, zero, one, says="parameter 1")
    r.error(op, sizes(3), zero, one, zero, array([[1]], "float32"), says="")
    r.error(op, sizes(2), array(np.nan, "float32"), one, zero, one, says="none of 1000")


def record(r):
    record_even_and_normal(r)
    record_even_ints(r)
    record_shuffle(r)
    record_multinomial(r)
    record_gamma(r)
    record_poisson(r)
    record_bounded(r)
