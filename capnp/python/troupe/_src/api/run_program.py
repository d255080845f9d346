"""`python -m troupe`: runs a program written for TensorFlow."""

from __future__ import annotations

import os
import runpy
import sys
from typing import List, NoReturn, Union

from troupe._src.api.alias import install

USAGE = """usage: python -m troupe PROGRAM.py [ARGUMENTS]
       python -m troupe -m MODULE [ARGUMENTS]

Runs a program, in which `import tensorflow` gives this package."""


def run_program(arguments: List[str]) -> None:
    """Runs the program that a command line names, as `python PROGRAM.py` would."""
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        _exit_with_usage(0 if arguments[:1] in (["-h"], ["--help"]) else 2)
    install()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        _serve_children()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    program = arguments[0]
    if not os.path.isfile(program):
        print(f"python -m troupe: there is no file '{program}'", file=sys.stderr)
        raise SystemExit(2)
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    _serve_children()
    runpy.run_path(program, run_name="__main__")


def _serve_children() -> None:
    """Lets processes that the program spawns by `multiprocessing` import this package, too.

    They get the path on which modules are found, but none of this process's finders.
    """
    sys.path.insert(1, os.path.join(os.path.dirname(__file__), "spawned"))


def _exit_with_usage(code: Union[int, None]) -> NoReturn:
    print(USAGE, file=sys.stderr if code else sys.stdout)
    raise SystemExit(code)
