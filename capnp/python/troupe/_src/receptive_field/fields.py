"""The receptive fields of networks."""

from __future__ import annotations

from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph
from troupe._src.receptive_field.compute_order import get_compute_order
from troupe._src.receptive_field.layers import get_layer_params
from troupe._src.set_module import set_module


class ReceptiveField:
    """Which pixels a feature depends on, along each axis.

    Args:
        size: How many.
        stride: How far those of the next feature are from them.
        padding: How many of those of the first feature are before the image.
    """

    def __init__(self, size: Any, stride: Any, padding: Any) -> None:
        self.size = np.asarray(size)
        self.stride = np.asarray(stride)
        self.padding = np.asarray(padding)

    def _axes(self, given: np.ndarray, axis: Any, what: str, name: str) -> Any:
        axes = list(range(self.size.size) if axis is None else axis)
        if given.shape[-1] != len(axes):
            raise ValueError(
                f"Dimensionality of the {what} coordinates `{name}` ({given.shape[-1]}) does not "
                f"match dimensionality of `axis` ({len(axes)})"
            )
        return axes

    def compute_input_center_coordinates(self, y: Any, axis: Any = None) -> Any:
        """The centers of what features depend on.

        Args:
            y: Where the features are, [..., axes].
            axis: Along which axes, by default all.

        Returns:
            An array of that shape.

        Raises:
            ValueError: There is not one number for each axis.
        """
        places = np.asarray(y)
        axes = self._axes(places, axis, "feature", "y")
        return -self.padding[axes] + places * self.stride[axes] + (self.size[axes] - 1) / 2

    def compute_feature_coordinates(self, x: Any, axis: Any = None) -> Any:
        """The features that depend on what is around centers.

        Args:
            x: The centers, [..., axes].
            axis: Along which axes, by default all.

        Returns:
            An array of that shape.

        Raises:
            ValueError: There is not one number for each axis.
        """
        places = np.asarray(x)
        axes = self._axes(places, axis, "input center", "x")
        return (places + self.padding[axes] + (1 - self.size[axes]) / 2) / self.stride[axes]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.concatenate([self.size, self.stride, self.padding]))


class _Field(NamedTuple):
    """Of the output node in a node, along one axis."""

    size: int
    stride: int
    padding: Optional[int]

    @property
    def center(self) -> float:
        """Of the first feature."""
        return (self.size - 1) / 2 - (self.padding or 0)


def _through(
    field: _Field, kernel_size: int, stride: int, padding: Optional[int], is_known: bool
) -> _Field:
    """The field in the input of a layer."""
    total = None
    if is_known:
        total = stride * (field.padding or 0) + (padding or 0)
    return _Field(stride * field.size + kernel_size - stride, stride * field.stride, total)


class _Fields:
    """The fields in all nodes, along one axis."""

    def __init__(self, output: str, direction: str) -> None:
        self.by_node = {output: _Field(1, 1, 0)}
        self._direction = direction

    def add(self, name: str, field: _Field, is_known: bool) -> None:
        """Adds a path to a node: the larger field counts.

        Raises:
            ValueError: The fields of two paths do not fit each other.
        """
        other = self.by_node.setdefault(name, field)
        if is_known:
            for what, differs in (
                ("effective stride", other.stride != field.stride),
                ("center shift", other.center != field.center),
            ):
                if differs:
                    raise ValueError(
                        f"Graph is not aligned since {what} from different paths is different in "
                        f"{self._direction} direction"
                    )
        if other.size < field.size:
            self.by_node[name] = field


def _name_of(node: Any) -> str:
    return str(node.op.name if isinstance(node, Tensor) else node)


@set_module("troupe.contrib.receptive_field")
def compute_receptive_field_from_graph_def(
    graph_def: Any,
    input_node: Any,
    output_node: Any,
    stop_propagation: Optional[Sequence[str]] = None,
    input_resolution: Optional[Sequence[int]] = None,
) -> ReceptiveField:
    """Which pixels of an image a feature of a network depends on.

    Args:
        graph_def: The graph of the network, or its message.
        input_node: The tensor of images, or the name of its node.
        output_node: The tensor of features, or the name of its node.
        stop_propagation: With what the names of nodes begin that do not count.
        input_resolution: The height and the width of images, where paddings depend on them.

    Returns:
        The field, along x and y; paddings are None where they depend on the size of images.

    Raises:
        ValueError: A node is not found or cannot be analyzed, or paths through the network do not
            fit each other.
    """
    message = graph_def.as_graph_def() if isinstance(graph_def, Graph) else graph_def
    start, end = _name_of(input_node), _name_of(output_node)
    found, nodes = get_compute_order(message, start, input_resolution)
    ordered = sorted(found.values(), key=lambda info: -info.order)
    xs, ys = _Fields(end, "horizontal"), _Fields(end, "vertical")
    is_after = False
    is_known = True  # so far, which paddings there are
    for info in ordered:
        name = info.node.name
        if name == start:
            break
        is_after = is_after or name == end
        if not is_after or name not in xs.by_node:
            continue
        layer = get_layer_params(info.node, nodes, info.input_size)
        is_known = is_known and layer.padding_x is not None and layer.padding_y is not None
        x = _through(
            xs.by_node[name], layer.kernel_size_x or 1, layer.stride_x or 1, layer.padding_x,
            is_known,
        )  # fmt: skip
        y = _through(
            ys.by_node[name], layer.kernel_size_y or 1, layer.stride_y or 1, layer.padding_y,
            is_known,
        )  # fmt: skip
        for source in _followed(info.node, nodes, stop_propagation or ()):
            xs.add(source, x, is_known)
            ys.add(source, y, is_known)
    if not is_after:
        raise ValueError("Output node was not found")
    if start not in xs.by_node:
        raise ValueError("Input node was not found")
    axes = (xs.by_node[start], ys.by_node[start])
    return ReceptiveField(*([getattr(axis, name) for axis in axes] for name in _Field._fields))


def _followed(node: Any, nodes: Dict[str, Any], stops: Sequence[str]) -> Iterator[str]:
    for name in node.input:
        if not name.startswith("^") and not any(name.startswith(stop) for stop in stops):
            source = name.split(":")[0]
            if source in nodes:
                yield source
