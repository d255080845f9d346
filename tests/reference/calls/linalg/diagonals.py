import numpy as np

from recorder import NUMERIC, PLAIN, array

ALIGNS = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


def counted(shape, dtype="float64"):
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    return array(values % 2 if dtype == "bool" else values, dtype)


def i32(value):
    return np.array(value, dtype="int32")


def record_main(r):
    """The first versions: the main diagonal."""
    for dtype in PLAIN:
        vector, matrix = counted((3,), dtype), counted((2, 3), dtype)
        zero = np.zeros((), vector.dtype)
        square = np.full((3, 3), zero)
        np.fill_diagonal(square, vector)
        r.call("MatrixDiag", vector, outputs=[square])
        r.call("MatrixDiagPart", matrix, outputs=[np.diagonal(matrix).copy()])
        changed = matrix.copy()
        np.fill_diagonal(changed, vector[:2])
        r.call("MatrixSetDiag", matrix, vector[:2], outputs=[changed])
        band = np.where(np.tri(2, 3, 0, dtype=bool), matrix, zero)
        r.call("MatrixBandPart", matrix, np.int64(-1), np.int64(0), outputs=[band])
        if dtype in NUMERIC:
            r.call("Diag", vector, outputs=[square])
            r.call("DiagPart", square, outputs=[vector])
    for shape in [(2, 2), (3, 1), (0,), (2, 0)]:
        r.call("MatrixDiag", counted(shape))
    for shape in [(2, 3, 3), (2, 4, 2), (2, 2, 4), (3, 0), (0, 3), (0, 2, 2)]:
        matrix = counted(shape)
        r.call("MatrixDiagPart", matrix)
        diagonal = -counted(shape[:-2] + (min(shape[-2:]),))
        r.call("MatrixSetDiag", matrix, diagonal)
    for shape in [(2, 2), (1, 2, 1)]:
        r.call("Diag", counted(shape))
    for shape in [(2, 3, 2, 3), (1, 1), (0, 0)]:
        r.call("DiagPart", counted(shape))
    r.call("Diag", counted((0,)))
    r.error("MatrixDiag", counted(()), says="at least rank 1")
    r.error("MatrixDiagPart", counted((3,)), says="at least rank 2")
    r.error("MatrixSetDiag", counted((3,)), counted((3,)), says="at least rank 2")
    r.error("MatrixSetDiag", counted((2, 3)), counted((3,)), says="have the shape [2], not [3]")
    r.error("Diag", counted(()), says="at least rank 1")
    r.error("Diag", counted((1, 1, 1, 1, 1)), says="at most 8 dimensions")
    for shape in [(), (3,), (1, 1, 1)]:
        r.error("DiagPart", counted(shape), says="even rank")
    r.error("DiagPart", counted((2, 3)), says="must come twice")


def record_bands(r):
    matrix = counted((2, 3, 4))
    for lower, upper in [(0, 0), (1, 1), (-1, 1), (0, -1), (-1, -1), (3, 4), (2, 0)]:
        r.call("MatrixBandPart", matrix, np.int64(lower), np.int64(upper))
    r.call("MatrixBandPart", matrix, i32(1), i32(0))
    for shape in [(0, 3), (3, 0), (5, 1), (1, 5)]:
        r.call("MatrixBandPart", counted(shape), np.int64(0), np.int64(0))
    r.call("MatrixBandPart", array([[np.nan, np.inf], [np.nan, 1]], "float32"), i32(0), i32(0))
    r.error("MatrixBandPart", matrix, i32(4), i32(0), says="'num_lower' must be at most 3")
    r.error("MatrixBandPart", matrix, i32(0), i32(5), says="'num_upper' must be at most 4")
    r.error("MatrixBandPart", counted((3,)), i32(0), i32(0), says="at least rank 2")
    r.error("MatrixBandPart", matrix, i32([0]), i32(0), says="input 1 must")


def packed_width(rows, columns, lower, upper):
    return min(rows + min(upper, 0), columns - max(lower, 0))


def record_versions(r):
    padding = np.float64(99)
    for rows, columns, k in [
            (3, 3, 0), (3, 3, 1), (3, 3, -1), (2, 4, 2), (4, 2, -3), (3, 3, [0, 0]),
            (3, 3, [-1, 1]), (2, 4, [-1, 2]), (4, 3, [-3, -1]), (3, 4, [1, 3]), (3, 4, [0, 3])]:
        lower, upper = (k, k) if isinstance(k, int) else k
        width = packed_width(rows, columns, lower, upper)
        packed = (width,) if lower == upper else (upper - lower + 1, width)
        for version, aligns in [("V2", [None]), ("V3", ALIGNS)]:
            for align in aligns:
                r.call("MatrixDiagPart" + version, counted((rows, columns)), i32(k), padding,
                       align=align, gradient=[0])
                r.call("MatrixSetDiag" + version, counted((rows, columns)), -counted(packed),
                       i32(k), align=align)
                r.call("MatrixDiag" + version, counted(packed), i32(k), i32(rows),
                       i32(columns), padding, align=align, gradient=[0])
    for version in ["V2", "V3"]:
        r.call("MatrixDiagPart" + version, counted((2, 2, 3)), i32([-1, 0]), padding, gradient=[0])
        r.call("MatrixSetDiag" + version, counted((2, 2, 3)), -counted((2, 2, 2)), i32([-1, 0]))
        for sizes in [(-1, -1), (-1, 3), (3, -1)]:
            r.call("MatrixDiag" + version, counted((2, 2, 2)), i32([-1, 0]), i32(sizes[0]),
                   i32(sizes[1]), padding, gradient=[0])
        r.call("MatrixDiag" + version, counted((2,)), i32(2), i32(-1), i32(-1), padding,
               gradient=[0])
        r.call("MatrixDiag" + version, counted((0,)), i32(2), i32(-1), i32(-1), padding,
               gradient=[])
        r.call("MatrixDiagPart" + version, counted((0, 3)), i32(0), padding, gradient=[])
        for dtype in PLAIN:
            values = counted((2, 2), dtype)
            fill = array(1, dtype)
            rows = np.array([[values[0, 1], fill], [values[0, 0], values[1, 1]]])
            if version == "V3":
                rows[0] = rows[0][::-1]
            rows = array(rows, dtype)
            r.call("MatrixDiagPart" + version, values, i32([0, 1]), fill, outputs=[rows],
                   gradient=[])
            made = values.copy()
            made[1, 0] = fill
            r.call("MatrixDiag" + version, rows, i32([0, 1]), i32(2), i32(2), fill,
                   outputs=[made], gradient=[])
            zeros = np.zeros((2, 2), values.dtype)
            zeros[0] = made[0]
            zeros[1, 1] = made[1, 1]
            r.call("MatrixSetDiag" + version, np.zeros((2, 2), values.dtype), rows, i32([0, 1]),
                   outputs=[zeros], gradient=[])


def record_version_errors(r):
    zero = np.float64(0)
    for version in ["V2", "V3"]:
        make, part, put = (op + version for op in [
            "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag"])
        for k, says in [([1, 0], "lies above the upper one"), ([0, 0, 0], "one or two elements"),
                        ([[0]], "scalar or vector of integers"),
                        (np.zeros(0), "one or two elements")]:
            r.error(make, counted((2,)), i32(k), i32(-1), i32(-1), zero, says=says)
            r.error(part, counted((2, 2)), i32(k), zero, says=says)
            r.error(put, counted((2, 2)), counted((2,)), i32(k), says=says)
        r.error(make, counted((2,)), i32(1), i32(3), i32(4), zero, says="has longer diagonals")
        r.error(make, counted((2,)), i32(0), i32(1), i32(4), zero, says="is too small")
        r.error(make, counted((2,)), i32(0), i32(-2), i32(2), zero, says="is too small")
        r.error(make, counted((2, 2)), i32([0, 2]), i32(3), i32(4), zero, says="have 3 diagonals")
        r.error(make, counted((2,)), i32([0, 1]), i32(3), i32(4), zero, says="at least rank 2")
        r.error(make, counted((2,)), i32(0), i32([2]), i32(2), zero, says="input 2 must")
        r.error(make, counted((2,)), i32(2**31 - 1), i32(-1), i32(-1), zero, says="so many elem")
        for k in [3, -2, 2**31 - 1, -2**31, [-2**31, 2**31 - 1]]:
            r.error(part, counted((2, 3)), i32(k), zero, says="lies outside of a matrix")
        r.error(part, counted((2,)), i32(0), zero, says="at least rank 2")
        r.error(part, counted((2, 2)), i32(0), np.zeros(1), says="input 2 must")
        r.error(put, counted((2, 3)), counted((3,)), i32(0), says="shape [2], not [3]")
        r.error(put, counted((2, 3)), counted((2,)), i32([0, 1]), says="shape [2,2], not [2]")
    r.error("MatrixDiagPartV3", counted((2, 2)), i32(0), zero, says="align", align="LEFT")


def record(r):
    record_main(r)
    record_bands(r)
    record_versions(r)
    record_version_errors(r)
