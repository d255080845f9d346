"""The state of optimizers, and what updates variables: an op, or methods of programs."""

from __future__ import annotations

import numbers
from typing import Any, Dict, List, Optional, Sequence, Tuple, ValuesView

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.ops.array_ops import concat
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import get_variable_scope

_Key = Tuple[Graph, str]


class Setting:
    """A number that an update takes, as the attribute by which TensorFlow's optimizer has it.

    Args:
        argument: The op's name of it.
    """

    def __init__(self, argument: str) -> None:
        self._argument = argument

    def __get__(self, optimizer: Any, kind: Any = None) -> Any:
        if optimizer is None:
            return self
        try:
            return optimizer._numbers[self._argument]
        except KeyError as error:
            raise AttributeError(f"{kind.__name__} has no {self._argument} yet") from error

    def __set__(self, optimizer: Any, value: Any) -> None:
        optimizer._numbers = {**optimizer._numbers, self._argument: value}


class OptimizerState:
    """The variables of an optimizer, by methods that those of programs call, as in TensorFlow."""

    _slots: Dict[str, Dict[_Key, Variable]]  # by their names, and the names of variables
    _non_slot_dict: Dict[Tuple[str, Graph], Variable]
    _state: List[Variable]  # all of them, as they were created

    # What all updates share.

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Variable
    ) -> Variable:
        """A variable of that name beside another one, made at the first call for its graph."""
        key = (name, colocate_with.graph)
        if key not in self._non_slot_dict:
            with get_default_graph().colocate_with(colocate_with.op):
                made = _slot(colocate_with, initial_value, name)
            self._state.append(made)
            self._non_slot_dict[key] = made
        return self._non_slot_dict[key]

    def _get_non_slot_variable(self, name: str, graph: Optional[Graph] = None) -> Any:
        """The variable of that name in a graph, or None."""
        return self._non_slot_dict.get((name, graph or get_default_graph()))

    def _non_slot_variables(self) -> ValuesView[Variable]:
        return self._non_slot_dict.values()

    def _shared_variable(self, initial: Any, name: str, var_list: Sequence[Variable]) -> Variable:
        """A variable that the updates of all variables share, where the first by name is."""
        first = min(var_list, key=lambda var: var.name)
        return self._create_non_slot_variable(initial, name, first)

    @property
    def _shared(self) -> Dict[str, Variable]:
        """These variables by their names, in the latest graph."""
        return {name: variable for (name, _), variable in self._non_slot_dict.items()}

    # Slots.

    def _slot_dict(self, slot_name: str) -> Dict[_Key, Variable]:
        """The slots of that name by the graphs and names of variables."""
        return self._slots.setdefault(slot_name, {})

    def _slot_of(self, var: Variable, slot_name: str) -> Variable:
        """A slot that exists."""
        return self._slots[slot_name][_key_of(var)]

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        shape = [int(size) for size in var.shape]
        zeros = gen_ops.fill(shape, convert_to_tensor(0, var.dtype))
        return self._get_or_make_slot(var, zeros, slot_name, op_name)

    def _get_or_make_slot_with_initializer(
        self,
        var: Variable,
        initializer: Any,
        shape: ShapeLike,
        dtype: DTypeLike,
        slot_name: str,
        op_name: str,
    ) -> Variable:
        """The slot of a variable; its initial value is that of an initializer."""
        slot = self.get_slot(var, slot_name)
        if slot is None:
            slot = self._make_slot(var, initializer(shape, dtype=dtype), slot_name, op_name)
        return slot

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        """The slot `slot_name` of a variable."""
        slot = self.get_slot(var, slot_name)
        if slot is None:
            slot = self._make_slot(var, convert_to_tensor(val, var.dtype), slot_name, op_name)
        return slot

    def _make_slot(self, var: Variable, initial: Any, slot_name: str, op_name: str) -> Variable:
        graph, scope = get_default_graph(), get_variable_scope().name
        name = f"{var._shared_name}/{op_name}"
        # As get_variable names it: in the scope of variables, whatever that of other nodes is.
        with graph.colocate_with(var.op), graph.name_scope(None):
            slot = _slot(var, convert_to_tensor(initial), f"{scope}/{name}" if scope else name)
        info = var._get_save_slice_info()
        if info is not None and slot.shape == var.shape:
            # TensorFlow cuts the name of the variable off, also where another one begins it.
            slot._set_save_slice_info(info.of_slot(slot.op.name[len(var.op.name) + 1 :]))
        self._add_slot(slot_name, var, slot)
        return slot

    def _add_slot(self, slot_name: str, var: Variable, slot: Variable) -> None:
        self._slot_dict(slot_name)[_key_of(var)] = slot
        self._state.append(slot)

    def get_slot(self, var: Variable, name: str) -> Optional[Variable]:
        """A slot of a variable.

        Args:
            var: The variable.
            name: The name of the slot, such as "momentum".

        Returns:
            A variable; None where there is none.
        """
        return self._slots.get(name, {}).get(_key_of(var))

    def get_slot_names(self) -> List[str]:
        """The names of all slots, in order."""
        return sorted(self._slots)

    def variables(self) -> List[Variable]:
        """The variables of its state in the default graph."""
        graph = get_default_graph()
        return [variable for variable in self._state if variable.graph is graph]


class OpUpdates(OptimizerState):
    """Updates by an op for tensors, and another for rows; or by `_apply_dense`, without such ops.

    It is the base of `Optimizer`, not derived from it: programs look for the optimizers among the
    classes whose only base is `Optimizer`.
    """

    _update_op = ""  # ResourceApply... for tensors, ResourceSparseApply... for rows
    _gradient_argument = "grad"  # the op's argument
    _slot_arguments: Dict[str, str] = {}  # slot -> the op's argument
    _numbers: Dict[str, Any] = {}  # the op's scalar arguments
    _op_options: Dict[str, Any] = {}  # the op's attributes
    _use_locking: bool

    def _set_numbers(self, numbers: Dict[str, Any], **options: Any) -> None:
        """Takes what the op needs besides the variables: scalar arguments, and attributes."""
        self._numbers = numbers
        self._op_options = options

    def _settings(self) -> Dict[str, Any]:
        """What it shows besides its name."""
        # "lr" and "alpha" are the op's names of what programs call the learning rate.
        names = {"lr": "learning_rate", "alpha": "learning_rate", "lr_power": "learning_rate_power"}
        shown = {names.get(key, key): _shown(value) for key, value in self._numbers.items()}
        return {**shown, **self._op_options}

    def _number(self, value: Any, var: Variable) -> Tensor:
        # Numbers of Python are float32 first, so that those of float64 variables are rounded, too.
        number = convert_to_tensor(value() if callable(value) else value)
        return math_ops.cast(number, var.dtype)

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        arguments: Dict[str, Any] = {"var": var.handle}
        for slot, argument in self._slot_arguments.items():
            arguments[argument] = self._slot_of(var, slot).handle
        for argument, value in self._numbers.items():
            arguments[argument] = self._number(value, var)
        return {**arguments, **self._op_options, "use_locking": self._use_locking}

    # Overridden by custom optimizers.

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """An op that updates one variable, on its device."""
        if not self._update_op:
            return self._apply_dense(grad, var)
        op = getattr(raw_ops, "ResourceApply" + self._update_op)
        return op(**self._arguments(var), **{self._gradient_argument: grad})

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _resource_apply_dense")

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        """An op that updates the rows of a variable that indices name, each once."""
        if not self._update_op:
            return self._apply_sparse(_rows_of(var, grad, indices), var)
        op = getattr(raw_ops, "ResourceSparseApply" + self._update_op)
        return op(**self._arguments(var), grad=grad, indices=indices)

    def _apply_rows_as_tensor(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        """Updates all rows; the gradient of those that indices do not name is 0."""
        return self._resource_apply_dense(convert_to_tensor(_rows_of(var, grad, indices)), var)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """An op that updates the rows that a gradient has, each once."""
        return self._resource_apply_dense(convert_to_tensor(grad), var)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        """Updates the rows that a gradient has, some of them perhaps repeatedly."""
        return self._apply_distinct(grad.values, var, grad.indices)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, var: Variable, indices: Tensor
    ) -> Any:
        """Updates the rows of a variable that indices name, some of them perhaps repeatedly."""
        default = OpUpdates._apply_sparse_duplicate_indices
        if type(self)._apply_sparse_duplicate_indices is not default:
            return self._apply_sparse_duplicate_indices(_rows_of(var, grad, indices), var)
        return self._apply_distinct(grad, var, indices)

    def _apply_distinct(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        distinct, positions = raw_ops.Unique(x=indices)
        shape = concat([raw_ops.Shape(input=distinct), raw_ops.Shape(input=grad)[1:]], 0)
        summed = convert_to_tensor(IndexedSlices(grad, positions, shape))
        return self._resource_apply_sparse(summed, var, distinct)

    @staticmethod
    def _filled(var: Variable, value: float) -> Tensor:
        return gen_ops.fill(var.shape.as_list(), convert_to_tensor(value, var.dtype))

    @staticmethod
    def _call_if_callable(param: Any) -> Any:
        """A number, or what the function gives that is in its place."""
        return param() if callable(param) else param


def _shown(number: Any) -> Any:
    """A number, or the name of a tensor or variable; None for a function."""
    return number if isinstance(number, numbers.Number) else getattr(number, "name", None)


def _rows_of(var: Variable, grad: Tensor, indices: Tensor) -> IndexedSlices:
    return IndexedSlices(grad, indices, raw_ops.Shape(input=var))


def _key_of(var: Variable) -> _Key:
    return var.graph, str(getattr(var, "_copies", [var])[0].op.name)


def _slot(var: Variable, initial: Any, name: str) -> Variable:
    """A slot of a variable, or what several share; that of a local one is of this program alone."""
    graph = get_default_graph()
    local = graph.get_collection_ref(GraphKeys.LOCAL_VARIABLES)
    if all(each is not var for each in local):
        return Variable(initial, trainable=False, name=name)
    slot = Variable(initial, trainable=False, name=name, collections=[GraphKeys.LOCAL_VARIABLES])
    # Among the variables of a program, a slot is a global one.
    local.remove(slot)
    graph.add_to_collection(GraphKeys.GLOBAL_VARIABLES, slot)
    return slot
