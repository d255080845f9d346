"""What came before hooks; functions for both take hooks, too."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn.monitor_kinds import (
    CaptureVariable,
    LoggingTrainable,
    NanLoss,
    NanLossDuringTrainingError,
    PrintTensor,
    StopAtStep,
    SummarySaver,
    ValidationMonitor,
    get_default_monitors,
)
from troupe._src.learn.monitors import (
    BaseMonitor,
    EveryN,
    RunHookAdapterForMonitors,
    replace_monitors_with_hooks,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "BaseMonitor",
    "CaptureVariable",
    "EveryN",
    "LoggingTrainable",
    "NanLoss",
    "NanLossDuringTrainingError",
    "PrintTensor",
    "RunHookAdapterForMonitors",
    "StopAtStep",
    "SummarySaver",
    "ValidationMonitor",
    "get_default_monitors",
    "replace_monitors_with_hooks",
]
