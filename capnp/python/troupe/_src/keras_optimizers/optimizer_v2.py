"""The base class of the optimizers of `tf.keras`."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any, ContextManager, Dict, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.keras_optimizers.optimizer_weights import OptimizerWeights
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.clip_ops import clip_by_norm, clip_by_value
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.platform.logging import warning
from troupe._src.replicas.gradient_sums import applied
from troupe._src.replicas.mirrored_variable import each_copy, select_own
from troupe._src.set_module import set_module
from troupe._src.train.gradients import gradients
from troupe._src.types.dtypes import DType
from troupe._src.variables.variable import Variable

_State = Dict[Tuple[str, DType], Dict[str, Tensor]]


@set_module("troupe.keras.optimizers")
class Optimizer(OptimizerWeights):
    """Updates variables by gradients; its numbers and its state are variables.

    An optimizer of a program overrides `_create_slots`, `_resource_apply_dense`,
    `_resource_apply_sparse` and `get_config`, and has its numbers by `_set_hyper` and `_get_hyper`.

    Args:
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm` and `clipvalue` limit gradients, `decay` lets the learning rate decay
            as the inverse of the steps, `lr` is the learning rate.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of them is negative.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        for key, value in kwargs.items():
            if key not in ("clipnorm", "clipvalue", "lr", "decay"):
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if not callable(value) and not is_tensor(value) and value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        super().__init__(name, kwargs.get("decay", 0.0))
        if "clipnorm" in kwargs:
            self.clipnorm = kwargs["clipnorm"]
        if "clipvalue" in kwargs:
            self.clipvalue = kwargs["clipvalue"]

    # Gradients, and what applies them.

    def minimize(
        self, loss: Any, var_list: Any, grad_loss: Any = None, name: Optional[str] = None
    ) -> Operation:
        """An operation that makes the loss less.

        Args:
            loss: A function that gives the loss, or the loss.
            var_list: The variables, or a function that gives them.
            grad_loss: The gradient with respect to the loss, by default ones.
            name: The name scope of the updates.

        Returns:
            The operation, which also counts the step.

        Raises:
            ValueError: The loss depends on none of the variables.
        """
        pairs = self._compute_gradients(loss, var_list=var_list, grad_loss=grad_loss)
        return self.apply_gradients(pairs, name=name)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: Any = None
    ) -> List[Tuple[Any, Variable]]:
        value = loss() if callable(loss) else loss
        given = var_list() if callable(var_list) else var_list
        variables = list(given) if isinstance(given, (list, tuple)) else [given]
        ys = None if grad_loss is None else [grad_loss]
        with get_default_graph().name_scope(f"{self._name}/gradients"):
            found = self._clipped(gradients(value, variables, ys))
        return list(zip(found, variables))

    def _clipped(self, found: Sequence[Any]) -> List[Any]:
        norm, limit = getattr(self, "clipnorm", None), getattr(self, "clipvalue", None)
        clipped = []
        for gradient in found:
            if gradient is not None and norm is not None:
                gradient = clip_by_norm(gradient, norm)
            if gradient is not None and limit is not None:
                gradient = clip_by_value(gradient, -limit, limit)
            clipped.append(gradient)
        return clipped

    def get_gradients(self, loss: Tensor, params: Sequence[Variable]) -> List[Any]:
        """The gradients of a loss.

        Args:
            loss: The loss.
            params: The variables.

        Returns:
            A gradient for each of them.

        Raises:
            ValueError: The loss does not depend on one of them.
        """
        params = list(params)
        with get_default_graph().name_scope(f"{self._name}/gradients"):
            found = gradients(loss, params)
            for gradient, variable in zip(found, params):
                if gradient is None:
                    raise ValueError(
                        f"Variable {variable.name} has `None` for gradient: the loss does not "
                        "depend on it by ops that have gradients."
                    )
            return self._clipped(found)

    def get_updates(self, loss: Tensor, params: Sequence[Variable]) -> List[Operation]:
        """What updates variables, as models call it.

        Args:
            loss: The loss.
            params: The variables.

        Returns:
            One operation.

        Raises:
            ValueError: The loss does not depend on one of them.
        """
        return [self.apply_gradients(list(zip(self.get_gradients(loss, params), params)))]

    def apply_gradients(self, grads_and_vars: Any, name: Optional[str] = None) -> Operation:
        """An operation that applies gradients.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.
            name: The name scope of the updates, by default that of the optimizer.

        Returns:
            The operation, which also counts the step.

        Raises:
            NotImplementedError: A tensor is in the place of a variable.
            ValueError: No variable has a gradient, or one is of another dtype than floats.
        """
        pairs = self._with_gradients(list(grads_and_vars))
        operation: Operation = applied(self._apply_all, pairs, name)
        return operation

    def _apply_all(self, pairs: Any, name: Optional[str]) -> Operation:
        variables = [variable for _, variable in pairs]
        graph = get_default_graph()
        with graph.name_scope(self._name):
            # They are there for other steps too, whatever branch or controls the updates are in.
            with graph.control_dependencies(None):
                _ = self.iterations
                self._create_hypers()
                self._create_slots(variables)
            state = self._prepare(variables)
            updates = []
            with graph.name_scope(name or self._name):
                for gradient, variable in pairs:
                    with graph.name_scope(f"update_{variable.op.name}"):
                        updates += each_copy(
                            variable,
                            lambda: self._updated(select_own(gradient), variable, state),
                        )
                with graph.control_dependencies([_operation(each) for each in updates]):
                    counted = self.iterations.assign_add(1)
        return _operation(counted)

    def _with_gradients(self, pairs: Sequence[Tuple[Any, Any]]) -> List[Tuple[Any, Variable]]:
        found = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        names = [variable.name for gradient, variable in pairs if gradient is None]
        if pairs and not found:
            raise ValueError(f"No gradients provided for any variable: {names}.")
        if names:
            warning(f"Gradients do not exist for variables {names} when minimizing the loss.")
        for _, variable in found:
            if isinstance(variable, Tensor):
                raise NotImplementedError(f"Trying to update a Tensor {variable}")
            if not variable.dtype.base_dtype.is_floating:
                raise ValueError(
                    f"Invalid type {variable.dtype.name} of {variable.name}, expected floats."
                )
        return found

    def _updated(self, gradient: Any, variable: Variable, state: _State) -> Any:
        is_sparse = isinstance(gradient, IndexedSlices)
        dense, rows = self._resource_apply_dense, self._resource_apply_sparse
        takes_state = "apply_state" in inspect.signature(rows if is_sparse else dense).parameters
        options: Dict[str, Any] = {"apply_state": state} if takes_state else {}
        constraint = getattr(variable, "constraint", None)
        if is_sparse:
            if constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, variable, gradient.indices, **options
            )
        update = dense(convert_to_tensor(gradient, variable.dtype.base_dtype), variable, **options)
        if constraint is None:
            return update
        with get_default_graph().control_dependencies([_operation(update)]):
            return variable.assign(constraint(variable.read_value()))

    # What optimizers of programs override, and call.

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Creates the slots."""

    def _prepare(self, var_list: Sequence[Variable]) -> _State:
        """The tensors that updates share, by the devices and dtypes of variables."""
        state: _State = {}
        graph = get_default_graph()
        for variable in var_list:
            key = (variable.device, variable.dtype.base_dtype)
            if key not in state:
                state[key] = {}
                place: ContextManager[Any] = contextlib.nullcontext()
                with graph.device(key[0]) if key[0] else place:
                    self._prepare_local(*key, state)
        return state

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        if "learning_rate" in self._hyper:
            rate = array_ops.identity(self._decayed_lr(var_dtype))
            apply_state[(var_device, var_dtype)]["lr_t"] = rate

    def _shared(self, var: Variable, apply_state: Optional[_State]) -> Dict[str, Tensor]:
        """The tensors that the updates of such variables share."""
        key = (var.device, var.dtype.base_dtype)
        found = (apply_state or {}).get(key)
        return found or self._fallback_apply_state(*key)

    def _fallback_apply_state(self, var_device: str, var_dtype: DType) -> Dict[str, Tensor]:
        state: _State = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[(var_device, var_dtype)]

    def _resource_apply_dense(
        self, grad: Tensor, var: Variable, apply_state: Optional[_State] = None
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _resource_apply_dense")

    def _resource_apply_sparse(
        self, grad: Tensor, var: Variable, indices: Tensor, apply_state: Optional[_State] = None
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _resource_apply_sparse")

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, var: Variable, indices: Tensor, **kwargs: Any
    ) -> Any:
        distinct, positions = raw_ops.Unique(x=indices)
        summed = raw_ops.UnsortedSegmentSum(
            data=grad, segment_ids=positions, num_segments=array_ops.shape(distinct)[0]
        )
        return self._resource_apply_sparse(summed, var, distinct, **kwargs)

    def _resource_scatter_add(self, x: Variable, i: Tensor, v: Tensor) -> Tensor:
        added = raw_ops.ResourceScatterAdd(resource=x.handle, indices=i, updates=v)
        with get_default_graph().control_dependencies([added]):
            return x.read_value()

    def _resource_scatter_update(self, x: Variable, i: Tensor, v: Tensor) -> Tensor:
        updated = raw_ops.ResourceScatterUpdate(resource=x.handle, indices=i, updates=v)
        with get_default_graph().control_dependencies([updated]):
            return x.read_value()


def _operation(update: Union[Operation, Tensor]) -> Operation:
    operation: Operation = update if isinstance(update, Operation) else update.op
    return operation
