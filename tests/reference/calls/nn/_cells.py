"""Cells of recurrent networks in NumPy, for what TensorFlow computes in other dtypes only."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_gates(sums, version):
    """i, ci, f, o of a row of all."""
    i, second, third, o = np.split(sums, 4, axis=1)
    return (i, third, second, o) if version == "V2" else (i, second, third, o)


def lstm_step(x, cs_prev, h_prev, w, wci, wcf, wco, b, version="", cell_clip=3.0, forget_bias=1.0,
              use_peephole=False):
    sums = np.concatenate([x, h_prev], 1) @ w + b
    i, ci, f, o = lstm_gates(sums, version)
    peep = 1 if use_peephole else 0
    f = f if version == "V2" else f + forget_bias
    i, f, ci = sigmoid(i + peep * wci * cs_prev), sigmoid(f + peep * wcf * cs_prev), np.tanh(ci)
    cs = ci * i + cs_prev * f
    if cell_clip > 0:
        cs = np.clip(cs, -cell_clip, cell_clip)
    o = sigmoid(o + peep * wco * cs)
    return i, cs, f, o, ci, np.tanh(cs), o * np.tanh(cs)


def lstm_block(length, x, cs_prev, h_prev, *weights, **attrs):
    """All times; zeros from `length` on."""
    steps = []
    for time in range(int(length)):
        steps.append(lstm_step(x[time], cs_prev, h_prev, *weights, **attrs))
        cs_prev, h_prev = steps[-1][1], steps[-1][6]
    shape = (len(x), *cs_prev.shape)
    results = [np.zeros(shape, x.dtype) for _ in range(7)]
    for time, step in enumerate(steps):
        for result, value in zip(results, step):
            result[time] = value
    return results


def lstm_step_back(inputs, results, cs_grad, h_grad, version="", use_peephole=False):
    """Of cs_prev, of the sums of the gates, and of wci, wcf, wco."""
    _, cs_prev, _, _, wci, wcf, wco, _ = inputs
    i, cs, f, o, ci, co = results[:6]
    peep = 1 if use_peephole else 0
    d_o = h_grad * co * o * (1 - o)
    d_cs = cs_grad + h_grad * o * (1 - co**2) + peep * d_o * wco
    d_i, d_f, d_ci = d_cs * ci * i * (1 - i), d_cs * cs_prev * f * (1 - f), d_cs * i * (1 - ci**2)
    before = d_cs * f + peep * (d_i * wci + d_f * wcf)
    order = [d_i, d_f, d_ci, d_o] if version == "V2" else [d_i, d_ci, d_f, d_o]
    peepholes = [peep * (d * m).sum(0) for d, m in [(d_i, cs_prev), (d_f, cs_prev), (d_o, cs)]]
    return before, np.concatenate(order, 1), *peepholes


def lstm_block_back(length, inputs, results, cs_grad, h_grad, **attrs):
    x, cs_prev, h_prev, w, wci, wcf, wco, b = inputs
    x_grad, w_grad, b_grad = np.zeros_like(x), np.zeros_like(w), np.zeros_like(b)
    of_cs, of_h, peepholes = np.zeros_like(cs_prev), np.zeros_like(h_prev), [wci * 0] * 3
    for time in reversed(range(int(length))):
        before = (results[1][time - 1], results[6][time - 1]) if time else (cs_prev, h_prev)
        of_cs, gates, *more = lstm_step_back(
            [x[time], *before, w, wci, wcf, wco, b], [result[time] for result in results],
            cs_grad[time] + of_cs, h_grad[time] + of_h, **attrs)
        x_grad[time], of_h = np.split(gates @ w.T, [x.shape[2]], axis=1)
        w_grad += np.concatenate([x[time], before[1]], 1).T @ gates
        b_grad += gates.sum(0)
        peepholes = [total + each for total, each in zip(peepholes, more)]
    return x_grad, of_cs, of_h, w_grad, *peepholes, b_grad


def gru_step(x, h_prev, w_ru, w_c, b_ru, b_c):
    r, u = np.split(sigmoid(np.concatenate([x, h_prev], 1) @ w_ru + b_ru), 2, axis=1)
    c = np.tanh(np.concatenate([x, r * h_prev], 1) @ w_c + b_c)
    return r, u, c, u * h_prev + (1 - u) * c


def gru_step_back(x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h):
    d_c = d_h * (1 - u) * (1 - c**2)
    by_candidate, d_reset = np.split(d_c @ w_c.T, [x.shape[1]], axis=1)
    d_gates = np.concatenate([d_reset * h_prev * r * (1 - r), d_h * (h_prev - c) * u * (1 - u)], 1)
    by_gates, d_h_prev = np.split(d_gates @ w_ru.T, [x.shape[1]], axis=1)
    return by_candidate + by_gates, d_h_prev + d_reset * r + d_h * u, d_c, d_gates
