"""Networks of parallel branches, of all versions."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.inception_first import (
    inception_v1,
    inception_v1_arg_scope,
    inception_v1_base,
)
from troupe._src.slim_nets.inception_second import (
    inception_v2,
    inception_v2_arg_scope,
    inception_v2_base,
)
from troupe._src.slim_nets.inception_third import (
    inception_v3,
    inception_v3_arg_scope,
    inception_v3_base,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "inception_v1",
    "inception_v1_arg_scope",
    "inception_v1_base",
    "inception_v2",
    "inception_v2_arg_scope",
    "inception_v2_base",
    "inception_v3",
    "inception_v3_arg_scope",
    "inception_v3_base",
]
