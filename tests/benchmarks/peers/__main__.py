"""Compares Troupe with TensorFlow; run by tools/bench --peers, whose --help describes it."""

import argparse
import datetime
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys

import comparison
import report
from comparison import SIDES, TENSORFLOW, TROUPE, compare
from machine import machine, revision
from ops.cases import OPS, ops_matching
from page import page
from side_process import SideProcess
from workloads import WORKLOADS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build"
REQUIREMENTS = "requirements.txt"  # beside this file, and in an environment that has them
QUICK_HELP = "take two minutes in all, not ten; with all ops ten, not forty-five"
EXAMPLES = f"""
The {len(OPS)} ops and gradients of --ops are in tests/benchmarks/peers/ops/, a file a family. Their
names say what they compute: transpose_nhwc_to_nchw, gradient_of_softmax.

Example: the steps over several tasks, and a page with the figures:
  tools/bench --peers --quick --report peers.html two_tasks ten_hops tasks_8
Example: the convolutions, and at the end those that are slower than TensorFlow's:
  tools/bench --peers --ops '^conv'
"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"tools/bench: {message}; see tools/bench --help\n")


def parse(arguments):
    """The options; ends the program with exit code 2 where they are wrong."""
    width = max(map(len, WORKLOADS))
    known = [f"  {w.name:<{width}}  {w.what}, {w.unit}" for w in WORKLOADS.values()]
    parser = Parser(
        prog="tools/bench --peers",
        description="Runs each workload on Troupe and on TensorFlow in turns, and compares them.",
        epilog="Workloads:\n" + "\n".join(known) + "\n" + EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--ops",
        metavar="REGEX",
        nargs="?",
        const="",
        help="instead of workloads, compare single ops and gradients: those in whose names REGEX "
        "is found, or all",
    )
    parser.add_argument("--quick", action="store_true", help=QUICK_HELP)
    parser.add_argument("--json", action="store_true", help="print an object a line, no table")
    parser.add_argument("--report", metavar="FILE", help="also write a page of HTML")
    parser.add_argument("--no-build", action="store_true", help="measure what is built already")
    parser.add_argument("workloads", metavar="WORKLOAD", nargs="*", help="some of those below")
    options = parser.parse_args(arguments)
    for name in options.workloads:
        if name not in WORKLOADS:
            parser.error(f"unknown workload '{name}' (there are {', '.join(WORKLOADS)})")
    if options.ops is None:
        options.measured = [WORKLOADS[name] for name in options.workloads or WORKLOADS]
    else:
        options.measured = chosen_ops(parser, options)
    return options


def chosen_ops(parser, options):
    """The ops that --ops asks for."""
    if options.workloads:
        parser.error("--ops takes one REGEX, and no workloads")
    try:
        names = ops_matching(options.ops)
    except re.error as error:
        parser.error(f"'{options.ops}' is no regular expression: {error}")
    if not names:
        parser.error(f"no op has '{options.ops}' in its name")
    return [OPS[name] for name in names]


def peers_environment():
    """The folder in which tools/bench --setup has installed TensorFlow; ends without it."""
    folder = pathlib.Path(os.environ.get("TROUPE_PEERS", BUILD / "peers-venv"))
    wanted, installed = HERE / REQUIREMENTS, folder / REQUIREMENTS
    if not installed.exists() or installed.read_bytes() != wanted.read_bytes():
        sys.exit(f"tools/bench: no TensorFlow in {folder}: run tools/bench --setup first")
    return folder


def build():
    command = [ROOT / "tools/build", "troupe-node", "troupe_python", "dnnl_floor"]
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        sys.exit("tools/bench: the build failed")


def side_processes(peers):
    """The processes of the sides, in the order of their turns."""
    pythons = {TROUPE: BUILD / "venv", TENSORFLOW: peers}
    environments = {TROUPE: {"PYTHONPATH": str(BUILD / "python")}, TENSORFLOW: {"PYTHONPATH": ""}}
    return [
        SideProcess(
            side, [pythons[side] / "bin/python", HERE / "side.py", side], environments[side]
        )
        for side in SIDES
    ]


def effort_of(options):
    if options.ops is None:
        return comparison.QUICK if options.quick else comparison.FULL
    return comparison.OPS_QUICK if options.quick else comparison.OPS_FULL


def show_turn(workload, side):
    """On a terminal, says what runs, until the row is printed."""
    if sys.stderr.isatty():
        text = f"{workload}: {report.NAMES[side]}" if side else ""
        print(f"\r\033[K{text}", end="\r", file=sys.stderr, flush=True)


def measure(workloads, effort, processes, line_of):
    """Prints the line of each row as soon as it is measured; returns the rows."""
    rows = []
    for workload in workloads:
        on_turn = functools.partial(show_turn, workload.name)
        row = compare(workload, processes, effort, on_turn)
        on_turn(None)
        print(line_of(row), flush=True)
        rows.append(row)
    return rows


def versions_of(processes):
    versions = {process.name: process.version for process in processes}
    commit = revision(ROOT)
    if versions[TROUPE] and commit:
        versions[TROUPE] += f" ({commit})"
    return versions


def main():
    options = parse(sys.argv[1:])
    peers = peers_environment()
    if not options.no_build:
        build()
    when = f"{datetime.datetime.now():%Y-%m-%d %H:%M}, " + ("quick" if options.quick else "in full")
    described = machine()
    width = report.name_width(options.measured)
    line_of = functools.partial(report.table_line, width=width)
    if options.json:
        line_of = report.json_line
    else:
        print(f"{described}\n\n{report.table_head(width)}", flush=True)
    processes = side_processes(peers)
    try:
        rows = measure(options.measured, effort_of(options), processes, line_of)
    finally:
        for process in processes:
            process.end()
    versions = versions_of(processes)
    if options.ops is not None and not options.json:
        print("\n" + report.summary(rows, width))
    if not options.json:
        print("\n" + ", ".join(f"{report.NAMES[side]} {versions[side]}" for side in SIDES))
    if options.report:
        pathlib.Path(options.report).write_text(page(rows, described, versions, when))
    sys.exit(any(row.errors for row in rows))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
