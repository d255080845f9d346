"""How the copies of a variable in several replicas relate; a variable here has one."""

from __future__ import annotations

import enum
from typing import Any, Optional

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


def is_trainable(trainable: Optional[bool], synchronization: Any) -> bool:
    """What a variable is by default, or is said to be; ValueError where both do not fit."""
    if synchronization is not VariableSynchronization.ON_READ:
        return trainable is not False
    if trainable:
        raise ValueError(
            "Synchronization value can be set to VariableSynchronization.ON_READ only for "
            "non-trainable variables. You have specified trainable=True and "
            "synchronization=VariableSynchronization.ON_READ."
        )
    return False
