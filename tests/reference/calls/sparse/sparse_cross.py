from recorder import array

SHAPE = array([3, 3], "int64")
FIRST = array([[0, 0], [0, 1], [2, 0]], "int64")
SECOND = array([[0, 0], [1, 0], [2, 0], [2, 1]], "int64")
TEXTS = array(["a", "b\0", "c"], "string")
NUMBERS = array([7, -8, 9, 2**62], "int64")
DENSE = array([["x", "y"], ["", "z"], ["u", "v"]], "string")
DENSE_NUMBERS = array([[1], [-2], [3]], "int64")


def cross(r, call, indices, values, shapes, dense, hashed=False, **more):
    call("SparseCross", indices, values, shapes, dense, N=len(indices),
         sparse_types=[name(v) for v in values], dense_types=[name(v) for v in dense],
         out_type="int64" if hashed else "string", internal_type="int64" if hashed else "string",
         hashed_output=hashed, **{"num_buckets": 0, "hash_key": 0xdecafcaffe, **more})


def name(tensor):
    return "string" if tensor.dtype == object else "int64"


def record(r):
    known = {"known_shape": False}
    two = [FIRST, SECOND], [TEXTS, array(["p", "q", "r", "s"], "string")], [SHAPE, SHAPE]
    mixed = [FIRST, SECOND], [TEXTS, NUMBERS], [SHAPE, SHAPE]
    cross(r, r.call, *two, [], **known)
    cross(r, r.call, *two, [DENSE], **known)
    for buckets in [0, 1, 100, 2**62]:
        cross(r, r.call, *mixed, [DENSE, DENSE_NUMBERS], hashed=True, num_buckets=buckets, **known)
    cross(r, r.call, *mixed, [], hashed=True, hash_key=-5, **known)
    cross(r, r.call, [FIRST], [TEXTS], [SHAPE], [], **known)
    cross(r, r.call, [], [], [], [DENSE_NUMBERS, DENSE], hashed=True, **known)
    none = array(FIRST[:0], "int64")
    cross(r, r.call, [none, SECOND], [TEXTS[:0], NUMBERS], [SHAPE, SHAPE], [], hashed=True,
          **known)
    wrong = {"says": "as many rows"}
    cross(r, r.error, *two, [DENSE[:2]], **wrong)
    cross(r, r.error, [FIRST], [TEXTS], [array([3], "int64")], [], says="do not fit a tensor")
    cross(r, r.error, [FIRST], [TEXTS[:2]], [SHAPE], [], says="do not fit 2 values")
    cross(r, r.error, [FIRST], [TEXTS], [array([2, 3], "int64")], [], says="does not lie")
    cross(r, r.error, [FIRST[::-1]], [TEXTS], [SHAPE], [], says="must come row by row")
    cross(r, r.error, [], [], [], [TEXTS], says="")
