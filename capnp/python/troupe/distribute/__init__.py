"""What finds the tasks of a cluster. There are no strategies of distribution."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.distribute import cluster_resolver

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["cluster_resolver"]
