"""Writes graphs to files."""

from __future__ import annotations

import os
from typing import Any

from troupe._src.graph.graph import Graph
from troupe._src.types.paths import PathLike


def write_graph(graph_or_graph_def: Any, logdir: PathLike, name: str, as_text: bool = True) -> str:
    """Writes a graph, or its GraphDef, to the file `name` of a folder, which it makes if needed.

    Args:
        graph_or_graph_def: A Graph or a GraphDef.
        logdir: The folder; "" is the current one.
        name: The name of the file.
        as_text: Writes protobuf's text form, not bytes.

    Returns:
        The path of the file.
    """
    message = graph_or_graph_def
    if isinstance(message, Graph):
        message = message.as_graph_def()
    path = os.path.join(os.fspath(logdir), name)
    os.makedirs(os.path.abspath(os.fspath(logdir)), exist_ok=True)
    data = str(message).encode() if as_text else message.SerializeToString()
    write_atomically(path, data)
    return path


def write_atomically(path: str, data: bytes) -> None:
    """Nobody sees a part of the file."""
    temporary = f"{path}.tmp{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(data)
    os.replace(temporary, path)
