#!/usr/bin/env python3
"""What do steps cost from Python, compared with those of the C++ client in troupe-bench?"""

import pathlib
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "capnp/python/processes"))
from nodes import Nodes  # noqa: E402

import troupe as tf  # noqa: E402

LARGE = 100 << 20  # bytes


def report(what, value, unit, note=""):
    print(f"{what:<44}{value:>12.1f}  {unit:<11}{note}")


def report_steps(what, step, count=5000):
    """The median of `count` steps, in microseconds."""
    times = sorted(timed(step) for _ in range(count + count // 10))
    spread = f"p10 {times[count // 10] * 1e6:.1f}, p99 {times[count * 99 // 100] * 1e6:.1f}"
    report(what, times[count // 2] * 1e6, "us", spread)


def report_bytes(what, step):
    """The best of eight; the first ones also allocate the memory."""
    report(what, LARGE / min(timed(step) for _ in range(8)) / 2**30, "GiB/s", "100 MiB")


def timed(step):
    begin = time.perf_counter()
    step()
    return time.perf_counter() - begin


def import_time():
    program = "import numpy, time; t = time.perf_counter(); import troupe;"
    program += "print(time.perf_counter() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(5))


def main():
    print(f"\n{'what, from Python':<44}{'value':>12}  {'unit':<11}note")
    nothing = tf.no_op()
    fed = tf.placeholder(tf.float32, [LARGE // 4])
    shape = tf.raw_ops.Shape(input=fed)
    v = tf.Variable(tf.ones([LARGE // 4]))
    array = np.ones(LARGE // 4, np.float32)
    report("import, without NumPy's", import_time() * 1e3, "ms")
    with tf.Session() as session:
        report_steps("null step, local", lambda: session.run(nothing))
    with Nodes(worker=1) as nodes, tf.Session(nodes.target("worker")) as session:
        report_steps("null step, remote", lambda: session.run(nothing))
        report_steps("null step, remote, callable", session.make_callable(nothing))
        session.run(v.initializer)
        report_bytes("feed, remote", lambda: session.run(shape, {fed: array}))
        report_bytes("fetch, remote", lambda: session.run(v))


if __name__ == "__main__":
    main()
