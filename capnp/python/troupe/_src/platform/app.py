"""The entry point of a program."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Sequence

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
    sys.exit(main(parse_flags(argv or sys.argv)))


def parse_flags(argv: Sequence[str]) -> List[str]:
    """Sets the flags of the program, and those that it has defined with `absl.flags`.

    Args:
        argv: The program's name and the arguments.

    Returns:
        The name, and the arguments that are no flags that are defined.
    """
    rest = flags.FLAGS(argv)
    absl_flags = sys.modules.get("absl.flags")
    if absl_flags is None:
        return rest
    return list(absl_flags.FLAGS(rest, known_only=True))
