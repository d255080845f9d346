"""How variables follow the gradients of a loss."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe import _native
from troupe._convert import convert_to_tensor
from troupe._elements import Operation, Tensor
from troupe._gradients import gradients
from troupe._graph import get_default_graph
from troupe._variables import Variable, group, trainable_variables

GradientsAndVariables = Sequence[Tuple[Any, Variable]]


class Optimizer:
    """The base of all optimizers. What one remembers between steps are variables beside theirs."""

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2
    _rule = ""

    def __init__(self, learning_rate: Any, name: str, **options: Any) -> None:
        self._learning_rate = learning_rate
        self._name = name
        self._options: Dict[str, Any] = options

    def get_name(self) -> str:
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Optional[Variable] = None,
        var_list: Optional[Sequence[Variable]] = None,
        name: Optional[str] = None,
        grad_loss: Any = None,
        **_: Any,
    ) -> Operation:
        """A training step: the gradients of the loss, and the update of each variable."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable: the loss depends on none of "
                f"{[variable.name for _, variable in pairs]}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Optional[Sequence[Variable]] = None,
        grad_loss: Any = None,
        **_: Any,
    ) -> List[Tuple[Optional[Tensor], Variable]]:
        """(gradient or None, variable) for those variables, or for all that are trainable."""
        variables = list(var_list) if var_list is not None else trainable_variables()
        if not variables:
            raise ValueError("No variables to optimize.")
        arriving = None if grad_loss is None else [grad_loss]
        return list(zip(gradients(loss, variables, arriving), variables))

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """The second half of `minimize`; counts the global step after all updates."""
        pairs = [
            (gradient, variable) for gradient, variable in grads_and_vars if gradient is not None
        ]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        graph = get_default_graph()
        values = [convert_to_tensor(g, v.dtype)._value() for g, v in pairs]
        options = {**self._options, **self._rate()}
        with graph._lock, graph.control_dependencies(None):
            graph._check_not_finalized()
            builder = graph._builder_for("NoOp", self._name)
            made = _native.apply_gradients(
                builder, self._rule, options, [v._made for _, v in pairs], values
            )
            step = graph._of_value(made)
        assert isinstance(step, Operation)
        if global_step is None:
            return group(step, name=name or self._name)
        with graph.control_dependencies([step]):
            counted = global_step.assign_add(1)
        return group(counted, name=name or self._name)

    def _rate(self) -> Dict[str, Any]:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        if isinstance(rate, (Tensor, Variable)):
            return {"rate": convert_to_tensor(rate)._value()}
        return {"learning_rate": float(rate)}


class GradientDescentOptimizer(Optimizer):
    """w <- w - learning_rate g."""

    _rule = "GradientDescent"

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(learning_rate, name)


class MomentumOptimizer(Optimizer):
    """a <- momentum a + g; w <- w - learning_rate a."""

    _rule = "Momentum"

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            learning_rate, name, momentum=float(momentum), use_nesterov=bool(use_nesterov)
        )


class AdamOptimizer(Optimizer):
    """Adam, with the bias of the first steps taken out."""

    _rule = "Adam"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        options = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}
        super().__init__(learning_rate, name, **options)
