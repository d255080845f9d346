#!/usr/bin/env python3
"""Runs random calls of ops on TensorFlow and on Troupe, and prints where they differ.

Needs the environment of `tools/bench --setup` and the Python package:

    export PYTHONPATH=build/python
    build/peers-venv/bin/python tests/reference/compare.py --calls 200
    build/peers-venv/bin/python tests/reference/compare.py MatMul Sum --seed 7
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import ml_dtypes  # noqa: E402  (TensorFlow reads the environment when it is imported)
import numpy as np  # noqa: E402
from random_calls import RandomCalls, dtype_of, recorded_calls  # noqa: E402
from recorder import TOLERANCES  # noqa: E402
from sides import CRASHED, HANGS, Side, arguments_of  # noqa: E402
from tensorflow.python.framework import op_def_registry  # noqa: E402

# The order of a sum is nowhere defined, so a result is compared to the largest of its tensor.
TOLERANCE_FACTOR = 16
# TensorFlow computes some of these with other codes than it documents, and Troupe says which.
SAME_CODES = [{"InvalidArgument", "OutOfRange", "FailedPrecondition"},
              {"NotFound", "Unimplemented"}]


def is_random(op):
    words = ("Random", "Multinomial", "Truncated", "Candidate", "Sampler", "SampleDistorted",
             "Timestamp", "Parameterized", "Temporary")
    return any(word in op for word in words) and not op.startswith("Stateless")


def element_difference(got, expected):
    """Empty, or the first element that differs, and how."""
    if expected.dtype == object or expected.dtype.kind in "biu":
        differs = got != expected
    else:
        name = dtype_of(expected)
        wide = "complex128" if expected.dtype.kind == "c" else "float64"
        got, expected = got.astype(wide), expected.astype(wide)
        finite = np.abs(expected[np.isfinite(expected)])
        tolerance = TOLERANCES[name] * TOLERANCE_FACTOR * max(1.0, finite.max(initial=0.0))
        with np.errstate(invalid="ignore"):
            near = (got == expected) | (np.abs(got - expected) <= tolerance)
        differs = ~(near | (np.isnan(got) & np.isnan(expected)))
    places = np.argwhere(differs)
    if not places.size and not np.any(differs):
        return ""
    place = tuple(places[0]) if expected.ndim else ()
    return f"element {list(map(int, place))} is {got[place]} instead of {expected[place]}"


def value_difference(op, got, expected):
    if len(got) != len(expected):
        return "value", f"{len(got)} outputs instead of {len(expected)}"
    for i, (ours, theirs) in enumerate(zip(got, expected)):
        if theirs.dtype == ml_dtypes.bfloat16:
            ours = ours.astype(ml_dtypes.bfloat16)
        if theirs.dtype.kind in "SU":
            theirs = theirs.astype(object)
        ours = ours.astype(object) if ours.dtype.kind in "SU" else ours
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return "shape", (f"output {i} is {ours.dtype}{list(ours.shape)} instead of "
                             f"{theirs.dtype}{list(theirs.shape)}")
        found = "" if is_random(op) else element_difference(ours, theirs)
        if found:
            return "value", f"output {i}, {found}"
    return None


def difference(op, got, expected):
    """None, or what kind of difference it is, and what differs."""
    if got in (CRASHED, HANGS) if isinstance(got, str) else False:
        return "crash", f"Troupe: {got}"
    if isinstance(expected, str):
        return None  # TensorFlow crashed: nothing to compare with
    if isinstance(got, tuple) and isinstance(expected, tuple):
        codes = {got[0], expected[0]}
        if len(codes) == 1 or any(codes <= same for same in SAME_CODES):
            return None
        return "code", f"{got[0]}: {got[1]}\n    instead of {expected[0]}: {expected[1]}"
    if isinstance(got, tuple):
        return "refused", f"Troupe: {got[0]}: {got[1]}"
    if isinstance(expected, tuple):
        # No kernel, or none for this dtype: that is TensorFlow's matter.
        if expected[0] in ("NotFound", "Unimplemented"):
            return None
        return "accepted", f"TensorFlow: {expected[0]}: {expected[1]}"
    return value_difference(op, got, expected)


def definition_of(op):
    """TensorFlow's definition, without the attributes that 1.15 does not have.

    An input whose dtype such an attribute says has its default, which 1.15 fixes.
    """
    definition = op_def_registry.get(op)
    lines = json.loads((pathlib.Path(__file__).parent / "definitions.json").read_text())
    line = next((line for line in lines if line.startswith(op + "(")), None)
    if line is None:
        return definition
    copy = type(definition)()
    copy.CopyFrom(definition)
    new = [a for a in definition.attr if not re.search(rf"\b{a.name}\b", line)]
    for argument in copy.input_arg:
        for attr in new:
            if argument.type_attr == attr.name:
                argument.type_attr, argument.type = "", attr.default_value.type
    del copy.attr[:]
    copy.attr.extend(a for a in definition.attr if a not in new)
    return copy


def ops_of_troupe():
    import troupe

    return [name for name in dir(troupe.raw_ops) if op_def_registry.get(name)]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", nargs="*", metavar="OP", help="all that both have, if not given")
    parser.add_argument("--calls", type=int, default=50, help="of each op (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="determines all calls (%(default)s)")
    parser.add_argument(
        "--kinds", default="crash,value,shape,refused,accepted",
        help="differences to print, of these and `code` (%(default)s)")
    parser.add_argument("--most", type=int, default=3, help="of each kind and op (%(default)s)")
    return parser.parse_args()


def compare_op(op, arguments, sides, recorded):
    """The number of valid calls, and of all differences of each kind; prints some of them."""
    definition = definition_of(op)
    calls = RandomCalls(definition, recorded.get(op, []), [arguments.seed, zlib.crc32(op.encode())])
    valid, kinds = 0, collections.Counter()
    for number in range(arguments.calls):
        call = calls.draw()
        try:
            request = op, *arguments_of(definition, call)
        except IndexError:
            continue  # tensors that no list of arguments takes
        expected, got = (side.answer(*request) for side in sides)
        valid += isinstance(expected, list)
        found = difference(op, got, expected)
        if not found or found[0] not in arguments.kinds.split(","):
            continue
        kinds[found[0]] += 1
        if kinds[found[0]] <= arguments.most:
            print(f"{op}, call {number}, {found[0]}: {call}\n    {found[1]}\n", flush=True)
    return valid, kinds


def main():
    arguments = parse_arguments()
    ops = arguments.ops or ops_of_troupe()
    unknown = [op for op in ops if not op_def_registry.get(op)]
    if unknown:
        sys.exit(f"compare.py: TensorFlow has no op {', '.join(unknown)}")
    recorded = recorded_calls()
    sides = Side("tensorflow"), Side("troupe")
    total = collections.Counter()
    for op in ops:
        valid, kinds = compare_op(op, arguments, sides, recorded)
        total += kinds
        total["valid"] += valid
        if kinds:
            counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            print(f"{op}: {valid} of {arguments.calls} valid; {counts}\n", flush=True)
    valid = total.pop("valid", 0)
    print(f"{len(ops)} ops, {valid} valid calls, {sum(total.values())} differences {dict(total)}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
