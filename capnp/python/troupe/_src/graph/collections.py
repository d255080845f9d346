"""The collections of a graph: lists of its elements, and of what goes with them, by key."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional


class GraphCollections:
    """What graphs inherit for `tf.GraphKeys` and keys of the program's own."""

    def __init__(self) -> None:
        self._collections: Dict[Any, List[Any]] = {}

    def add_to_collection(self, name: Any, value: Any) -> None:
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        for name in [names] if isinstance(names, str) else names or []:
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: Optional[str] = None) -> List[Any]:
        """A copy; with `scope`, only items whose names match that pattern at their beginning."""
        values = list(self._collections.get(name, []))
        if scope is None:
            return values
        wanted = re.compile(scope)
        return [value for value in values if wanted.match(getattr(value, "name", ""))]

    def get_collection_ref(self, name: Any) -> List[Any]:
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: Any) -> None:
        self._collections.pop(name, None)

    def get_all_collection_keys(self) -> List[Any]:
        return [key for key, values in self._collections.items() if values]
