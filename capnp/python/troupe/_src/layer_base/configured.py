"""Configurations of layers: dicts of the arguments that make a layer again."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.layer_base.arguments import module_of, resolved, serialized
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape

_OF_ALL = {"self", "trainable", "name", "dtype", "dynamic", "batch_input_shape"}


class Configured:
    """A layer with a configuration.

    A class of layers names its arguments in `_config_names`: their values are attributes of the
    same names, or of these with an underscore in front. What `_config_only` has stands in
    configurations and changes nothing, and what `_config_ignored` names is only told.
    """

    _name: str
    trainable: bool
    _config_names: Tuple[str, ...] = ()
    _config_only: Dict[str, Any] = {}
    _config_ignored: Tuple[str, ...] = ()
    _has_config = False  # whether a class without such names has no arguments to tell

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again, by their names.

        A class of a program that has arguments of its own overrides it.

        Raises:
            NotImplementedError: The class has arguments and does not.
        """
        kind: Any = type(self)
        names = inspect.getfullargspec(kind.__init__).args
        is_told = kind._config_names or kind._has_config or kind.get_config is not _get_config
        if set(names) - _OF_ALL and not is_told:
            raise NotImplementedError(
                "Layers with arguments in `__init__` must override `get_config`."
            )
        own = vars(self)
        config = {"name": self._name, "trainable": self.trainable}
        if "batch_input_shape" in own:
            config["batch_input_shape"] = own["batch_input_shape"]
        config["dtype"] = getattr(self, "dtype", None)
        if own.get("dynamic"):
            config["dynamic"] = True
        for key in kind._config_names:
            value = own[key] if key in own else own[f"_{key}"]
            config[key] = serialized(value) if module_of(key) else _plain(value)
        return {**config, **kind._config_only}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        """A layer of this class.

        Args:
            config: What `get_config` gave.

        Returns:
            The layer, without the weights of the one that had the configuration.
        """
        left_out = {*cls._config_only, *cls._config_ignored}
        return cls(**{key: value for key, value in config.items() if key not in left_out})

    def compute_output_signature(self, input_signature: Any) -> Any:
        """The shapes and dtypes of results.

        Args:
            input_signature: A `tf.TensorSpec`, or nested ones, of the inputs.

        Returns:
            The nested `tf.TensorSpec` of the results, of the layer's dtype, or that of the inputs.

        Raises:
            TypeError: Something is no `tf.TensorSpec`.
            NotImplementedError: The layer does not know the shape of its results.
        """
        specs = nest.flatten(input_signature)
        for spec in specs:
            if not isinstance(spec, TensorSpec):
                raise TypeError(
                    "Only TensorSpec signature types are supported, but saw signature signature "
                    f"entry: {spec}."
                )
        shapes = nest.map_structure(lambda spec: spec.shape, input_signature)
        found: Any = self.compute_output_shape(shapes)  # type: ignore[attr-defined]
        dtype = getattr(self, "dtype", None) or specs[0].dtype
        if isinstance(found, list):
            return [TensorSpec(TensorShape(each), dtype) for each in found]
        return TensorSpec(TensorShape(found), dtype)

    def _resolve_arguments(self) -> None:
        """Gives arguments that are names or configurations the functions that these stand for."""
        own = vars(self)
        for key in type(self)._config_names:
            if module_of(key) and key in own:
                own[key] = resolved(key, own[key])


_get_config = Configured.get_config


def _plain(value: Any) -> Any:
    return value.name if isinstance(value, DType) else value
