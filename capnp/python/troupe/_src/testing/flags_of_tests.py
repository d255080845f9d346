"""The flags that tests have beside those of their program."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Sequence, Tuple

from troupe._src.platform import flags


def define() -> None:
    """Defines those that are not there yet."""
    folder = os.environ.get("TEST_TMPDIR") or os.path.join(tempfile.gettempdir(), "absl_testing")
    source, seed = os.environ.get("TEST_SRCDIR", ""), os.environ.get("TEST_RANDOM_SEED") or "301"
    made: Sequence[Tuple[Any, str, Any, str]] = (
        (flags.DEFINE_string, "test_tmpdir", folder, "The folder of files that tests write."),
        (flags.DEFINE_string, "test_srcdir", source, "The folder of files that tests read."),
        (flags.DEFINE_integer, "test_random_seed", int(seed), "The seed of tests."),
    )
    for make, name, value, text in made:
        if name not in flags.FLAGS:
            # absl.testing, which a program may import later, defines them anew.
            make(name, value, text, allow_override=True)
