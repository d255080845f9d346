import numpy as np
from calls.nn._cells import lstm_block, lstm_block_back, lstm_step, lstm_step_back
from recorder import FLOATS, array

# Derivatives of the other outputs are none, so cells_test.cpp has the cases.
NO_GRADIENT = {"gradient": []}
PEEPHOLES = {"use_peephole": True}


def cell_inputs(batch, inputs, units, dtype, times=None, size=1.0, seed=1):
    """x, cs_prev, h_prev, w, wci, wcf, wco, b."""
    random = np.random.RandomState(seed)
    x = (batch, inputs) if times is None else (times, batch, inputs)
    shapes = [x, (batch, units), (batch, units), (inputs + units, 4 * units)]
    shapes += [(units,)] * 3 + [(4 * units,)]
    return [array(random.randn(*shape) * size, dtype) for shape in shapes]


def like(tensor, count, seed):
    random = np.random.RandomState(seed)
    return [array(random.randn(*tensor.shape), tensor.dtype) for _ in range(count)]


def wide(tensors):
    return [t.astype("float32") if t.dtype.itemsize == 2 else t for t in tensors]


def call(r, op, inputs, compute, **attrs):
    """float32 as TensorFlow computes it, other dtypes as NumPy does."""
    dtype = inputs[-1].dtype
    outputs = None
    if dtype != "float32":
        outputs = [value.astype(dtype) for value in compute(*wide(inputs), **attrs)]
    r.call(op, *inputs, outputs=outputs, **NO_GRADIENT, **attrs)


def step_back(*all, **attrs):
    return lstm_step_back(all[:8], all[8:14], *all[14:], **attrs)


def record_step(r, sizes, dtype, size=1.0, **attrs):
    inputs = cell_inputs(*sizes, dtype, size=size)
    call(r, "LSTMBlockCell", inputs, lstm_step, **attrs)
    results = [array(value, dtype) for value in lstm_step(*wide(inputs), **attrs)]
    peephole = {"use_peephole": attrs.get("use_peephole", False)}
    call(r, "LSTMBlockCellGrad", inputs + results[:6] + like(results[1], 2, seed=2),
         step_back, **peephole)


def record_block(r, version, sizes, dtype, length, times=3, size=1.0, **attrs):
    inputs = cell_inputs(*sizes, dtype, times, size=size)
    limit = np.int64(length)

    def compute(*all):
        return lstm_block(*all, version=version, **attrs)

    results = compute(limit, *wide(inputs))
    outputs = [array(value, dtype) for value in results]
    if dtype == "float32":
        # TensorFlow leaves what is behind the length unset, but for cs and h.
        answer = r._run("BlockLSTM" + version, [limit, *inputs], attrs)
        outputs = [value.numpy() for value in answer]
        for output in outputs:
            output[length:] = 0
    r.call("BlockLSTM" + version, limit, *inputs, outputs=outputs, **NO_GRADIENT, **attrs)
    peephole = {"use_peephole": attrs.get("use_peephole", False)}
    grads = like(outputs[1], 2, seed=2)

    def back(limit, *all):
        return lstm_block_back(limit, all[:8], all[8:15], *all[15:], version=version, **peephole)

    given = [limit, *inputs, *outputs, *grads]
    if dtype != "float32":
        values = [value.astype(inputs[-1].dtype) for value in back(limit, *wide(given[1:]))]
        r.call("BlockLSTMGrad" + version, *given, outputs=values, **NO_GRADIENT, **peephole)
    else:
        r.call("BlockLSTMGrad" + version, *given, **NO_GRADIENT, **peephole, tolerance=4e-6)


def record_empty(r):
    """No sequences, no inputs, no units."""
    for sizes in [(0, 3, 2), (2, 0, 2), (2, 3, 0)]:
        inputs = cell_inputs(*sizes, "float64")
        call(r, "LSTMBlockCell", inputs, lstm_step)
        call(r, "BlockLSTM", [np.int64(2), *cell_inputs(*sizes, "float64", 3)], lstm_block)
        results = lstm_step(*inputs)
        call(r, "LSTMBlockCellGrad", inputs + list(results[:6]) + like(results[1], 2, seed=2),
             step_back, use_peephole=False)
        record_block(r, "", sizes, "float64", 2)
    record_block(r, "", (2, 3, 2), "float64", 0, times=0)


def record_errors(r):
    x, cs, h, w, wci, wcf, wco, b = good = cell_inputs(2, 3, 2, "float32")
    op = "LSTMBlockCell"
    for i, (wrong, says) in enumerate([
            (x[0], "'x' must have the shape [batch,inputs]"),
            (cs[:1], "'cs_prev' must have the shape [batch,units], here [2,2], but has [1,2]"),
            (h[:, :1], "'h_prev' must have the shape [batch,units], here [2,2], but has [2,1]"),
            (w[:4], "'w' must have the shape [inputs+units,4*units], here [5,8], but has [4,8]"),
            (wci[:1], "'wci' must have the shape [units], here [2], but has [1]"),
            (wcf[:1], "'wcf' must have the shape [units], here [2], but has [1]"),
            (b[:4], "'wco' must have the shape [units], here [2], but has [4]"),
            (b[:7], "'b' must have the shape [4*units], here [8], but has [7]")]):
        r.error(op, *good[:i], wrong, *good[i + 1:], says=says)
    steps = [np.zeros((2, 2), "float32")] * 8
    r.error("LSTMBlockCellGrad", *good, *steps[1:], cs[:1], says="'h_grad' must have",
            use_peephole=False)
    good[0] = x = np.stack([x, x, x])
    for version in ["", "V2"]:
        op = "BlockLSTM" + version
        for length in [-1, 4]:
            r.error(op, np.int64(length), *good, says="'seq_len_max' must be in [0, 3]")
        r.error(op, np.zeros(1, "int64"), *good, says="'seq_len_max' must have the shape []")
        r.error(op, np.int64(1), x[0], *good[1:], says="'x' must have the shape [times,batch,")
        blocks = [np.zeros((3, 2, 2), "float32")] * 9
        op = "BlockLSTMGrad" + version
        r.error(op, np.int64(4), *good, *blocks, says="'seq_len_max' must", use_peephole=False)
        r.error(op, np.int64(1), *good, *blocks[1:], x[:2, :, :2], says="'h_grad' must have",
                use_peephole=False)


def record(r):
    for dtype in FLOATS:
        record_step(r, (2, 3, 2), dtype)
        record_step(r, (2, 1, 3), dtype, **PEEPHOLES)
        record_block(r, "", (2, 3, 2), dtype, 3)
        record_block(r, "V2", (2, 3, 2), dtype, 2, **PEEPHOLES)
    for dtype in ["float32", "float64"]:
        record_step(r, (3, 2, 1), dtype, size=3, cell_clip=0.5, forget_bias=-1.5, **PEEPHOLES)
        record_step(r, (1, 1, 1), dtype, size=3, cell_clip=-1.0)
        record_block(r, "", (1, 2, 3), dtype, 2, size=3, cell_clip=0.5, forget_bias=0.0,
                     **PEEPHOLES)
        record_block(r, "V2", (1, 2, 3), dtype, 3, size=3, cell_clip=0.5)
        record_block(r, "", (2, 3, 2), dtype, 0)
        record_block(r, "V2", (2, 3, 2), dtype, 1, times=1)
    # More units than a vector has elements, and not as many.
    record_step(r, (2, 3, 9), "float32", size=0.5, cell_clip=0.0)
    record_block(r, "", (2, 1, 9), "float32", 2, times=2, size=0.5)
    extreme = cell_inputs(1, 3, 2, "float32")
    extreme[0][0] = [np.inf, 0, -1e30]
    r.call("LSTMBlockCell", *extreme, **NO_GRADIENT)
    record_empty(r)
    record_errors(r)
