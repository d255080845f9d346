"""How a session runs a step, before it does."""

from __future__ import annotations

import json
from typing import Any, List

from troupe import _native
from troupe._src.graph.picture import Picture
from troupe._src.messages.message import Record


class ExplainedDevice(Record):
    """The partition of one device: `device`, the number of its `nodes`, and sums over these."""


class ExplainedNode(Record):
    """A node: where it is (`device`), `why`, where it could be (`alternatives`), and its costs."""


class ExplainedTransfer(Record):
    """A `tensor` that goes `from_device` `to_device`, or from or to the "client"."""


class StepExplanation:
    """What `Session.explain` answers; as text it is a table.

    `devices`, `nodes` and `transfers` are lists of records, whose times (`predicted_ns`,
    `measured_ns`) are in nanoseconds and whose sizes are in bytes. Predictions are by costs that
    earlier steps with `trace_level=FULL_TRACE` have measured, else by a model of flops and bytes.
    """

    def __init__(self, native: _native.StepExplanation) -> None:
        self._native = native
        fields = json.loads(native.to_json())
        self.placement: str = fields["placement"]
        self.predicted_ns: int = fields["predicted_ns"]
        self.devices: List[Any] = [ExplainedDevice(**device) for device in fields["devices"]]
        self.nodes: List[Any] = [ExplainedNode(**node) for node in fields["nodes"]]
        self.transfers: List[Any] = [
            ExplainedTransfer(
                from_device=transfer.pop("from"), to_device=transfer.pop("to"), **transfer
            )
            for transfer in fields["transfers"]
        ]

    def __str__(self) -> str:
        return self._native.to_table()

    def __repr__(self) -> str:
        return (
            f"<StepExplanation of {len(self.nodes)} nodes on {len(self.devices)} devices, "
            f"predicted {self.predicted_ns / 1000:.1f} us>"
        )

    def to_json(self) -> str:
        """All of it, as an object."""
        return self._native.to_json()

    def show(self, scope_depth: int = 0) -> Picture:
        """As a picture, with a frame for each device."""
        return Picture(self._native.to_dot(scope_depth))

    def _repr_svg_(self) -> Any:
        return self.show()._repr_svg_()
