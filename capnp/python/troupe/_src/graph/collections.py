"""The collections of a graph: lists of its elements, and of what goes with them, by key."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional


class GraphCollections:
    """What graphs inherit for `tf.GraphKeys` and keys of the program's own."""

    def __init__(self) -> None:
        self._collections: Dict[Any, List[Any]] = {}

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds a value to a collection, once more if it is there.

        Args:
            name: The key of the collection.
            value: The value.
        """
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Adds a value to several collections.

        Args:
            names: The keys of the collections: one text, several keys, or None for none.
            value: The value.
        """
        for name in [names] if isinstance(names, str) else names or []:
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: Optional[str] = None) -> List[Any]:
        """A copy of a collection.

        Args:
            name: The key of the collection.
            scope: A regular expression that the names of items begin with; others, and items
                without a name, are left out. By default all items.

        Returns:
            The items in the order in which they were added; empty where there is no such
            collection.
        """
        values = list(self._collections.get(name, []))
        if scope is None:
            return values
        wanted = re.compile(scope)
        return [value for value in values if wanted.match(getattr(value, "name", ""))]

    def get_collection_ref(self, name: Any) -> List[Any]:
        """A collection itself, which may be changed.

        Args:
            name: The key of the collection, which is made if it is not there.

        Returns:
            The list.
        """
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: Any) -> None:
        """Removes all items of a collection.

        Args:
            name: The key of the collection.
        """
        self._collections.pop(name, None)

    @property
    def collections(self) -> List[Any]:
        """The keys of all collections that were made."""
        return list(self._collections)

    def get_all_collection_keys(self) -> List[Any]:
        """The keys of all collections that have items, of those that are strings."""
        return [key for key, items in self._collections.items() if items and isinstance(key, str)]
