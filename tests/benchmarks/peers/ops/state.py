"""Assignments of variables, and the steps of optimizers."""

from program import MIB

from .case import case
from .operands import floats, integers

PARAMETERS = floats(4 * MIB)
TABLE = floats(65536, 64)

OPTIMIZERS = {
    "gradient_descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda tf: tf.train.AdamOptimizer(),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.1),
    "rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.1),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.1),
}


def _apply(optimizer):
    return case(
        lambda tf, parameters, gradient: optimizer(tf).apply_gradients([(gradient, parameters)]),
        PARAMETERS,
        PARAMETERS,
    )


def _apply_to_rows(optimizer):
    """The gradient is of some rows alone, as those of embeddings are."""

    def build(tf, table, rows, gradients):
        slices = tf.IndexedSlices(gradients, rows, tf.constant([65536, 64]))
        return optimizer(tf).apply_gradients([(slices, table)])

    return case(build, TABLE, integers(16384, high=65536), floats(16384, 64))


CASES = {
    "assign": case(lambda tf, variable, x: variable.assign(x).op, PARAMETERS, PARAMETERS),
    "assign_add": case(lambda tf, variable, x: variable.assign_add(x).op, PARAMETERS, PARAMETERS),
    "moving_average": case(
        lambda tf, variable, x: variable.assign_sub(x * 0.01).op, PARAMETERS, PARAMETERS
    ),
    "scatter_add": case(
        lambda tf, table, rows, x: tf.scatter_add(table, rows, x).op,
        TABLE,
        integers(16384, high=65536),
        floats(16384, 64),
    ),
    **{f"apply_{name}": _apply(optimizer) for name, optimizer in OPTIMIZERS.items()},
    **{
        f"apply_{name}_to_rows": _apply_to_rows(OPTIMIZERS[name])
        for name in ("gradient_descent", "adam", "adagrad")
    },
}
