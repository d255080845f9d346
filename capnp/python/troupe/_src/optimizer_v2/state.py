"""The variables of an optimizer in a graph, and its hyperparameters in a step."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, init_scope
from troupe._src.ops import math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.train.op_updates import OptimizerState
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables.variable import Variable

_Hyperparameters = Dict[str, Dict[Optional[DType], Tensor]]


class StepState(OptimizerState):
    """What the methods of an `OptimizerV2` get as their argument `state`.

    Args:
        op_name: What slots are named after.
    """

    def __init__(self, op_name: str) -> None:
        self._op_name = op_name
        self._slots = {}
        self._non_slot_dict = {}
        self._state = []
        self._hyper: _Hyperparameters = {}
        self._constants: _Hyperparameters = {}
        self._var_list: Sequence[Variable] = ()

    def take_constants(self, hyper: Dict[str, Any]) -> None:
        """Adds nodes for the hyperparameters that are no functions.

        Args:
            hyper: The values by the names.
        """
        with init_scope():
            for name, value in sorted(hyper.items()):
                if not callable(value):
                    self._constants[name] = {None: convert_to_tensor(value, name=name)}

    def of_step(self, hyper: Dict[str, Any], var_list: Sequence[Variable]) -> StepState:
        """The state for one call of `apply_gradients`, in which functions are called.

        Args:
            hyper: The hyperparameters by their names.
            var_list: The variables that are updated.

        Returns:
            A state that has the same variables.
        """
        step = StepState(self._op_name)
        step._slots, step._non_slot_dict = self._slots, self._non_slot_dict
        step._state, step._var_list = self._state, var_list
        for name, value in sorted(hyper.items()):
            if callable(value):
                step._hyper[name] = {None: convert_to_tensor(value(), name=name)}
        step._constants = self._constants
        step._hyper.update(self._constants)
        return step

    def create_slot(
        self, var: Variable, val: Any, slot_name: str, optional_op_name: Optional[str] = None
    ) -> Variable:
        """The slot of a variable, made at the first call.

        Args:
            var: The variable.
            val: The initial value.
            slot_name: The name of the slot.
            optional_op_name: What it is named after, if not after the optimizer.

        Returns:
            The slot.
        """
        return self._get_or_make_slot(var, val, slot_name, optional_op_name or self._op_name)

    def create_slot_with_initializer(
        self,
        var: Variable,
        initializer: Any,
        shape: ShapeLike,
        dtype: DType,
        slot_name: str,
        optional_op_name: Optional[str] = None,
    ) -> Variable:
        """The slot of a variable, made at the first call by an initializer.

        Args:
            var: The variable.
            initializer: Gives the initial value; or that value itself.
            shape: The shape of the slot.
            dtype: The dtype of the slot.
            slot_name: The name of the slot.
            optional_op_name: What it is named after, if not after the optimizer.

        Returns:
            The slot.
        """
        named = optional_op_name or self._op_name
        if not callable(initializer):
            return self._get_or_make_slot(var, initializer, slot_name, named)
        return self._get_or_make_slot_with_initializer(
            var, initializer, shape, dtype, slot_name, named
        )

    def zeros_slot(
        self, var: Variable, slot_name: str, optional_op_name: Optional[str] = None
    ) -> Variable:
        """The slot of a variable that begins with zeros, made at the first call.

        Args:
            var: The variable.
            slot_name: The name of the slot.
            optional_op_name: What it is named after, if not after the optimizer.

        Returns:
            The slot.
        """
        return self._zeros_slot(var, slot_name, optional_op_name or self._op_name)

    def create_non_slot(
        self, initial_value: Any, name: str, colocate_with: Optional[Variable] = None
    ) -> Variable:
        """A variable that all updates share, made at the first call.

        Args:
            initial_value: The initial value, or a function that gives it.
            name: The name of the variable.
            colocate_with: The variable beside which it is; by default the first by name.

        Returns:
            The variable.
        """
        beside = colocate_with if colocate_with is not None else self.place()
        return self._create_non_slot_variable(initial_value, name, beside)

    def place(self) -> Variable:
        """The variable beside which those are that all updates share."""
        return min(self._var_list, key=lambda var: var.name)

    def get_non_slot(self, name: str) -> Optional[Variable]:
        """A variable that all updates share.

        Args:
            name: Its name.

        Returns:
            The variable; None where there is none.
        """
        found = {key: each for (key, _), each in self._non_slot_dict.items()}
        return found.get(name)

    def get_hyper(self, name: str, dtype: Optional[DType] = None) -> Tensor:
        """A hyperparameter.

        Args:
            name: Its name.
            dtype: The dtype that is wanted; by default its own.

        Returns:
            A tensor.
        """
        known = self._hyper[name]
        if dtype not in known:
            # That of a constant is kept for later steps: it is in no branch or loop of this one.
            is_kept = known is self._constants.get(name)
            with control_dependencies(None) if is_kept else contextlib.nullcontext():
                known[dtype] = math_ops.cast(known[None], dtype)
        return known[dtype]

    def sorted_variables(self) -> List[Variable]:
        """All variables, by their names."""
        return sorted(self._state, key=lambda var: var.name)

    def non_slots(self) -> List[Tuple[str, Variable]]:
        """The variables that all updates share, by their names."""
        return sorted((name, each) for (name, _), each in self._non_slot_dict.items())
