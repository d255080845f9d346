#!/usr/bin/env python3
"""Checks that files, functions, lines and folders stay small enough to be read.

Usage: tools/check_sizes.py [ROOT]

Prints each fault as path:line: text (of a folder as path/: text), and fails if there is one.
Functions are found by their layout, which clang-format gives them: a line at the margin (or two in,
for members) that ends with "{", up to the "}" below it.

A folder has at most twenty nouns: x.hpp, x.cpp and x.py are one noun, x_test.cpp is another.
"""

import collections
import pathlib
import re
import sys

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
COLUMNS_MAX = 100
NOUNS_MAX = 20
ROOMS = ["graph", "devices", "actors", "capnp", "apps", "tests", "tools"]
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".capnp", ".py", ".sh", ""}
NOUN_SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".py"}

# A "{" after these opens no function.
NO_FUNCTION = re.compile(
    r"\s*(namespace|class|struct|enum|union|extern|if|for|while|switch|else|do|try|case|\}|//)"
)


def long_functions(lines):
    for indent in ("", "  "):
        start = None
        for number, line in enumerate(lines, start=1):
            own = line.startswith(indent) and not line.startswith(indent + " ")
            if own and line.rstrip() in (indent + "}", indent + "};"):
                length = number - start if start else 0
                if length > FUNCTION_LINES_MAX:
                    yield start, f"a function of {length} lines, at most {FUNCTION_LINES_MAX}"
                start = None
            elif own and line.strip() and not line.endswith(";"):
                is_function = "(" in line and not NO_FUNCTION.match(line)
                start = number if is_function else None


def faults_of_file(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield 1, f"{len(lines)} lines, at most {FILE_LINES_MAX}"
    for number, line in enumerate(lines, start=1):
        # An include cannot be broken.
        if len(line) > COLUMNS_MAX and not line.startswith("#include"):
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"
    if path.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
        yield from long_functions(lines)


def full_folders(paths):
    """Each folder that has too many nouns, with their number."""
    nouns = {
        (path.parent, path.stem)
        for path in paths
        if path.suffix in NOUN_SUFFIXES and path.stem != "__init__"
    }
    counts = collections.Counter(folder for folder, _ in nouns)
    return sorted((folder, count) for folder, count in counts.items() if count > NOUNS_MAX)


def is_source(path):
    """True for sources; false for what tools keep in caches and hidden folders."""
    if any(part == "__pycache__" or part.startswith(".") for part in path.parts):
        return False
    return path.suffix in SUFFIXES


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    paths = [
        path
        for room in ROOMS
        for path in sorted((root / room).rglob("*"))
        if path.is_file() and is_source(path.relative_to(root))
    ]
    faults = [
        f"{path.relative_to(root)}:{number}: {fault}"
        for path in paths
        for number, fault in faults_of_file(path)
    ]
    faults += [
        f"{folder.relative_to(root)}/: {count} nouns, at most {NOUNS_MAX}"
        for folder, count in full_folders(paths)
    ]
    print("\n".join(faults) or f"sizes ok: {len(paths)} files")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
