"""Cells around a cell: the base, connections past it, and its device."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.layer_base.arguments import serialized
from troupe._src.rnn.cell import CompositeCell, RNNCell, assert_like_rnncell
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike


class CellWrapper(CompositeCell):
    """A cell with the sizes and variables of another one, which it calls without a scope around.

    Args:
        cell: The other one.
        **kwargs: What all layers take.

    Raises:
        TypeError: It lacks what a cell has.
    """

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        assert_like_rnncell("cell", cell)
        self.cell = cell

    def _inner_cells(self) -> Sequence[Any]:
        return [self.cell]

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a cell again, by their names."""
        return {**super().get_config(), "cell": serialized(self.cell)}

    @classmethod
    def from_config(
        cls, config: Dict[str, Any], custom_objects: Optional[Dict[str, Any]] = None
    ) -> Any:
        """A cell of this class.

        Args:
            config: What `get_config` gave.
            custom_objects: Classes of cells by their names, besides those of `tf.nn.rnn_cell`.

        Returns:
            The cell.

        Raises:
            ValueError: The class of the cell in it is not known.
        """
        rest = dict(config)
        inner = rest.pop("cell")
        name = inner["class_name"]
        kind = (custom_objects or {}).get(name) or _cell_class(RNNCell, name)
        if kind is None:
            raise ValueError(f"Unknown cell: {name}")
        return cls(kind.from_config(inner["config"]), **rest)

    @property
    def state_size(self) -> Any:
        """That of the cell in it."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell in it."""
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros of the cell in it.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            Tensors with the structure of `state_size`.
        """
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes a step.

        Args:
            inputs: A tensor of the shape [batch, size], or nested tensors.
            state: A tensor for each size in `state_size`.
            scope: The scope of the variables of the cell in it.

        Returns:
            The output and the next state.
        """
        return self._wrapped(inputs, state, scope)

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        raise NotImplementedError


def _cell_class(kind: Any, name: str) -> Any:
    """The class of cells of that name that is derived from one, of `tf.nn.rnn_cell`; or None."""
    for each in kind.__subclasses__():
        is_public = each.__module__.endswith(".nn.rnn_cell") and each.__name__ == name
        found = each if is_public else _cell_class(each, name)
        if found is not None:
            return found
    return None


@set_module("troupe.nn.rnn_cell")
class ResidualWrapper(CellWrapper):
    """A cell whose inputs are added to its outputs."""

    def __init__(
        self, cell: Any, residual_fn: Optional[Callable[[Any, Any], Any]] = None, **kwargs: Any
    ) -> None:
        """Wraps a cell.

        Args:
            cell: The cell.
            residual_fn: Gives the outputs from (inputs, outputs), by default their sum.
            **kwargs: What all layers take.
        """
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a cell again, by their names.

        Raises:
            NotImplementedError: There is a function among them.
        """
        if self._residual_fn is not None:
            raise NotImplementedError("a residual_fn has no configuration")
        return super().get_config()

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, after = self.cell(inputs, state, scope=scope)
        return (self._residual_fn or _sums)(inputs, outputs), after


def _sums(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    for one, other in zip(nest.flatten(inputs), nest.flatten(outputs)):
        one.shape.assert_is_compatible_with(other.shape)
    return nest.map_structure(lambda one, other: one + other, inputs, outputs)


@set_module("troupe.nn.rnn_cell")
class DeviceWrapper(CellWrapper):
    """A cell that runs on a device."""

    _config_names = ("device",)

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        """Wraps a cell.

        Args:
            cell: The cell.
            device: What `tf.device` takes, in which the cell is called.
            **kwargs: What all layers take.
        """
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros, on the device.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            Tensors with the structure of `state_size`.
        """
        with get_default_graph().device(self._device):
            return super().zero_state(batch_size, dtype)

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        with get_default_graph().device(self._device):
            return self.cell(inputs, state, scope=scope)


@set_module("troupe.contrib.rnn")
class CompiledWrapper(CellWrapper):
    """A cell as it is: steps are not compiled, so that its values are those of the cell in it."""

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        """A cell around another one.

        Args:
            cell: The other one.
            compile_stateful: Has no effect.
        """
        del compile_stateful
        super().__init__(cell)

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        return self.cell(inputs, state, scope=scope)
