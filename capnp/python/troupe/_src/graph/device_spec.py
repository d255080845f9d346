"""Names of devices in parts."""

from __future__ import annotations

from typing import Any, Optional, Union

from troupe import _native
from troupe._src.set_module import set_module
from troupe._src.types import errors


@set_module("troupe")
class DeviceSpec:
    """A name of a device, some parts of which may be missing: "/job:ps/task:1/device:CPU:0"."""

    def __init__(
        self,
        job: Optional[str] = None,
        replica: Optional[int] = None,
        task: Optional[int] = None,
        device_type: Optional[str] = None,
        device_index: Optional[int] = None,
    ) -> None:
        """Makes one of its parts; None stands for one that is not constrained.

        Args:
            job: The name of the job.
            replica: The index of the replica, which can only be 0.
            task: The index of the task.
            device_type: "CPU" or "GPU".
            device_index: The index of the device among those of its type.
        """
        self.job = job
        self.replica = replica
        self.task = task
        self.device_type = device_type
        self.device_index = device_index

    @staticmethod
    def from_string(spec: str) -> DeviceSpec:
        """The parts of a name.

        Args:
            spec: A full or partial name, such as "/job:worker/device:CPU:0".

        Returns:
            The parts.

        Raises:
            ValueError: It is no name of a device.
        """
        return DeviceSpec().parse_from_string(spec)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Sets the parts that the name has, and clears the others.

        Args:
            spec: A full or partial name, such as "/job:worker/device:CPU:0".

        Returns:
            This object.

        Raises:
            ValueError: It is no name of a device.
        """
        try:
            _native.merge_devices(spec, "")
        except errors.InvalidArgumentError as error:
            raise ValueError(error.message) from None
        self.__init__()  # type: ignore[misc]
        for part in filter(None, spec.split("/")):
            key, _, rest = part.partition(":")
            if key == "job":
                self.job = rest
            elif key in ("replica", "task"):
                setattr(self, key, None if rest == "*" else int(rest))
            else:
                kind, _, index = (rest if key == "device" else part).partition(":")
                self.device_type = kind.upper()
                self.device_index = None if index in ("", "*") else int(index)
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over the parts that the other one has.

        Args:
            dev: The other one.
        """
        for name in ("job", "replica", "task", "device_type", "device_index"):
            if getattr(dev, name) is not None:
                setattr(self, name, getattr(dev, name))

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """The parts of another one, and these where it has none.

        Args:
            dev: The other one.

        Returns:
            A new object.
        """
        merged = self.replace()
        merged.merge_from(dev)
        return merged

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A copy with other parts.

        Args:
            **kwargs: The parts that differ, by the names of the constructor's arguments.

        Returns:
            The copy.
        """
        return DeviceSpec(**{**vars(self), **kwargs})

    def to_string(self) -> str:
        """The name, such as "/job:worker/task:0/device:CPU:0"; "" without any parts."""
        parts = [
            f"/{name}:{getattr(self, name)}"
            for name in ("job", "replica", "task")
            if getattr(self, name) is not None
        ]
        if self.device_type is not None:
            index: Union[int, str] = "*" if self.device_index is None else self.device_index
            parts.append(f"/device:{self.device_type}:{index}")
        return "".join(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"DeviceSpec({self.to_string()!r})"


def canonical_name(device: Any) -> str:
    """The name of a device in the form that `DeviceSpec` gives it.

    Args:
        device: A name in any form, a `DeviceSpec`, or None.

    Returns:
        The name; "" for None.

    Raises:
        ValueError: It is no name of a device.
    """
    if device is None:
        return ""
    spec = device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)
    return spec.to_string()
