"""Compares Troupe with PyTorch on one GPU; run by tools/bench --gpu, whose --help describes it."""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))

import figures  # noqa: E402
from goals import goal_of  # noqa: E402
from side_process import SideError, SideProcess  # noqa: E402

ROOT = HERE.parents[2]  # share/ in a folder of tools/bundle
PROGRAM = "troupe-gpu-bench"
IS_BUNDLE = not (ROOT / "tools/build").exists()
SKIPPED = 77
START_SECONDS = 120  # at most, until a side can measure
LIMIT_SECONDS = 60  # of a row
COLUMNS = "{:<28}{:<6}{:>10}{:>10}{:>8}  {:<17}{:<8}{}"
HEAD = COLUMNS.format("row", "unit", "Troupe", "PyTorch", "ratio", "goal", "", "notes")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see --help\n")


def parse(arguments):
    """The options; ends the program with exit code 2 where they are wrong."""
    parser = Parser(
        prog="tools/bench --gpu",
        description="Measures each row on Troupe's first GPU and on PyTorch's, one after the "
        "other, and compares them. PyTorch is that of the python3 that runs this; without it "
        "Troupe's figures stand alone. A ratio over 1 means that Troupe is ahead.",
        epilog="In a folder of tools/bundle, python3 FOLDER/share/troupe/benchmarks/gpu does the "
        "same without a build. Exits with code 77 where there is no GPU, and with 1 if a row "
        "failed.",
        allow_abbrev=False,
    )
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose names match")
    parser.add_argument(
        "--seconds", type=float, default=0.3, help="how long a side measures a row (default: 0.3)"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--json", action="store_true", help="print an object a line, no table")
    parser.add_argument("--no-build", action="store_true", help="measure what is built already")
    parser.add_argument(
        "--program", metavar="FILE", help="a troupe-gpu-bench that is built, as of a bundle"
    )
    options = parser.parse_args(arguments)
    try:
        re.compile(options.only)
    except re.error as error:
        parser.error(f"'{options.only}' is no regular expression: {error}")
    return options


def build():
    if subprocess.run([ROOT / "tools/build", PROGRAM], stdout=sys.stderr).returncode != 0:
        sys.exit("tools/bench: the build failed")


def program_of(options):
    """The program of Troupe's side; it is built first where it can be."""
    if options.program:
        return pathlib.Path(options.program)
    if IS_BUNDLE:
        return HERE.parents[3] / "bin" / PROGRAM
    if not options.no_build:
        build()
    return ROOT / "build/bin" / PROGRAM


def rows_of(program, only):
    """The names of the rows, in their order."""
    command = [program, "--list", "--only", only]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"tools/bench: {program} does not run")
    return done.stdout.split()


def try_to_start(side):
    """Why a side cannot measure; None if it has started."""
    try:
        side.start(START_SECONDS)
    except SideError as error:
        return str(error).partition("skipped: ")[2] or str(error)
    return None


def answer_of(side, name, seconds):
    """What the side measured; an error ends its process, which may have lost its GPU with it."""
    try:
        return side.answer_of(name, seconds, LIMIT_SECONDS)
    except SideError as error:
        side.end()
        return {"error": str(error)}


def compare(name, answers, copy):
    """The row as an object. `copy`: Troupe's figure of that row, if it was measured."""
    troupe, torch = (answers.get(side, {}) for side in ("troupe", "pytorch"))
    unit = troupe.get("unit") or torch.get("unit") or ""
    row = {
        "name": name,
        "unit": unit,
        "troupe": troupe.get("value"),
        "pytorch": torch.get("value"),
        "ratio": figures.ratio(unit, troupe.get("value"), torch.get("value")),
    }
    goal = goal_of(name)
    row["goal"] = goal.text
    row["is_met"] = goal.is_met(row, copy)
    row["notes"] = {side: a["note"] for side, a in answers.items() if a.get("note")}
    row["errors"] = {side: a["error"] for side, a in answers.items() if "error" in a}
    return row


def table_line(row):
    met = {True: "met", False: "missed", None: ""}[row["is_met"]]
    notes = [f"{side}: {text}" for side, text in {**row["notes"], **row["errors"]}.items()]
    values = [
        "failed" if side in row["errors"] else figures.text_of(row[side])
        for side in ("troupe", "pytorch")
    ]
    ratio = figures.text_of(row["ratio"])
    line = COLUMNS.format(
        row["name"], row["unit"], *values, ratio, row["goal"], met, "; ".join(notes)
    )
    return line.rstrip()


def measure(names, sides, seconds, line_of):
    """Prints the line of each row as soon as it is measured; returns the rows."""
    rows, copy = [], None
    for name in names:
        answers = {side.name: answer_of(side, name, seconds) for side in sides}
        row = compare(name, answers, copy)
        if name == "copy":
            copy = row["troupe"]
        print(line_of(row), flush=True)
        rows.append(row)
    return rows


def main():
    options = parse(sys.argv[1:])
    program = program_of(options)
    if not program.exists():
        sys.exit(f"tools/bench: there is no {program}")
    names = rows_of(program, options.only)
    if options.list:
        print("\n".join(names))
        return 0
    sides = [
        SideProcess("troupe", [program, "--serve"]),
        SideProcess("pytorch", [sys.executable, HERE / "torch_side.py", "--serve"]),
    ]
    try:
        if reason := try_to_start(sides[0]):
            print(f"tools/bench: {reason}", file=sys.stderr)
            return SKIPPED
        said = [f"Troupe on {sides[0].version}"]
        if reason := try_to_start(sides[1]):
            said.append(f"without PyTorch: {reason}")
            del sides[1]
        else:
            said.append(f"PyTorch {sides[1].version}")
        print(", ".join(said), file=sys.stderr if options.json else sys.stdout)
        if not options.json:
            print("\n" + HEAD.rstrip(), flush=True)
        line_of = json.dumps if options.json else table_line
        rows = measure(names, sides, options.seconds, line_of)
    finally:
        for side in sides:
            side.end()
    return int(any(row["errors"] for row in rows))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
