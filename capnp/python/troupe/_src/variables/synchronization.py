"""How the copies of a variable in several replicas relate; a variable here has one."""

from __future__ import annotations

import enum

from troupe._src.set_module import set_module


@set_module("troupe")
class VariableSynchronization(enum.Enum):
    """When copies are synchronized."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@set_module("troupe")
class VariableAggregation(enum.Enum):
    """How updates of several replicas are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
