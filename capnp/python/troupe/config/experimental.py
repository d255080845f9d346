"""The devices of this process, as they are called in TensorFlow 1.14 and 1.15."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.session.process_devices import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration,
)
from troupe._src.session.process_devices import (
    get_memory_growth,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_memory_growth,
    set_visible_devices,
)
from troupe._src.session.process_devices import (
    set_logical_device_configuration as set_virtual_device_configuration,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "VirtualDeviceConfiguration",
    "get_memory_growth",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_virtual_device_configuration",
    "set_visible_devices",
]
