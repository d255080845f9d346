"""How a program starts."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional

from troupe import flags


def run(
    main: Optional[Callable[[List[str]], Any]] = None, argv: Optional[List[str]] = None
) -> None:
    """Ends the program with what `main`, by default that of the program, returns.

    It gets the arguments that are no flags.
    """
    main = main or sys.modules["__main__"].main
    sys.exit(main(flags.FLAGS(argv or sys.argv)))
