"""Functions of each element, and of two tensors' elements with broadcasting."""

from program import MIB

from .case import case
from .operands import booleans, complexes, floats, integers

COUNT = 4 * MIB  # elements

# Functions of numbers in [0.5, 1.5).
UNARY = """abs negative exp log log1p expm1 sin cos tan atan sinh cosh asinh erf erfc lgamma digamma
  sqrt rsqrt square sign floor ceil round reciprocal sigmoid tanh is_nan log_sigmoid""".split()
# Functions with another formula for negative numbers.
ACTIVATIONS = "relu relu6 leaky_relu elu selu softplus softsign".split()
BINARY = """add subtract multiply divide maximum pow squared_difference floordiv floormod atan2
  equal less div_no_nan""".split()
OF_INTEGERS = "add multiply floordiv floormod less maximum".split()
OF_OTHER_FLOATS = "add multiply maximum divide".split()
CASTS = [
    ("float32", "int32"),
    ("int32", "float32"),
    ("float32", "float64"),
    ("float32", "float16"),
    ("float16", "float32"),
    ("float32", "bfloat16"),
    ("uint8", "float32"),
    ("float32", "uint8"),
    ("int64", "int32"),
    ("float32", "bool"),
]


def function(name):
    """tf.NAME or tf.nn.NAME, of any number of tensors."""

    def call(tf, *operands):
        return getattr(tf if hasattr(tf, name) else tf.nn, name)(*operands)

    return call


def _cast(source, target):
    is_float = source.startswith("float")
    numbers = floats(COUNT, dtype=source) if is_float else integers(COUNT, high=100, dtype=source)
    return case(lambda tf, x: tf.cast(x, getattr(tf, target)), numbers)


def _of_integers(name, dtype):
    left = integers(COUNT, low=1, high=1000, dtype=dtype)
    right = integers(COUNT, low=1, high=100, dtype=dtype)
    return case(function(name), left, right)


def _gelu(tf, x):
    """The Gaussian error linear unit, by its approximation with tanh."""
    return 0.5 * x * (1.0 + tf.tanh(0.79788 * (x + 0.044715 * x * x * x)))


UNARY_CASES = {
    **{name: case(function(name), floats(COUNT)) for name in UNARY},
    **{name: case(function(name), floats(COUNT, low=-1.5)) for name in ACTIVATIONS},
    **{
        name: case(function(name), floats(COUNT, low=-0.9, high=0.9))
        for name in ("asin", "acos", "atanh")
    },
    "acosh": case(lambda tf, x: tf.acosh(x), floats(COUNT, low=1.1, high=3)),
    "gelu": case(_gelu, floats(COUNT)),
    "clip_by_value": case(lambda tf, x: tf.clip_by_value(x, 0.7, 1.2), floats(COUNT)),
    "complex_abs": case(lambda tf, x: tf.abs(x), complexes(COUNT)),
    **{f"cast_{source}_to_{target}": _cast(source, target) for source, target in CASTS},
}

BINARY_CASES = {
    **{name: case(function(name), floats(COUNT), floats(COUNT)) for name in BINARY},
    **{
        f"{name}_{dtype}": _of_integers(name, dtype)
        for name in OF_INTEGERS
        for dtype in ("int32", "int64")
    },
    **{
        f"{name}_{dtype}": case(
            function(name), floats(COUNT, dtype=dtype), floats(COUNT, dtype=dtype)
        )
        for name in OF_OTHER_FLOATS
        for dtype in ("float64", "float16")
    },
    "complex": case(lambda tf, x, y: tf.complex(x, y), floats(COUNT), floats(COUNT)),
    "complex_multiply": case(lambda tf, x, y: x * y, complexes(COUNT), complexes(COUNT)),
    "logical_and": case(lambda tf, x, y: tf.logical_and(x, y), booleans(COUNT), booleans(COUNT)),
    "logical_and_of_comparisons": case(
        lambda tf, x, y: tf.logical_and(x > 1.0, y < 1.2), floats(COUNT), floats(COUNT)
    ),
    "bitwise_and": case(
        lambda tf, x, y: tf.bitwise.bitwise_and(x, y),
        integers(COUNT, high=1000),
        integers(COUNT, high=1000),
    ),
    "select": case(lambda tf, choice, x, y: tf.where(choice > 1.0, x, y), *[floats(COUNT)] * 3),
    "add_n_of_5": case(lambda tf, *numbers: tf.add_n(numbers), *[floats(COUNT)] * 5),
}

BROADCASTS = {
    "add_row": case(lambda tf, x, row: x + row, floats(4096, 1024), floats(1024)),
    "multiply_column": case(lambda tf, x, column: x * column, floats(4096, 1024), floats(4096, 1)),
    "multiply_middle": case(lambda tf, x, y: x * y, floats(64, 64, 1024), floats(64, 1, 1024)),
    "add_column_and_row": case(lambda tf, x, y: x + y, floats(2048, 1), floats(1, 2048)),
    "multiply_by_scalar": case(lambda tf, x: x * 2.0, floats(COUNT)),
}

SPECIAL_FUNCTIONS = {
    "betainc": case(
        lambda tf, a, b, x: tf.betainc(a, b, x),
        floats(65536),
        floats(65536),
        floats(65536, low=0.1, high=0.9),
    ),
    "igamma": case(lambda tf, a, x: tf.igamma(a, x), floats(65536), floats(65536)),
    "zeta": case(lambda tf, x, q: tf.zeta(x, q), floats(65536, low=1.5, high=3), floats(65536)),
    "cross": case(lambda tf, x, y: tf.cross(x, y), floats(262144, 3), floats(262144, 3)),
}

CASES = {**UNARY_CASES, **BINARY_CASES, **BROADCASTS, **SPECIAL_FUNCTIONS}
