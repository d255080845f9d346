"""The entry point of a program."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional

from troupe._src.platform import flags


def run(
    main: Optional[Callable[[List[str]], Any]] = None, argv: Optional[List[str]] = None
) -> None:
    """Calls `main`, by default that of the program, and exits with its result.

    `main` gets the command line without the flags.
    """
    main = main or sys.modules["__main__"].main
    sys.exit(main(flags.FLAGS(argv or sys.argv)))
