"""The text of published programs, from clones of their repositories."""

from __future__ import annotations

import pathlib
import subprocess
import threading
from typing import List

from commits import COMMITS


class Clones:
    """Clones of repositories in a folder, where missing ones are added.

    What is behind an @ in the name of a repository tells its versions apart.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def text(self, repository: str, path: str) -> bytes:
        """A file at the commit of the table."""
        return self._git(repository, "show", f"{COMMITS[repository]}:{path}")

    def files(self, repository: str, folder: str) -> List[str]:
        """The paths below a folder, of files that the clone has."""
        listed = self._git(repository, "ls-tree", "-rl", COMMITS[repository], folder or ".")
        rows = [line.partition("\t") for line in listed.decode().splitlines()]
        return [path for row, _, path in rows if row.split()[-1].isdigit()]

    def _git(self, repository: str, *arguments: str) -> bytes:
        with self._lock:
            place = self._place(repository)
        return subprocess.run(
            ["git", "--git-dir", str(place), *arguments], stdout=subprocess.PIPE, check=True
        ).stdout

    def _place(self, repository: str) -> pathlib.Path:
        repository = repository.partition("@")[0]
        clone = self._folder / repository.replace("/", "+") / "repo"
        if not clone.exists():
            url = f"https://github.com/{repository}"
            subprocess.run(["git", "clone", "--bare", url, str(clone)], check=True)
        return clone / ".git" if (clone / ".git").exists() else clone
