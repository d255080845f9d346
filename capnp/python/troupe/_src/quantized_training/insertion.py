"""Fake quantization between the nodes of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import gen_ops
from troupe._src.quantized_training.normalizations import choose, quantization_step
from troupe._src.quantized_training.ranges import quantize_by_average, quantize_by_last
from troupe._src.quantized_training.rewiring import Rewiring

_FAKE = (
    "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel",
)  # fmt: skip


@dataclass
class Rounding:
    """How a graph is rewritten: bits, limits that are symmetric, the first step that rounds."""

    wiring: Rewiring
    is_training: bool
    weight_bits: int = 8
    activation_bits: int = 8
    symmetric: bool = False
    delay: Optional[int] = None
    scope: str = ""


def outer_scope(name: str) -> str:
    """The scope of a name, "" for none."""
    return name.rpartition("/")[0]


def insert(
    rounding: Rounding,
    place: str,
    producer: Operation,
    users: List[Operation],
    is_weight: bool = False,
    ends: Tuple[float, float] = (-6.0, 6.0),
    checks: str = "p",
    symmetric: Optional[bool] = None,
) -> None:
    """Rounds what a node gives to others, unless it is rounded already.

    Args:
        rounding: How.
        place: The name of the new nodes' scope.
        producer: The node.
        users: The nodes that take the rounded numbers.
        is_weight: Whether they are weights, with the range of the last step.
        ends: The first range.
        checks: What has to be in the scope of `rounding`: "p" the producer, "u" all users.
        symmetric: Whether the range is symmetric, by default as `rounding` says.

    Raises:
        ValueError: A user does not take what the node gives.
    """
    wiring, inputs = rounding.wiring, producer.outputs[0]
    names = [producer.name] if "p" in checks else []
    names += [user.name for user in users] if "u" in checks else []
    if any(not name.startswith(rounding.scope) for name in names):
        return
    current = get_default_graph().get_name_scope()
    if current and place.startswith(f"{current}/"):
        place = place[len(current) + 1 :]
    if _is_rounded(wiring, inputs):
        return
    rounded = (quantize_by_last if is_weight else quantize_by_average)(
        inputs,
        ends,
        place,
        rounding.is_training,
        num_bits=rounding.weight_bits if is_weight else rounding.activation_bits,
        narrow_range=is_weight,
        is_symmetric=rounding.symmetric if symmetric is None else symmetric,
    )
    if rounding.delay and rounding.delay > 0:
        rounded = _delayed(rounded, inputs, rounding.delay, place)
    if users and wiring.reroute(rounded, inputs, users) < len(users):
        listed = ", ".join(user.name for user in users)
        raise ValueError(f"No inputs quantized for ops: [{listed}]")


def _delayed(rounded: Tensor, inputs: Tensor, delay: int, place: str) -> Tensor:
    is_on = gen_ops.greater_equal(quantization_step(), delay, name=f"{place}/activate_quant")
    return choose(is_on, rounded, inputs, f"{place}/delayed_quant")


def _is_rounded(wiring: Rewiring, tensor: Tensor) -> bool:
    """Whether something takes it that rounds, itself or through nodes that pass it on."""
    users = wiring.consumers(tensor)
    while users:
        op = users.pop()
        if op.type in _FAKE:
            return True
        if op.type in ("Reshape", "Identity"):
            users += [user for output in op.outputs for user in wiring.consumers(output)]
    return False
