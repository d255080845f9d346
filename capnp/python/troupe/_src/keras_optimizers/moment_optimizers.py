"""Optimizers with moments of gradients: Adam and its variants."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.keras.settings import epsilon as default_epsilon
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.keras_optimizers.schedules import LearningRateSchedule
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType
from troupe._src.variables.variable import Variable

_MODULE = "troupe.keras.optimizers"


class _Moments(Optimizer):
    """Optimizers with the slots m and v, and the arguments that they share."""

    def _set_moments(
        self, learning_rate: Any, beta_1: Any, beta_2: Any, epsilon: Optional[float]
    ) -> None:
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name in ("m", "v"):
            for variable in var_list:
                self.add_slot(variable, name)

    def _powers(self, var_dtype: DType) -> Dict[str, Tensor]:
        """The betas, and their powers of the number of this step."""
        steps = math_ops.cast(self.iterations + 1, var_dtype)
        found: Dict[str, Tensor] = {"epsilon": convert_to_tensor(self.epsilon, var_dtype)}
        for name in ("beta_1", "beta_2"):
            beta = array_ops.identity(self._get_hyper(name, var_dtype))
            found[f"{name}_t"] = beta
            found[f"one_minus_{name}_t"] = 1 - beta
            found[f"{name}_power"] = gen_ops.pow(beta, steps)
        return found

    def _decayed(self, slot: Variable, beta: Tensor, added: Tensor, indices: Tensor) -> Tensor:
        """The slot after a decay of all rows and an addition to some of them."""
        with get_default_graph().control_dependencies([slot.assign(slot * beta)]):
            return self._resource_scatter_add(slot, indices, added)

    def get_config(self) -> Dict[str, Any]:
        names = ("learning_rate", "decay", "beta_1", "beta_2")
        return {
            **super().get_config(),
            **{name: self._serialize_hyperparameter(name) for name in names},
            "epsilon": self.epsilon,
        }


@set_module(_MODULE)
class Adam(_Moments):
    """Adam: steps of the mean of gradients, divided by the root of the mean of their squares.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        beta_1: The decay of the mean of gradients.
        beta_2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        amsgrad: Whether the divisor never becomes less.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of these is negative.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999,
        epsilon: Optional[float] = 1e-7, amsgrad: bool = False, name: str = "Adam", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._set_moments(kwargs.get("lr", learning_rate), beta_1, beta_2, epsilon)
        self.amsgrad = amsgrad

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        super()._create_slots(var_list)
        if self.amsgrad:
            for variable in var_list:
                self.add_slot(variable, "vhat")

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[(var_device, var_dtype)]
        shared.update(self._powers(var_dtype))
        root = gen_ops.sqrt(1 - shared["beta_2_power"])
        shared["lr"] = shared["lr_t"] * root / (1 - shared["beta_1_power"])

    def _resource_apply_dense(self, grad: Tensor, var: Variable, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        arguments: Dict[str, Any] = {
            "var": var.handle, "m": self.get_slot(var, "m").handle,
            "v": self.get_slot(var, "v").handle, "beta1_power": shared["beta_1_power"],
            "beta2_power": shared["beta_2_power"], "lr": shared["lr_t"],
            "beta1": shared["beta_1_t"], "beta2": shared["beta_2_t"],
            "epsilon": shared["epsilon"], "grad": grad,
        }  # fmt: skip
        if not self.amsgrad:
            return raw_ops.ResourceApplyAdam(**arguments)
        vhat = self.get_slot(var, "vhat").handle
        return raw_ops.ResourceApplyAdamWithAmsgrad(**arguments, vhat=vhat)

    def _resource_apply_sparse(
        self, grad: Tensor, var: Variable, indices: Tensor, apply_state: Any = None
    ) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = self._decayed(m, shared["beta_1_t"], grad * shared["one_minus_beta_1_t"], indices)
        square = grad * grad * shared["one_minus_beta_2_t"]
        variance = self._decayed(v, shared["beta_2_t"], square, indices)
        divisor = variance
        if self.amsgrad:
            vhat = self.get_slot(var, "vhat")
            divisor = vhat.assign(gen_ops.maximum(vhat.read_value(), variance))
        step = shared["lr"] * mean / (gen_ops.sqrt(divisor) + shared["epsilon"])
        return group(var.assign_sub(step), mean, variance, divisor)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables their values; those of an Adam of Keras 2 have one slot more."""
        count = (len(self.weights) - 1) // 2
        given = list(weights)
        super().set_weights(given[: len(self.weights)] if len(given) == 3 * count + 1 else given)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "amsgrad": self.amsgrad}


@set_module(_MODULE)
class Adamax(_Moments):
    """Adam, divided by the greatest gradient, which decays.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        beta_1: The decay of the mean of gradients.
        beta_2: The decay of the greatest one.
        epsilon: Keeps the divisor from 0.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of these is negative.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999,
        epsilon: Optional[float] = 1e-7, name: str = "Adamax", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._set_moments(kwargs.get("lr", learning_rate), beta_1, beta_2, epsilon)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)].update(self._powers(var_dtype))

    def _resource_apply_dense(self, grad: Tensor, var: Variable, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        return raw_ops.ResourceApplyAdaMax(
            var=var.handle, m=self.get_slot(var, "m").handle, v=self.get_slot(var, "v").handle,
            beta1_power=shared["beta_1_power"], lr=shared["lr_t"], beta1=shared["beta_1_t"],
            beta2=shared["beta_2_t"], epsilon=shared["epsilon"], grad=grad,
        )  # fmt: skip

    def _resource_apply_sparse(
        self, grad: Tensor, var: Variable, indices: Tensor, apply_state: Any = None
    ) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = gather(m, indices) * shared["beta_1_t"] + grad * shared["one_minus_beta_1_t"]
        greatest = gen_ops.maximum(
            gather(v, indices) * shared["beta_2_t"], arithmetic_ops.abs(grad)
        )
        rate = shared["lr_t"] / (1 - shared["beta_1_power"])
        return group(
            self._resource_scatter_update(m, indices, mean),
            self._resource_scatter_update(v, indices, greatest),
            self._resource_scatter_add(
                var, indices, -rate * (mean / (greatest + shared["epsilon"]))
            ),
        )


@set_module(_MODULE)
class Nadam(_Moments):
    """Adam with Nesterov's momentum.

    Args:
        learning_rate: A number, a tensor, or a function without arguments.
        beta_1: The decay of the mean of gradients.
        beta_2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue` and `lr`, those of `Optimizer`, and `schedule_decay`, by
            which the momentum increases.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of these is negative, or the rate is a schedule.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999,
        epsilon: Optional[float] = 1e-7, name: str = "Nadam", **kwargs: Any,
    ) -> None:  # fmt: skip
        decay = kwargs.pop("schedule_decay", kwargs.pop("decay", 0.004))
        rate = kwargs.get("lr", learning_rate)
        if isinstance(rate, LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support "
                "tf.keras.optimizers.LearningRateSchedules as the learning rate."
            )
        super().__init__(name, decay=decay, **kwargs)
        self._set_moments(rate, beta_1, beta_2, epsilon)
        self._m_cache: Optional[Variable] = None

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        if self._m_cache is None:
            kind = var_list[0].dtype.base_dtype
            self._m_cache = self.add_weight("momentum_cache", [], kind, "ones", trainable=False)
            self._weights.append(self._m_cache)
        super()._create_slots(var_list)

    def _prepare(self, var_list: Sequence[Variable]) -> Any:
        assert self._m_cache is not None
        self._momenta = array_ops.identity(self._m_cache)  # before this step changes it
        return super()._prepare(var_list)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        assert self._m_cache is not None
        shared = self._powers(var_dtype)
        shared["lr_t"] = array_ops.identity(self._get_hyper("learning_rate", var_dtype))
        momenta = [self._momentum(shared["beta_1_t"], ahead, var_dtype) for ahead in (1, 2)]
        product = math_ops.cast(self._momenta, var_dtype) * momenta[0]
        if var_dtype == self._m_cache.dtype.base_dtype:
            product = array_ops.identity(self._m_cache.assign(product))
        shared.update(m_t=momenta[0], m_t_1=momenta[1], product=product)
        apply_state[(var_device, var_dtype)] = shared

    def _momentum(self, beta: Tensor, ahead: int, var_dtype: DType) -> Tensor:
        """That of a step after the last one."""
        steps = self._initial_decay * math_ops.cast(self.iterations + ahead, var_dtype)
        rest: Tensor = beta * (1 - 0.5 * gen_ops.pow(convert_to_tensor(0.96, var_dtype), steps))
        return rest

    def _step(self, grad: Tensor, mean: Tensor, variance: Tensor, shared: Any) -> Tensor:
        """What is subtracted from a variable, from the moments after this step."""
        ahead = mean / (1 - shared["product"] * shared["m_t_1"])
        now = grad / (1 - shared["product"])
        both = (1 - shared["m_t"]) * now + shared["m_t_1"] * ahead
        root = gen_ops.sqrt(variance / (1 - shared["beta_2_power"]))
        step: Tensor = shared["lr_t"] * both / (root + shared["epsilon"])
        return step

    def _resource_apply_dense(self, grad: Tensor, var: Variable, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = m.assign(shared["beta_1_t"] * m + shared["one_minus_beta_1_t"] * grad)
        square = gen_ops.square(grad)
        variance = v.assign(shared["beta_2_t"] * v + shared["one_minus_beta_2_t"] * square)
        return var.assign_sub(self._step(grad, mean, variance, shared))

    def _resource_apply_sparse(
        self, grad: Tensor, var: Variable, indices: Tensor, apply_state: Any = None
    ) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = self._decayed(m, shared["beta_1_t"], grad * shared["one_minus_beta_1_t"], indices)
        square = grad * grad * shared["one_minus_beta_2_t"]
        variance = self._decayed(v, shared["beta_2_t"], square, indices)
        step = self._step(grad, gather(mean, indices), gather(variance, indices), shared)
        return group(self._resource_scatter_add(var, indices, -step), mean, variance)
