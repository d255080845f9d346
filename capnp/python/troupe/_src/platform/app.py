"""The entry point of a program."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional

from troupe._src.platform import flags


def run(
    main: Optional[Callable[[List[str]], Any]] = None, argv: Optional[List[str]] = None
) -> None:
    """Calls `main` and exits with its result.

    The flags of `absl.flags`, which are those of TensorFlow, get their values, too, where the
    program has imported them.

    Args:
        main: a function of the command line without the flags; None for that of the program.
        argv: the command line; None for that of the process.

    Raises:
        SystemExit: always.
    """
    main = main or sys.modules["__main__"].main
    rest = flags.FLAGS(argv or sys.argv)
    absl_flags = sys.modules.get("absl.flags")
    sys.exit(main(rest if absl_flags is None else absl_flags.FLAGS(rest)))
