"""Graphs as files, and a module for them."""

from __future__ import annotations

import json
import pathlib
from typing import Callable, Dict

import numpy as np

_GRAPHS = '''
"""The functions for graphs that NetworkX 1.11 has, and newer ones do not."""

import sys
import types

__version__ = "1.11"


class Graph:
    def __init__(self):
        self.node, self.adj = {}, {}

    def nodes(self):
        return list(self.node)

    def nodes_iter(self):
        return iter(self.node)

    def edges(self):
        return [(a, b) for a in self.adj for b in self.adj[a] if a <= b]

    def neighbors(self, node):
        return list(self.adj[node])

    def degree(self, node):
        return len(self.adj[node])

    def __getitem__(self, node):
        return self.adj[node]

    def __len__(self):
        return len(self.node)


def node_link_graph(data):
    graph = Graph()
    for index, row in enumerate(data["nodes"]):
        graph.node[row["id"]], graph.adj[row["id"]] = dict(row), {}
    for row in data["links"]:
        a, b = (data["nodes"][row[end]]["id"] for end in ("source", "target"))
        graph.adj[a][b] = graph.adj[b][a] = {}
    return graph


json_graph = types.SimpleNamespace(node_link_graph=node_link_graph)
readwrite = sys.modules["networkx.readwrite"] = types.ModuleType("networkx.readwrite")
readwrite.json_graph = json_graph
__path__ = []
'''


def make_friends(folder: pathlib.Path) -> None:
    """example_data/friends-*: who is a friend of whom, what they like, and walks among them."""
    (folder / "networkx.py").write_text(_GRAPHS.lstrip())
    random = np.random.RandomState(0)
    place = folder / "example_data"
    place.mkdir()
    count = 150
    kinds = random.randint(3, size=count)
    links = [
        {"source": int(each), "target": int(other)}
        for each in range(count)
        for other in random.choice(np.flatnonzero(kinds == kinds[each]), 4)
        if other != each
    ]
    nodes = [
        {"id": each, "val": each % 5 == 3, "test": each % 5 == 4} for each in range(count)
    ]  # fmt: skip
    walks = [f"{link['source']}\t{link['target']}" for link in links]
    texts = {
        "G.json": json.dumps({"nodes": nodes, "links": links}),
        "id_map.json": json.dumps({str(each): each for each in range(count)}),
        "class_map.json": json.dumps(
            {str(each): np.eye(3, dtype=int)[kind].tolist() for each, kind in enumerate(kinds)}
        ),
        "walks.txt": "\n".join(walks) + "\n",
    }
    for name, text in texts.items():
        (place / f"friends-{name}").write_text(text)
    np.save(place / "friends-feats.npy", np.eye(3)[kinds] + random.rand(count, 3))


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {"friends": make_friends}
