"""Pictures of graphs, drawn by Graphviz."""

from __future__ import annotations

import os
import subprocess
from typing import Optional, Union


class Picture:
    """A picture in Graphviz's DOT language; the program `dot` renders it."""

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def __str__(self) -> str:
        return self.dot

    def svg(self) -> str:
        return self._draw("svg").decode()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes DOT source (.dot, .gv) or a rendered image (.svg, .png, .pdf ...)."""
        kind = os.path.splitext(path)[1][1:]
        with open(path, "wb") as file:
            file.write(self.dot.encode() if kind in ("", "dot", "gv") else self._draw(kind))

    def _draw(self, kind: str) -> bytes:
        command = ["dot", "-T" + kind]
        try:
            drawn = subprocess.run(command, input=self.dot.encode(), capture_output=True)
        except FileNotFoundError:
            raise RuntimeError("Graphviz draws this: install its program `dot`, or save as .dot")
        if drawn.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {drawn.stderr.decode().strip()}")
        return drawn.stdout

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.svg()
        except RuntimeError:
            return None
