"""A program with the text of its folder, as the tables of this folder list them."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

from program import Edits, Program, Task

# Names that NumPy no longer has.
NUMBERS = (r"\bnp\.(int|bool|float|object)\b", r"\1")


def one(
    repository: str, path: str, arguments: str = "", edits: Edits = (), data: str = "",
    name: str = "", libraries: Sequence[Tuple[str, str]] = (), **options: Any,
) -> Program:  # fmt: skip
    """A program with all files of its repository, or of `tree`; its data are between commas."""
    name = name or f"{repository}/{path.removesuffix('.py')}"
    options = {"tree": "", "tasks": [Task(arguments.split())], **options}
    makers = [each for each in data.split(", ") if each]
    return Program(
        name, repository, path, edits=edits, data=makers, libraries=libraries, **options
    )
