import numpy as np

from recorder import COMPLEX, NUMERIC, array


def spread(shape, dtype, start=1):
    """Small numbers, all different from their neighbours; exact in every dtype."""
    count = int(np.prod(shape))
    values = (np.arange(start, start + count) * 5 % 7).astype(float)
    if dtype in COMPLEX:
        values = values - 3 + 1j * (np.arange(count) * 3 % 5 - 2)
    elif not dtype.startswith(("uint", "int")):
        values = (values - 3) / 2
    return array(values.reshape(shape), dtype)


def record_batches(r):
    for dtype in NUMERIC:
        for adj_x, adj_y in [(False, False), (True, True)]:
            x = spread((2, 3, 2) if adj_x else (2, 2, 3), dtype)
            y = spread((2, 2, 3) if adj_y else (2, 3, 2), dtype, 4)
            a = np.conj(np.swapaxes(x, 1, 2)) if adj_x else x
            b = np.conj(np.swapaxes(y, 1, 2)) if adj_y else y
            product = np.matmul(a.astype("complex128"), b.astype("complex128"))
            product = array(product if dtype in COMPLEX else product.real, dtype)
            for op in ["BatchMatMul", "BatchMatMulV2"]:
                r.call(op, x, y, outputs=[product], adj_x=adj_x, adj_y=adj_y)
    f = "float64"
    for adj_x in [False, True]:
        for adj_y in [False, True]:
            x = spread((3, 2) if adj_x else (2, 3), f)
            y = spread((4, 2, 3) if adj_y else (4, 3, 2), f, 3)
            r.call("BatchMatMulV2", x, y, adj_x=adj_x, adj_y=adj_y)
            r.call("BatchMatMulV2", np.swapaxes(y, 1, 2), x.T, adj_x=adj_y, adj_y=adj_x)
    r.call("BatchMatMulV2", spread((2, 1, 1, 2), f), spread((3, 2, 2), f))
    r.call("BatchMatMulV2", spread((2, 1, 2, 2), f), spread((1, 3, 2, 1), f))
    r.call("BatchMatMulV2", spread((1, 2, 2), f), spread((2, 1), f))
    r.call("BatchMatMul", spread((2, 3), f), spread((3, 4), f))
    r.call("BatchMatMulV2", spread((2, 2, 0), f), spread((0, 3), f))
    r.call("BatchMatMulV2", spread((0, 2, 3), f), spread((1, 3, 2), f))
    r.call("BatchMatMulV2", spread((5, 1, 1), f), spread((1, 1), f))
    r.call("BatchMatMul", array([[[np.nan, 1]]], "float32"), array([[[0], [np.inf]]], "float32"))
    r.call("BatchMatMul", array([[[2**31 - 1]]], "int32"), array([[[2]]], "int32"))


def record_batch_errors(r):
    f = "float32"
    for op in ["BatchMatMul", "BatchMatMulV2"]:
        r.error(op, spread((2,), f), spread((2, 2), f), says="at least rank 2")
        r.error(op, spread((1, 2), f), spread((3, 2), f), says="inner sizes of [1,2] and [3,2]")
        r.error(op, spread((3, 2, 2), f), spread((2, 2, 2), f), says="batches of")
    r.error("BatchMatMul", spread((2, 2), f), spread((3, 2, 2), f), says="batches of")
    r.error("BatchMatMul", spread((1, 2, 2), f), spread((3, 2, 2), f), says="batches of")


EQUATIONS = {
    "ab->ba": [(2, 3)],
    "abc->ca": [(2, 3, 2)],
    "ab->": [(2, 3)],
    "->": [()],
    "aa->": [(3, 3)],
    "aab->ba": [(2, 2, 3)],
    "a->aa": [(3,)],
    "ab->aab": [(2, 3)],
    "aab->abb": [(2, 2, 3)],
    "a...->...a": [(2, 3, 2)],
    "a...b->b...": [(2, 3, 2)],
    "...aa->...": [(2, 2, 2)],
    "a...->a": [(3,)],
    "ab,bc->ac": [(2, 3), (3, 4)],
    "ab,cb->ca": [(2, 3), (4, 3)],
    "ab,ab->": [(2, 3), (2, 3)],
    "ab,ab->ab": [(2, 3), (2, 3)],
    "ab,b->ab": [(2, 3), (3,)],
    "a,b->ab": [(2,), (3,)],
    "a,b->": [(2,), (3,)],
    ",->": [(), ()],
    ",ab->ba": [(), (2, 3)],
    "bij,bjk->bik": [(2, 2, 3), (2, 3, 2)],
    "bij,bjk->kbi": [(2, 2, 3), (2, 3, 2)],
    "jib,bkj->bik": [(3, 2, 2), (2, 2, 3)],
    "abcd,cdb->ab": [(2, 2, 2, 2), (2, 2, 2)],
    "abc,bd->ad": [(2, 3, 2), (3, 2)],
    "aab,bc->ca": [(2, 2, 3), (3, 2)],
    "ab,bc->aac": [(2, 3), (3, 2)],
    "a...,b...->...ab": [(2, 3), (3, 1)],
    "...ij,...jk->...ik": [(2, 1, 2, 2), (3, 2, 1)],
    "i...j,j->i...": [(2, 3, 2), (2,)],
    "ij,jk...->ik...": [(2, 3), (3, 2, 2)],
    "...,...->...": [(2, 1), (3,)],
    "a,b->a...b": [(3,), (2,)],
    "...a,...b->...": [(1, 2), (3, 2)],
    "AbC,Cz->zAb": [(2, 2, 2), (2, 3)],
    "ab,bc->ca": [(2, 0), (0, 3)],
    "ab,b->a": [(0, 2), (2,)],
}


def record_einsum(r):
    for equation, shapes in EQUATIONS.items():
        operands = [spread(shape, "float64", i + 2) for i, shape in enumerate(shapes)]
        r.call("Einsum", operands, equation=equation)
    for dtype in NUMERIC:
        x, y = spread((2, 3), dtype), spread((3, 2), dtype, 4)
        wide = "complex128" if dtype in COMPLEX else "float64"
        for equation, operands in [
                ("ab,bc->ca", [x, y]), ("ab->b", [x]), ("ab->aab", [x]), ("ab,cd->ac", [x, y])]:
            summed = equation.replace("aab", "ab")
            result = np.einsum(summed, *[v.astype(wide) for v in operands])
            if equation != summed:
                result = np.stack([np.stack([result[0], 0 * result[0]]),
                                   np.stack([0 * result[1], result[1]])])
            r.call("Einsum", operands, outputs=[array(result, dtype)], equation=equation)
    r.call("Einsum", [array([2**31 - 1, 1], "int32")], equation="a->")
    r.call("Einsum", [array([np.nan, 1], "float32"), array([1, np.inf], "float32")],
           equation="a,b->ab")
    wide = np.arange(40 * 50, dtype="float32").reshape(40, 50) / 1000
    r.call("Einsum", [wide, wide[:, :30]], equation="ab,ac->c", tolerance=1e-5)


def record_einsum_errors(r):
    f = "float32"
    x = spread((2, 3), f)
    for equation, says in [
            ("ab", "lacks '->'"), ("a1->a", "letters and '...'"), ("a b->ab", "letters and '...'"),
            ("a.b->ab", "letters and '...'"), ("...a...->a", "more than one '...'"),
            ("ab,bc->ac", "2 operands, but there are 1"), ("ab->ac", "label 'c' of the result"),
            ("abc->a", "must have 3 axes for 'abc', but is [2,3]"), ("a->a", "must have 1 axes"),
            ("a...->a", "no '...' for the axes [3]"), ("abc...->a", "at least 3 axes"),
            ("aa->a", "'a' stands for 2 elements, but for 3"),
            ("ab->->a", "letters"),
            ("ab->ababababa", "would have 9 axes, more than 8")]:
        r.error("Einsum", [x], equation=equation, says=says)
    r.error("Einsum", [x, x], equation="ab,bc->ac", says="'b' stands for 3 elements")
    r.error("Einsum", [x, x[:, :2]], equation="a...,b...->ab...", says="cannot be broadcast")
    r.error("Einsum", [x, x, x], equation="a,b,c->abc", says="1 or 2 are possible")


def record(r):
    record_batches(r)
    record_batch_errors(r)
    record_einsum(r)
    record_einsum_errors(r)
