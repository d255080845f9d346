"""The numbers and variables of the optimizers of `tf.keras`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.keras.sessions import batch_get_value, batch_set_value, get_value, set_value
from troupe._src.keras_optimizers import schedules
from troupe._src.keras_optimizers.schedules import LearningRateSchedule
from troupe._src.ops import math_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.creation_ops import ones, zeros
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.variables.variable import Variable

_INITIALIZERS: Dict[str, Callable[..., Tensor]] = {"zeros": zeros, "ones": ones}


class OptimizerWeights:
    """What an optimizer has: numbers, which become variables, the count of steps, and slots.

    Args:
        name: The name scope of its nodes and variables.
        decay: How the learning rate decays as the inverse of the steps.
    """

    def __init__(self, name: str, decay: Any) -> None:
        self._hyper: Dict[str, Any] = {}
        self._use_locking = True
        self._name = name or type(self).__name__
        self._hypers_created = False
        self._slots: Dict[Any, Dict[str, Variable]] = {}
        self._slot_names: List[str] = []
        self._weights: List[Variable] = []
        self._iterations: Optional[Variable] = None
        self._initial_decay = decay

    # Its numbers.

    def _set_hyper(self, name: str, value: Any) -> None:
        """Sets a number, which may be a tensor, a function, or a schedule."""
        current = self._hyper.get(name)
        if isinstance(current, Variable) and not isinstance(value, LearningRateSchedule):
            set_value(current, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Optional[DTypeLike] = None) -> Any:
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        value = value() if callable(value) else value
        return math_ops.cast(value, dtype) if dtype else value

    def _create_hypers(self) -> None:
        if self._hypers_created:
            return
        for name, value in sorted(self._hyper.items()):
            if not (is_tensor(value) or isinstance(value, Variable) or callable(value)):
                self._hyper[name] = self.add_weight(
                    name, shape=[], trainable=False, initializer=value
                )
        self._hypers_created = True

    def _decayed_lr(self, var_dtype: DTypeLike) -> Tensor:
        """The learning rate of this step."""
        rate = self._get_hyper("learning_rate", var_dtype)
        steps = math_ops.cast(self.iterations, var_dtype)
        if isinstance(rate, LearningRateSchedule):
            rate = math_ops.cast(rate(steps), var_dtype)
        if self._initial_decay > 0.0:
            rate = rate / (1.0 + self._get_hyper("decay", var_dtype) * steps)
        found: Tensor = rate
        return found

    def __getattr__(self, name: str) -> Any:
        name = "learning_rate" if name == "lr" else name
        if name in self.__dict__.get("_hyper", ()):
            return self._get_hyper(name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        name = "learning_rate" if name == "lr" else name
        if name in self.__dict__.get("_hyper", ()):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    # Its variables.

    @property
    def iterations(self) -> Variable:
        """The number of steps so far, a variable of int64."""
        if self._iterations is None:
            self._iterations = self.add_weight("iter", [], dtypes.int64, trainable=False)
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been "
                "created"
            )
        self._iterations = variable
        self._weights.append(variable)

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Optional[DTypeLike] = None,
        initializer: Any = "zeros",
        trainable: Optional[bool] = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Variable:
        """A variable of the optimizer.

        Args:
            name: Its name.
            shape: Its shape.
            dtype: Its dtype, by default float32.
            initializer: A number, "zeros" or "ones", or a function of the shape and the dtype.
            trainable: Whether others train it, by default True.
            synchronization: Has no effect: there is one replica.
            aggregation: Has no effect, likewise.

        Returns:
            The variable.
        """
        kind = as_dtype(dtype or dtypes.float32)
        initial = _initial(initializer, shape, kind)
        return Variable(initial, trainable=trainable is not False, name=name, dtype=kind)

    def add_slot(self, var: Variable, slot_name: str, initializer: Any = "zeros") -> Variable:
        """The slot of a variable, made at the first call.

        Args:
            var: The variable.
            slot_name: The name of the slot.
            initializer: What it begins with: a value, "zeros" or "ones", or a function of the
                shape and the dtype.

        Returns:
            The slot, a variable.
        """
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        slots = self._slots.setdefault(key_of(var), {})
        if slot_name not in slots:
            kind = var.dtype.base_dtype
            initial = _initial(initializer, var.shape.as_list(), kind)
            with get_default_graph().colocate_with(var.op):
                name = f"{var._shared_name}/{slot_name}"
                slots[slot_name] = Variable(initial, trainable=False, name=name, dtype=kind)
            self._weights.append(slots[slot_name])
        return slots[slot_name]

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """The slot of a variable.

        Args:
            var: The variable.
            slot_name: The name of the slot.

        Returns:
            The slot, a variable.

        Raises:
            KeyError: There is none.
        """
        return self._slots[key_of(var)][slot_name]

    def _numbers_by_name(self) -> Dict[str, Variable]:
        """The variables of the step and of its numbers, by the names that checkpoints have."""
        found: Dict[str, Any] = {"iter": self._iterations, **self._hyper}
        graph = get_default_graph()
        return {
            name: each
            for name, each in found.items()
            if isinstance(each, Variable) and each.graph is graph
        }

    def get_slot_names(self) -> List[str]:
        """The names of all slots, in the order of their creation."""
        return self._slot_names

    def variables(self) -> List[Variable]:
        """The variables of its state, in the order of their creation."""
        return self._weights

    @property
    def weights(self) -> List[Variable]:
        """The variables of its state, in the order of their creation."""
        return self._weights

    def get_weights(self) -> List[Any]:
        """The values of these variables."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives these variables their values.

        Args:
            weights: The values, in the order of `weights`.

        Raises:
            ValueError: There are more or less of them, or shapes differ.
        """
        params = self.weights
        if len(params) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self._name} with a weight list "
                f"of length {len(weights)}, but the optimizer was expecting {len(params)} weights."
            )
        for variable, value in zip(params, weights):
            if variable.shape.as_list() != list(np.shape(value)):
                raise ValueError(
                    f"Optimizer weight shape {variable.shape} not compatible with provided weight "
                    f"shape {np.shape(value)}"
                )
        batch_set_value(list(zip(params, weights)))

    # Its configuration.

    def _serialize_hyperparameter(self, hyperparameter_name: str) -> Any:
        value = self._hyper[hyperparameter_name]
        if isinstance(value, LearningRateSchedule):
            return schedules.serialize(value)
        if isinstance(value, Variable) or is_tensor(value):
            return get_value(value)
        return value() if callable(value) else value

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such an optimizer, by their names."""
        config: Dict[str, Any] = {"name": self._name}
        for name in ("clipnorm", "clipvalue"):
            if hasattr(self, name):
                config[name] = getattr(self, name)
        return config

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Optional[Mapping[str, Any]] = None
    ) -> Any:
        """An optimizer that is made of the arguments that `get_config` gives.

        Args:
            config: The arguments by their names.
            custom_objects: Schedules of the program by their names.

        Returns:
            The optimizer, without state.
        """
        given = dict(config)
        if "lr" in given:
            given["learning_rate"] = given.pop("lr")
        if isinstance(given.get("learning_rate"), dict):
            given["learning_rate"] = schedules.deserialize(given["learning_rate"], custom_objects)
        return cls(**given)


def key_of(variable: Variable) -> Any:
    """By what an optimizer knows a variable."""
    return variable.graph, getattr(variable, "_copies", [variable])[0].op.name


def _initial(initializer: Any, shape: Any, dtype: DType) -> Any:
    if isinstance(initializer, str):
        if initializer not in _INITIALIZERS:
            raise ValueError(f"Unknown initializer: {initializer}")
        initializer = _INITIALIZERS[initializer]
    if callable(initializer):
        return initializer(shape, dtype=dtype)
    if is_tensor(initializer) or isinstance(initializer, Variable):
        return initializer
    return convert_to_tensor(np.asarray(initializer, dtype.as_numpy_dtype), dtype)
