"""The modules of `tf.compat.v2`: names are looked up when a program uses them."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any, Callable, Dict, List, Tuple

from troupe._src.compat_v2 import own_functions
from troupe._src.compat_v2.adapted import Row, adapt, parse
from troupe._src.compat_v2.names import SAME
from troupe._src.compat_v2.signatures import CHANGED

_PACKAGE = __name__.split(".")[0]
# Modules that are those of Keras.
_KERAS = {name: f"keras.{name}" for name in ("initializers", "losses", "metrics", "optimizers")}
_WHOLE = {"keras": "keras", "raw_ops": "raw_ops", **_KERAS}


class Space(types.ModuleType):
    """One of the modules."""

    def __init__(self, root: str, place: str) -> None:
        super().__init__(f"{root}.{place}".rstrip("."), f"TensorFlow 2's `tf.{place}`, for graphs.")
        self._root, self._place = root, place
        self._same = frozenset(SAME.get(place, "").split())
        self._rows: Dict[str, Row] = parse(CHANGED.get(place, ""))
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._find(name)
        setattr(self, name, value)
        return value

    def _find(self, name: str) -> Any:
        path = f"{self._place}.{name}".lstrip(".")
        if path in own_functions.FOUND:
            return own_functions.FOUND[path]
        if name in self._rows:
            row = self._rows[name]
            return adapt(row, _of_package(row.function), self.__name__)
        if path in PLACES:
            return importlib.import_module(f"{self._root}.{path}")
        if path in _WHOLE or name in self._same:
            return _of_package(_WHOLE.get(path, path))
        message = f"module '{self.__name__}' has no '{name}' in this version of {_PACKAGE}"
        if path == "compat.v1":
            return sys.modules[_PACKAGE]
        if path == "compat.v2":
            return sys.modules[self._root]
        raise AttributeError(message)

    def __dir__(self) -> List[str]:
        start = f"{self._place}." if self._place else ""
        inner = {path[len(start) :] for path in {*PLACES, *_WHOLE, *own_functions.FOUND}
                 if path.startswith(start)}  # fmt: skip
        return sorted({*self._same, *self._rows, *(name for name in inner if "." not in name)})


PLACES = frozenset({*SAME, *CHANGED} - {""})


def _of_package(path: str) -> Any:
    value: Any = sys.modules[_PACKAGE]
    for name in path.split("."):
        value = getattr(value, name)
    return value


# The names at the top.
NAMES = sorted({
    *SAME[""].split(), *parse(CHANGED[""]), *_WHOLE, "compat",
    *(name for name in (*PLACES, *own_functions.FOUND) if "." not in name),
})  # fmt: skip


def install(root: str) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Makes the modules below `root`, which has the names at the top.

    Args:
        root: The name of the module.

    Returns:
        Its `__getattr__` and `__dir__`.
    """
    for place in sorted(PLACES):
        sys.modules[f"{root}.{place}"] = Space(root, place)
    sys.modules[root].__path__ = []
    top = Space(root, "")
    return lambda name: getattr(top, name), lambda: list(NAMES)
