import numpy as np
from calls.nn._cells import gru_step, gru_step_back
from calls.nn.lstm import NO_GRADIENT, call, like, wide
from recorder import FLOATS, array


def unit_inputs(batch, inputs, units, dtype, size=1.0):
    """x, h_prev, w_ru, w_c, b_ru, b_c."""
    random = np.random.RandomState(3)
    rows = inputs + units
    shapes = [(batch, inputs), (batch, units), (rows, 2 * units), (rows, units), (2 * units,)]
    return [array(random.randn(*shape) * size, dtype) for shape in [*shapes, (units,)]]


def record_unit(r, sizes, dtype, size=1.0):
    inputs = unit_inputs(*sizes, dtype, size)
    call(r, "GRUBlockCell", inputs, gru_step)
    r, u, c, h = [array(value, dtype) for value in gru_step(*wide(inputs))]
    return inputs + [r, u, c] + like(h, 1, seed=4)


def record(r):
    for dtype in FLOATS:
        call(r, "GRUBlockCellGrad", record_unit(r, (2, 3, 2), dtype), gru_step_back)
    for dtype in ["float32", "float64"]:
        for sizes, size in [((1, 1, 1), 3), ((3, 2, 1), 2), ((2, 3, 9), 0.5)]:
            given = record_unit(r, sizes, dtype, size)
            call(r, "GRUBlockCellGrad", given, gru_step_back)
    for sizes in [(0, 3, 2), (2, 0, 2), (2, 3, 0)]:
        call(r, "GRUBlockCellGrad", record_unit(r, sizes, "float64"), gru_step_back)
    extreme = unit_inputs(1, 3, 2, "float32")
    extreme[0][0] = [np.inf, 0, -1e30]
    r.call("GRUBlockCell", *extreme, **NO_GRADIENT)
    x, h, w_ru, w_c, b_ru, b_c = good = unit_inputs(2, 3, 2, "float32")
    for i, (wrong, says) in enumerate([
            (x[0], "'x' must have the shape [batch,inputs]"),
            (h[:1], "'h_prev' must have the shape [batch,units], here [2,2], but has [1,2]"),
            (w_ru[:4], "'w_ru' must have the shape [inputs+units,2*units], here [5,4], but has"),
            (w_c[:, :1], "'w_c' must have the shape [inputs+units,units], here [5,2], but has"),
            (b_ru[:3], "'b_ru' must have the shape [2*units], here [4], but has [3]"),
            (b_c[:1], "'b_c' must have the shape [units], here [2], but has [1]")]):
        r.error("GRUBlockCell", *good[:i], wrong, *good[i + 1:], says=says)
    r.error("GRUBlockCellGrad", *good, h, h, h, h[:1], says="'d_h' must have the shape")
