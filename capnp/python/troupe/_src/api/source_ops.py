"""The functions of all ops, as TensorFlow's generated modules have them, such as `gen_nn_ops`."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from troupe._src.ops import raw_ops

# Before a capital after a small letter, and before one that a small letter follows.
_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")

_NAMES: Dict[str, str] = {
    _BOUNDARY.sub("_", name).lower(): name for name in vars(raw_ops) if name[0].isupper()
}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"no op has the function '{name}' in this version of troupe")
    return getattr(raw_ops, _NAMES[name])


def __dir__() -> List[str]:
    return sorted(_NAMES)
