"""Files by lines."""

from __future__ import annotations

from typing import Any, Iterator, List


class Lines:
    """What files have that can be read by lines."""

    def readline(self) -> Any:
        """The next line with its end, empty behind the last one."""
        raise NotImplementedError

    def readlines(self) -> List[Any]:
        """The lines that are left, with their ends."""
        return list(self)

    def next(self) -> Any:
        """The next line with its end; StopIteration behind the last one."""
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __next__(self) -> Any:
        return self.next()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.readline, self._shown(b""))

    def seekable(self) -> bool:
        """True: the position can be moved."""
        return True

    def _shown(self, content: bytes) -> Any:
        raise NotImplementedError
