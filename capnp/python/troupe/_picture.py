"""Pictures of graphs, as Graphviz draws them."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Optional, Union

if TYPE_CHECKING:
    from troupe._graph import Graph
    from troupe._metadata import RunMetadata


class Picture:
    """A picture in the language of Graphviz, whose program `dot` draws it."""

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def __str__(self) -> str:
        return self.dot

    def svg(self) -> str:
        return self._draw("svg").decode()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes it, by the suffix, as text (.dot, .gv) or as a picture (.svg, .png, .pdf ...)."""
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


def picture_of(graph: Graph, run_metadata: Optional[RunMetadata], scope_depth: int) -> Picture:
    if run_metadata is None:
        return Picture(graph._root.to_dot(scope_depth))
    return Picture(run_metadata._filled().to_dot(scope_depth))
