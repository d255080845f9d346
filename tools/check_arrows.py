#!/usr/bin/env python3
"""Checks that includes point down: apps -> capnp -> actors -> devices -> graph.

Usage: tools/check_arrows.py [ROOT]

Also that each library is included by its layer only, that our own headers are spelled
"troupe/<layer>/...", and that actors take time, randomness and connections from their World only.
Prints each fault as path:line: text, and fails if there is one.
"""

import pathlib
import re
import sys

LAYERS = ["graph", "devices", "actors", "capnp/client", "capnp/server", "capnp/python", "apps"]
ROOMS = ["graph", "devices", "actors", "capnp", "apps", "tests"]

# The layers of ours that a layer may include. The client knows graphs and the schema, not actors.
ALLOWED = {
    "graph": {"graph"},
    "devices": {"graph", "devices"},
    "actors": {"graph", "devices", "actors"},
    "capnp/client": {"graph", "capnp/client"},
    "capnp/server": {"graph", "devices", "actors", "capnp/client", "capnp/server"},
    # The extension contains the whole runtime, for sessions and servers inside the process.
    "capnp/python": set(LAYERS) - {"apps"},
    "apps": set(LAYERS) - {"capnp/python"},
}

# Include folders of libraries, and of the code that the schema compiler generates.
SCHEMA = r"troupe_schema"
CUDA = r"cuda\w*|cub|thrust|cublas\w*|cudnn\w*"
TBB = r"tbb|oneapi"
DNNL = r"dnnl|oneapi"
STRINGS = r"re2|farmhash|isa-l|leveldb|sqlite3"
PICTURES = r"jpeglib|png"
VECTORS = r"hwy"
KJ = r"kj|capnp"
PROTOBUF = r"google|troupe_proto"
FORBIDDEN = {
    "graph": rf"caf|{TBB}|{CUDA}|{KJ}|{DNNL}|{STRINGS}|{PICTURES}|{VECTORS}|{SCHEMA}|{PROTOBUF}",
    "devices": rf"caf|{KJ}|{SCHEMA}|{PROTOBUF}",
    "actors": rf"{TBB}|{CUDA}|{DNNL}|{STRINGS}|{PICTURES}|{VECTORS}|{KJ}|{SCHEMA}|{PROTOBUF}",
    "capnp/client": rf"caf|{TBB}|{CUDA}|{DNNL}|{STRINGS}|{PICTURES}|{VECTORS}|{PROTOBUF}",
    "capnp/server": rf"{TBB}|{CUDA}|{DNNL}|{STRINGS}|{PICTURES}|{VECTORS}|{PROTOBUF}",
    "capnp/python": (
        rf"caf|{TBB}|{CUDA}|{DNNL}|{STRINGS}|{PICTURES}|{VECTORS}|{KJ}|{SCHEMA}|{PROTOBUF}"
    ),
    "apps": rf"{TBB}|{CUDA}|{DNNL}|{STRINGS}|{PICTURES}|{VECTORS}|{KJ}|{SCHEMA}|{PROTOBUF}",
}

# Rooms that may know what the rest of their layer must not. Messages of Cap'n Proto, without its
# event loop, are what links between nodes consist of.
ROOM_LIBRARIES = {
    pathlib.PurePath("actors/link"): rf"{KJ}|{SCHEMA}",
    pathlib.PurePath("graph/proto"): PROTOBUF,
    pathlib.PurePath("graph/import"): PROTOBUF,
}

# Only the worlds may use these: elsewhere they would bypass a simulated world.
WORLDS = [pathlib.PurePath("actors/world"), pathlib.PurePath("actors/sim/world")]
WORLD = re.compile(
    r"\b(\w*_clock|delayed_\w+|sleep\w*|random_device|rand|middleman|remote_actor|caf/io)\b"
    r"|\bclock\(\)"
)

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """The layer of a path relative to the root; None if it belongs to none."""
    parts = path.parts
    if parts[0] == "capnp":
        room = parts[1].removesuffix(".hpp")  # capnp/server.hpp includes the room's headers
        return f"capnp/{room}" if room in ("server", "python") else "capnp/client"
    return parts[0] if parts[0] in ALLOWED else None


def tested_layer_of(path):
    """The highest layer that tests/<layer>/... may include; None for processes and the like."""
    layer = path.parts[1]
    return "capnp/server" if layer == "capnp" else layer if layer in ALLOWED else None


def fault_of_own(path, target):
    """Why path must not include troupe/<target>, or None."""
    is_test = path.parts[0] == "tests"
    layer = tested_layer_of(path) if is_test else layer_of(path)
    goal = pathlib.PurePath(target)
    goal_is_test = goal.parts[0] == "tests"
    if goal_is_test and not is_test:
        return f"{layer} must not include tests"
    goal_layer = tested_layer_of(goal) if goal_is_test and len(goal.parts) > 2 else layer_of(goal)
    if goal_layer is None:
        return None if goal_is_test else f"there is no layer {goal.parts[0]}"
    if layer is None or goal_layer in ALLOWED[layer]:
        return None
    return f"{'tests of ' if is_test else ''}{layer} must not include {goal_layer}"


def fault_of_include(path, bracket, target):
    if target.startswith("troupe/"):
        return fault_of_own(path, target.removeprefix("troupe/"))
    folder = target.split("/")[0].removesuffix(".hpp").removesuffix(".h")
    layer = None if path.parts[0] == "tests" else layer_of(path)
    is_of_room = any(
        room in path.parents and re.fullmatch(libraries, folder)
        for room, libraries in ROOM_LIBRARIES.items()
    )
    if layer and re.fullmatch(FORBIDDEN[layer], folder) and not is_of_room:
        return f"{layer} must not know {target}"
    if bracket == '"' and not re.fullmatch(SCHEMA, folder):
        return f'"{target}" must be spelled "troupe/<layer>/..." or <...>'
    return None


def is_in_world(path):
    """Whether the file must run in a simulated world."""
    return path.parts[0] == "actors" and not any(world in path.parents for world in WORLDS)


def faults_of_file(root, path):
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        include = INCLUDE.match(line)
        fault = include and fault_of_include(path, *include.groups())
        escape = is_in_world(path) and WORLD.search(line.split("//")[0])
        if escape:
            fault = f"actors take '{escape.group()}' from their World (actors/world/) only"
        if fault:
            yield f"{path}:{number}: {fault}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    paths = [
        path.relative_to(root)
        for room in ROOMS
        for path in sorted((root / room).rglob("*"))
        if path.suffix in (".hpp", ".cpp", ".cu", ".cuh")
    ]
    faults = [fault for path in paths for fault in faults_of_file(root, path)]
    print("\n".join(faults) or f"arrows ok: {len(paths)} files")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
