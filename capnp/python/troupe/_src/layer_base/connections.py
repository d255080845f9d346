"""The calls of layers on the results of layers of `tf.keras`, which models are made of."""

from __future__ import annotations

from typing import Any, List

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.keras.loaded import keras_module


class Connected:
    """A layer that knows where in models of `tf.keras` it was called.

    A call on other tensors than those of `tf.keras.Input` and of layers behind it leaves no trace.
    """

    _name: str
    supports_masking: bool

    @property
    def inbound_nodes(self) -> List[Any]:
        """Its calls."""
        nodes: List[Any] = vars(self).setdefault("_calls", [])
        return nodes

    @property
    def outbound_nodes(self) -> List[Any]:
        """The calls of other layers on its results."""
        nodes: List[Any] = vars(self).setdefault("_further_calls", [])
        return nodes

    _inbound_nodes, _outbound_nodes = inbound_nodes, outbound_nodes

    def get_input_at(self, node_index: int) -> Any:
        """What a call got.

        Args:
            node_index: The number of the call.

        Returns:
            A tensor, or a list of tensors.

        Raises:
            RuntimeError: There was no call.
            ValueError: There were fewer calls.
        """
        return self._of_call(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """What a call gave.

        Args:
            node_index: The number of the call.

        Returns:
            A tensor, or a list of tensors.

        Raises:
            RuntimeError: There was no call.
            ValueError: There were fewer calls.
        """
        return self._of_call(node_index, "output_tensors", "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shape of what a call got.

        Args:
            node_index: The number of the call.

        Returns:
            A tuple of sizes, or a list of them.

        Raises:
            RuntimeError: There was no call.
            ValueError: There were fewer calls.
        """
        return self._of_call(node_index, "input_shapes", "input shape")

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shape of what a call gave.

        Args:
            node_index: The number of the call.

        Returns:
            A tuple of sizes, or a list of them.

        Raises:
            RuntimeError: There was no call.
            ValueError: There were fewer calls.
        """
        return self._of_call(node_index, "output_shapes", "output shape")

    def get_input_mask_at(self, node_index: int) -> Any:
        """The mask of what a call got.

        Args:
            node_index: The number of the call.

        Returns:
            A tensor or None, or a list of them.

        Raises:
            RuntimeError: There was no call.
            ValueError: There were fewer calls.
        """
        return self._of_call(node_index, "input_masks", "input")

    def get_output_mask_at(self, node_index: int) -> Any:
        """The mask of what a call gave.

        Args:
            node_index: The number of the call.

        Returns:
            A tensor or None, or a list of them.

        Raises:
            RuntimeError: There was no call.
            ValueError: There were fewer calls.
        """
        return self._of_call(node_index, "output_masks", "output")

    @property
    def input(self) -> Any:
        """What its only call got: a tensor or a list; AttributeError with more calls or none."""
        return self._of_only_call("input_tensors", "input")

    @property
    def output(self) -> Any:
        """What its only call gave, as `input`."""
        return self._of_only_call("output_tensors", "output")

    @property
    def input_mask(self) -> Any:
        """The mask of what its only call got, as `input`."""
        return self._of_only_call("input_masks", "input")

    @property
    def output_mask(self) -> Any:
        """The mask of what its only call gave, as `input`."""
        return self._of_only_call("output_masks", "output")

    @property
    def input_shape(self) -> Any:
        """The shape of what its calls got; AttributeError if it differs, or without a call."""
        return self._common_shape("input")

    @property
    def output_shape(self) -> Any:
        """The shape of what its calls gave, as `input_shape`."""
        return self._common_shape("output")

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the result: that of the inputs, where the layer supports masks.

        Args:
            inputs: The tensor, or nested tensors, that the layer is applied to.
            mask: Their masks.

        Returns:
            The mask, or None.

        Raises:
            TypeError: There is a mask, and the layer does not support masks.
        """
        if self.supports_masking:
            return mask
        masks = mask if isinstance(mask, (list, tuple)) else [mask]
        if any(each is not None for each in masks):
            raise TypeError(
                f"Layer {self._name} does not support masking, but was passed an input_mask: {mask}"
            )
        return None

    def _of_call(self, index: int, attribute: str, what: str) -> Any:
        nodes = self.inbound_nodes
        if not nodes:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if index >= len(nodes):
            raise ValueError(
                f"Asked to get {what} at node {index}, but the layer has only {len(nodes)} "
                "inbound nodes."
            )
        values = getattr(nodes[index], attribute)
        return values[0] if len(values) == 1 else values

    def _of_only_call(self, attribute: str, what: str) -> Any:
        nodes = self.inbound_nodes
        if not nodes and what == "input":
            raise AttributeError(f"Layer {self._name} is not connected, no input to return.")
        if not nodes:
            raise AttributeError(f"Layer {self._name} has no inbound nodes.")
        if len(nodes) > 1:
            raise AttributeError(
                f"Layer {self._name} has multiple inbound nodes, hence the notion of "
                f'"layer {what}" is ill-defined. Use `get_{what}_at(node_index)` instead.'
            )
        return self._of_call(0, attribute, what)

    def _common_shape(self, what: str) -> Any:
        if not self.inbound_nodes:
            raise AttributeError(
                f"The layer has never been called and thus has no defined {what} shape."
            )
        shapes = [getattr(each, f"{what}_shapes") for each in self.inbound_nodes]
        if any(each != shapes[0] for each in shapes):
            raise AttributeError(
                f'The layer "{self._name}" has multiple inbound nodes, with different {what} '
                f'shapes. Hence the notion of "{what} shape" is ill-defined for the layer. '
                f"Use `get_{what}_shape_at(node_index)` instead."
            )
        return shapes[0][0] if len(shapes[0]) == 1 else shapes[0]


def is_of_model(inputs: Any) -> bool:
    """Whether some of the inputs are results of layers of `tf.keras`."""
    listed = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    return any(hasattr(each, "_keras_history") for each in listed)


def masks_of(inputs: Any) -> Any:
    """The masks of results of layers: one, or a list for several inputs."""
    return keras_module("engine.base_layer")._collect_previous_mask(
        list(inputs) if isinstance(inputs, tuple) else inputs
    )


def connect(layer: Any, inputs: Any, outputs: Any, arguments: Any) -> Any:
    """Notes a call of a layer on results of layers of `tf.keras`.

    Args:
        layer: The layer.
        inputs: What it got: a tensor, or a list.
        outputs: What it gave. Where that is neither a tensor nor a list, nothing is noted.
        arguments: What else it got, by name.

    Returns:
        What it gave, without the tensors that it got.
    """
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if not all(isinstance(each, Tensor) for each in given + results):
        return outputs
    own = [array_ops.identity(each) if _is_in(given, each) else each for each in results]
    masks = masks_of(inputs)
    found = layer.compute_mask(inputs, masks)
    module, backend = keras_module("engine.base_layer"), keras_module("backend")
    module.Layer._add_inbound_node(
        layer,
        input_tensors=given,
        output_tensors=own,
        input_masks=masks if isinstance(masks, list) else [masks] * len(given),
        output_masks=found if isinstance(found, list) else [found] * len(own),
        input_shapes=[backend.int_shape(each) for each in given],
        output_shapes=[backend.int_shape(each) for each in own],
        arguments=arguments,
    )
    return own if isinstance(outputs, (list, tuple)) else own[0]


def _is_in(tensors: List[Any], tensor: Any) -> bool:
    return any(tensor is each for each in tensors)
