"""A published program: where it is, what is changed in it, and how it is run."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

Edits = Sequence[Tuple[str, str]]


class Task(NamedTuple):
    """A process of a program; one that does not end is killed after the others."""

    arguments: Sequence[str] = ()
    environment: Dict[str, str] = {}
    ends: bool = True


class Program(NamedTuple):
    """A program, and how to run it."""

    name: str
    repository: str
    path: str
    edits: Edits = ()
    tasks: Sequence[Task] = (Task(),)
    # Programs that are run before, each with its arguments; they make what this one reads.
    before: Sequence[Sequence[str]] = ()
    companions: Sequence[str] = ()
    # A folder of the repository whose files of text are copied, each to its place in it. The
    # program then runs in that folder, where companions have no effect.
    tree: Optional[str] = None
    # Folders of other repositories that are beside the program: (repository, folder).
    libraries: Sequence[Tuple[str, str]] = ()
    # Folders of those from which modules are imported, besides the one that the program runs in.
    imported_from: Sequence[str] = ()
    # Whether its names are those of Python 2, though its syntax is that of both.
    is_python_2: bool = False
    # Whether it is run by the name of its module.
    is_module: bool = False
    data: Sequence[str] = ()
    seconds: int = 240
    # Why it does not run, where the last line of its output does not tell.
    reason: Optional[str] = None


def of(repository: str, folder: str, rows: Dict[str, Any]) -> List[Program]:
    """Programs of a folder: for each path the edits, or all options."""
    found = []
    for path, options in rows.items():
        options = options if isinstance(options, dict) else {"edits": options}
        full = f"{folder}/{path}" if folder else path
        name = f"{repository.partition('/')[0]}/{path.removesuffix('.py')}"
        found.append(Program(name, repository, full, **options))
    return found


def steps(name: str, count: int) -> Edits:
    return [(rf"^(\s*{name}\s*=\s*)\d+", rf"\g<1>{count}")]


def loop(old: int, new: int) -> Edits:
    return [(rf"range\({old}\)", f"range({new})")]


def cluster(*jobs: str) -> Sequence[Task]:
    """A process for each "job index", whose flags are those names."""
    return [
        Task(["--job_name", job, "--task_index", index], ends=job != "ps")
        for job, index in (each.split() for each in jobs)
    ]
