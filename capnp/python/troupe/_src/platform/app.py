"""The entry point of a program."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional

from troupe._src.platform import flags


def run(
    main: Optional[Callable[[List[str]], Any]] = None, argv: Optional[List[str]] = None
) -> None:
    """Calls `main` and exits with its result.

    Flags that the program has not defined are left to it; `--help` shows those that it has.

    Args:
        main: a function of the command line without the flags; None for that of the program.
        argv: the command line; None for that of the process.

    Raises:
        SystemExit: always.
    """
    from absl import app  # with absl.logging, which importing this package does not need

    app.define_help_flags()
    main = main or sys.modules["__main__"].main
    sys.exit(main(flags.parse_flags(argv or sys.argv)))
