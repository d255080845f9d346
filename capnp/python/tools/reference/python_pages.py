#!/usr/bin/env python3
"""Writes the sources of the Python package's reference: a page for each public module.

Usage: python_pages.py FOLDER

Its public names are those of the module's __all__.
"""

import importlib
import inspect
import pathlib
import pkgutil
import sys

import troupe


def public_modules():
    """The package and its modules that have public names."""
    yield troupe
    for info in pkgutil.walk_packages(troupe.__path__, "troupe."):
        parts = info.name.split(".")
        if any(part.startswith("_") for part in parts):
            continue
        if parts[1] in ("as_tensorflow", "examples", "python", "core", "compat"):
            continue  # other names of the same, and programs
        module = importlib.import_module(info.name)
        if getattr(module, "__all__", None):
            yield module


def page(module):
    """The text of a module's page."""
    title = module.__name__
    lines = [title, "=" * len(title), "", inspect.getdoc(module) or "", ""]
    lines += [f".. currentmodule:: {module.__name__}", ""]
    for name in sorted(module.__all__):
        item = getattr(module, name)
        if inspect.ismodule(item):
            continue
        if inspect.isclass(item):
            lines += [f".. autoclass:: {name}", "   :members:", ""]
        elif callable(item):
            lines += [f".. autofunction:: {name}", ""]
        else:
            lines += [f".. autodata:: {name}", "   :no-value:", ""]
    return "\n".join(lines)


def main():
    """Writes the pages and their index."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    names = []
    for module in public_modules():
        names.append(module.__name__)
        (folder / f"{module.__name__}.rst").write_text(page(module) + "\n")
    index = ["Troupe's Python package", "=======================", "", ".. toctree::", ""]
    index += [f"   {name}" for name in names]
    (folder / "index.rst").write_text("\n".join(index) + "\n")


if __name__ == "__main__":
    main()
