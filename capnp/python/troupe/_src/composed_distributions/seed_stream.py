"""Seeds that are made of one."""

from __future__ import annotations

import hashlib
from typing import Any, Optional

from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class SeedStream:
    """Seeds that are made of one, different ones for each call and each salt."""

    def __init__(self, seed: Any, salt: str) -> None:
        """The seeds of a salt.

        Args:
            seed: What the seeds are made of: a number, another stream's, or None.
            salt: Tells streams of one seed apart, such as the name of a class.
        """
        self._seed = seed.original_seed if isinstance(seed, SeedStream) else seed
        self._salt, self._count = salt, 0

    def __call__(self) -> Optional[int]:
        """The next seed, or None if the stream is one of None."""
        self._count += 1
        if self._seed is None:
            return None
        text = str((self._seed, self._count, self._salt))
        return int(hashlib.sha512(text.encode()).hexdigest(), 16)

    @property
    def original_seed(self) -> Any:
        """What the seeds are made of."""
        return self._seed

    @property
    def salt(self) -> str:
        """What tells streams of one seed apart."""
        return self._salt
