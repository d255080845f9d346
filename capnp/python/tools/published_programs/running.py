"""Runs one published program, each of its tasks in a process."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import warnings
from typing import Any, Dict, List, Tuple

import data
from program import Program

PACKAGE = pathlib.Path(__file__).parents[4] / "build/python"

# What reads the digits of a folder gets those of the test.
_DIGITS = re.compile(r"read_data_sets\(\s*(['\"])[^'\"]*\1")
_TEXTS = (".py", ".txt", ".json", ".names", ".cfg", ".gin", "gpflowrc")
_PORT = re.compile(r"localhost:(22\d\d)")


def run(
    program: Program, clones: Any, folder: pathlib.Path, digits: pathlib.Path, packages: str
) -> str:
    """ "runs", or why the program did not come to its end."""
    folder.mkdir(parents=True)
    for maker in program.data:
        data.MAKERS[maker](folder)
    ports: Dict[str, str] = {}
    places = _places(program, clones)
    # What has been made of a file stays.
    places = {path: place for path, place in places.items() if not (folder / place).exists()}
    texts = {path: _program(clones.text(*path).decode("utf-8-sig"), path[1]) for path in places}
    for pattern, replacement in program.edits:
        changed = {
            path: re.sub(pattern, replacement, text, flags=re.MULTILINE)
            for path, text in texts.items()
        }
        if changed == texts:
            raise ValueError(f"{program.name}: nothing to change for {pattern!r}")
        texts = changed
    for path, text in texts.items():
        text = _edited(text, digits, ports)
        place = folder / _of_program(places[path])
        place.parent.mkdir(parents=True, exist_ok=True)
        is_code = place.suffix == ".py"
        place.write_text(_in_python_3(text, program.is_python_2) if is_code else text)
    return _outcome(program, folder, digits, packages, ports)


def _places(program: Program, clones: Any) -> Dict[Tuple[str, str], str]:
    """The files of repositories that a program needs, and where each is in its folder."""
    own, found = program.repository, {}
    ends = (*_TEXTS, ".ipynb") if program.path.endswith(".ipynb") else _TEXTS
    for repository, folder in program.libraries:
        for path in clones.files(repository, folder):
            if path.endswith(_TEXTS):
                found[repository, path] = path
    if program.tree is not None:
        for path in clones.files(own, program.tree):
            if path.endswith(ends):
                found[own, path] = _inside(program, path)
        return found
    parent = str(pathlib.PurePath(program.path).parent)
    beside = [f"{parent}/{name}" if parent != "." else name for name in program.companions]
    found.update({(own, path): pathlib.PurePath(path).name for path in [program.path, *beside]})
    return found


def _program(text: str, path: str) -> str:
    """The text of a file; of a notebook its code, without the lines that are for the notebook."""
    if not path.endswith(".ipynb"):
        return text
    cells = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    code = "\n\n".join("".join(lines) for lines in cells)
    return re.sub(r"^([ \t]*)[%!].*$", r"\1pass", code, flags=re.MULTILINE) + "\n"


def _of_program(path: str) -> str:
    """Where a file is when it is run: a notebook is a module, too."""
    return path.removesuffix(".ipynb") + ".py" if path.endswith(".ipynb") else path


def _inside(program: Program, path: str) -> str:
    """The place of a file in the folder that the program runs in."""
    if program.tree is None:
        return pathlib.PurePath(path).name
    return str(pathlib.PurePath(path).relative_to(program.tree))


def _edited(text: str, digits: pathlib.Path, ports: Dict[str, str]) -> str:
    text = _DIGITS.sub(lambda found: f"read_data_sets({str(digits)!r}", text)
    return _PORT.sub(lambda found: f"localhost:{_port(found[1], ports)}", text)


def _port(number: str, ports: Dict[str, str]) -> str:
    """A free port instead of a fixed one."""
    if number not in ports:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            ports[number] = str(probe.getsockname()[1])
    return ports[number]


def _in_python_3(text: str, has_names_of_2: bool) -> str:
    attempts = [] if has_names_of_2 else [text, text.expandtabs(8)]
    for attempt in attempts:  # Python 2 has tabs of 8 columns
        try:
            compile(attempt, "program", "exec")
            return attempt
        except SyntaxError:
            pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from lib2to3.pgen2.parse import ParseError
        from lib2to3.refactor import RefactoringTool, get_fixers_from_package

        tool = RefactoringTool(get_fixers_from_package("lib2to3.fixes"))
        try:
            return str(tool.refactor_string(text.expandtabs(8) + "\n", "program"))
        except ParseError:
            return text  # it may be one that the program does not import


def _outcome(
    program: Program, folder: pathlib.Path, digits: pathlib.Path, packages: str, ports: Any
) -> str:
    name = _of_program(_inside(program, program.path))
    own_folders = [str(folder / each) for each in ("", *program.imported_from)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PACKAGE), *filter(None, [packages]), *own_folders]),
        "MPLBACKEND": "Agg",
        "TEST_TMPDIR": str(folder),
    }
    for words in program.before:
        with open(folder / "before.log", "ab") as log:
            command = [sys.executable, "-m", "troupe", *words]
            subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment, check=True, timeout=program.seconds,
            )  # fmt: skip
    tasks = []
    for index, task in enumerate(program.tasks):
        words = [_filled(word, digits, ports) for word in task.arguments]
        own = {key: _filled(value, digits, ports) for key, value in task.environment.items()}
        shown = ["-m", name.removesuffix(".py").replace("/", ".")] if program.is_module else [name]
        command = [sys.executable, "-m", "troupe", *shown, *words]
        with open(folder / f"task{index}.log", "wb") as log:
            tasks.append(
                subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", *command],
                    cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                    env={**environment, **own}, start_new_session=True,
                )
            )  # fmt: skip
    try:
        return _ending(program, tasks, folder)
    finally:
        for process in tasks:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and the processes that it has started
            process.wait()


def _filled(word: str, digits: pathlib.Path, ports: Dict[str, str]) -> str:
    word = word.replace("{digits}", str(digits))
    return _PORT.sub(lambda found: f"localhost:{_port(found[1], ports)}", word)


def _ending(program: Program, tasks: List[Any], folder: pathlib.Path) -> str:
    deadline = time.monotonic() + program.seconds
    for index, (task, process) in enumerate(zip(program.tasks, tasks)):
        if not task.ends:
            continue
        try:
            code = process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return f"task {index} did not end in {program.seconds} s: {_last(folder, index)}"
        if code != 0:
            return _last(folder, index)
    return "runs"


def _last(folder: pathlib.Path, index: int) -> str:
    """The last line of a task's output that is no part of a location."""
    text = (folder / f"task{index}.log").read_text(errors="replace")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("  ")]
    return lines[-1][:300].replace(str(folder), "") if lines else "no output"
