"""Moving averages of variables."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import init_scope
from troupe._src.ops import creation_ops, gen_ops, grouping_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.replicas.contexts import strategy_of_many
from troupe._src.replicas.merging import merge_call
from troupe._src.replicas.mirrored_variable import each_copy, select_own
from troupe._src.replicas.reductions import local_mean, on_all
from troupe._src.replicas.values import Mirrored
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_sets import (
    global_variables,
    moving_average_variables,
    trainable_variables,
)


def assign_moving_average(
    variable: Variable, value: Any, decay: Any, zero_debias: bool = True, name: Optional[str] = None
) -> Tensor:
    """Sets variable <- decay * variable + (1 - decay) * value; the result is the new value.

    With `zero_debias` it is divided by what a variable that starts at zero lacks (Kingma and Ba,
    Adam, 2014, section 3): two more variables keep the biased average and the number of updates.
    """
    strategy = strategy_of_many()
    if strategy is not None:
        # Averages are linear: that of the mean is the mean of those that replicas would have.
        given = (variable, value, decay, zero_debias, name)
        average: Tensor = merge_call(strategy, _assign_in_copies, given)
        return average
    return _assign(variable, value, decay, zero_debias, name)


def _assign_in_copies(
    strategy: Any, variable: Variable, value: Any, decay: Any, zero_debias: bool, name: Any
) -> Any:
    mean = on_all(strategy.extended, local_mean(strategy.extended, value))
    updated = each_copy(
        variable, lambda: _assign(variable, select_own(mean), decay, zero_debias, name)
    )
    return updated[0] if len(updated) == 1 else Mirrored(updated)


def _assign(
    variable: Variable, value: Any, decay: Any, zero_debias: bool, name: Optional[str]
) -> Tensor:
    graph = get_default_graph()
    named = graph.name_scope(name or "AssignMovingAvg")
    with named as scope, graph.colocate_with(variable.op):
        new = convert_to_tensor(value, variable.dtype)
        # The difference of Python's numbers is more exact than that of float32.
        rest = convert_to_tensor(1.0 - decay, name="decay", preferred_dtype=variable.dtype)
        if rest.dtype != variable.dtype.base_dtype:
            rest = math_ops.cast(rest, variable.dtype)
        if not zero_debias:
            change = (convert_to_tensor(variable) - new) * rest
            decayed: Tensor = variable.assign_sub(change, name=scope)
            return decayed
        biased, count = _debiasing_variables(graph, variable)
        average = biased.assign_sub((biased - new) * rest, name="AssignSub")
        updates = count.assign_add(1.0, name="AssignAdd")
        # 1 - (1 - rest)^n, of which little would remain in float32.
        lacking = -gen_ops.expm1(updates * gen_ops.log1p(-rest))
        debiased: Tensor = variable.assign(average / lacking, name=scope)
        return debiased


def _debiasing_variables(graph: Graph, variable: Any) -> Tuple[Any, Any]:
    """The average that starts at zero, and the number of its updates."""
    with graph.name_scope(None), variable_scope(_name_of(variable)) as scope:
        prefix = f"{scope.name}/"
        taken = set() if scope.reuse else {each.op.name for each in scope.global_variables()}

        def made(name: str, shape: Any) -> Any:
            names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(1)))
            free = next(each for each in names if prefix + each not in taken)
            return get_variable(free, shape, variable.dtype, Zeros(), trainable=False)

        return made("biased", variable.shape), made("local_step", [])


def _name_of(variable: Any) -> str:
    return str(variable._shared_name if isinstance(variable, Variable) else variable.op.name)


def _in_scope(name: str) -> str:
    """A name in the current variable scope."""
    return f"{get_variable_scope().name}/{name}".lstrip("/")


@set_module("troupe.train")
class ExponentialMovingAverage:
    """Maintains a shadow of each variable: s <- decay * s + (1 - decay) * v.

    Args:
        decay: The decay, a number or a scalar.
        num_updates: Where it is given, the decay is at most (1 + num_updates) / (10 + num_updates).
        zero_debias: Whether averages of tensors are corrected for their begin at 0.
        name: The end of the names of shadows.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._zero_debias = zero_debias
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._averages: Dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """The end of the names of shadows."""
        return self._name

    def apply(self, var_list: Optional[Sequence[Any]] = None) -> Operation:
        """Creates the shadows, with the initial values of the variables.

        Args:
            var_list: Variables and tensors; None for all trainable variables.

        Returns:
            The operation that updates the shadows.

        Raises:
            ValueError: A variable has a shadow already.
        """
        variables = trainable_variables() if var_list is None else list(var_list)
        graph = get_default_graph()
        for variable in variables:
            if variable in self._averages:
                continue
            self._averages[variable] = self._shadow_of(variable)
            if isinstance(variable, Variable):
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
        with graph.name_scope(self._name):
            return grouping_ops.group(*[self._update(variable) for variable in variables])

    def _shadow_of(self, variable: Any) -> Variable:
        graph = get_default_graph()
        if isinstance(variable, Variable):
            initial: Any = variable.initialized_value()
        else:
            with init_scope():  # the tensor may be that of a branch, the shadow is not
                initial = creation_ops.zeros(variable.shape, variable.dtype)
        name = _in_scope(f"{_name_of(variable)}/{self._name}")
        with graph.name_scope(None), graph.colocate_with(variable.op):
            shadow = Variable(initial, trainable=False, name=name)
        part = variable._get_save_slice_info() if isinstance(variable, Variable) else None
        if part is not None:
            shadow._set_save_slice_info(part.of_slot(self._name))
        return shadow

    def _update(self, variable: Any) -> Tensor:
        shadow = self._averages[variable]
        with get_default_graph().colocate_with(shadow.op):
            is_variable = isinstance(variable, Variable)
            # After the control dependencies, where a reference's value may be from before.
            value = variable.read_value() if is_variable else convert_to_tensor(variable)
            decay = math_ops.cast(self._decay, value.dtype)
            if self._num_updates is not None:
                updates = math_ops.cast(self._num_updates, value.dtype)
                decay = gen_ops.minimum(decay, (updates + 1.0) / (updates + 10.0))
            is_biased = self._zero_debias and not is_variable
            return assign_moving_average(shadow, value, decay, is_biased)

    def average(self, var: Any) -> Optional[Variable]:
        """The shadow of a variable.

        Args:
            var: A variable or tensor that `apply` got.

        Returns:
            The shadow; None where there is none.
        """
        return self._averages.get(var)

    def average_name(self, var: Any) -> str:
        """The name of the shadow in graphs and checkpoints.

        Before `apply` it is that of one made in the name scope of this call.

        Args:
            var: A variable or tensor.

        Returns:
            The name.
        """
        if var in self._averages:
            return self._averages[var]._shared_name
        return f"{get_default_graph().get_name_scope()}/{_name_of(var)}/{self._name}".lstrip("/")

    def variables_to_restore(
        self, moving_avg_variables: Optional[Sequence[Variable]] = None
    ) -> Dict[str, Variable]:
        """The variables for a Saver that restores averages into the variables.

        Args:
            moving_avg_variables: Those that get averages; None for all trainable and averaged ones.

        Returns:
            A dict of variables by the names in the checkpoint.
        """
        averaged = moving_avg_variables
        if averaged is None:
            averaged = trainable_variables() + moving_average_variables()
        named = {self.average_name(variable): variable for variable in averaged}
        for variable in global_variables():
            if variable not in averaged:
                named.setdefault(variable._shared_name, variable)
        return named
