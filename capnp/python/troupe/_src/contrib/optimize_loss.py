"""`optimize_loss`: the node of a training, made of a loss, an optimizer and its settings."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from troupe._src.contrib.gradient_changes import add_noise, clip_by_norm, multiply
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.scopes import control_dependencies, get_collection
from troupe._src.ops.array_ops import identity
from troupe._src.ops.clip_ops import global_norm
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.summary.summary_ops import histogram, scalar
from troupe._src.train.adaptive_optimizers import AdagradOptimizer, AdamOptimizer
from troupe._src.train.global_step import assert_global_step, get_global_step
from troupe._src.train.optimizer import Optimizer
from troupe._src.train.optimizers import (
    FtrlOptimizer, GradientDescentOptimizer, MomentumOptimizer, RMSPropOptimizer,
)  # fmt: skip
from troupe._src.variables.initializers import Constant
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_sets import trainable_variables

OPTIMIZER_CLS_NAMES: Dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = [
    "learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm",
]  # fmt: skip

Pairs = List[Tuple[Any, Any]]


def optimize_loss(
    loss: Any, global_step: Any, learning_rate: Any, optimizer: Any,
    gradient_noise_scale: Optional[float] = None,
    gradient_multipliers: Optional[Dict[Any, Any]] = None,
    clip_gradients: Union[None, float, Callable[[Pairs], Pairs]] = None,
    learning_rate_decay_fn: Optional[Callable[[Any, Any], Any]] = None,
    update_ops: Optional[Sequence[Any]] = None, variables: Optional[Sequence[Any]] = None,
    name: Optional[str] = None, summaries: Optional[Sequence[str]] = None,
    colocate_gradients_with_ops: bool = False, increment_global_step: bool = True,
) -> Tensor:  # fmt: skip
    """A training that updates variables by the gradients of a loss.

    Args:
        loss: A scalar.
        global_step: The counter of steps, by default that of the graph, if it has one.
        learning_rate: A float, which becomes the variable `learning_rate` of the scope, or a scalar
            tensor; None where the optimizer knows its own.
        optimizer: A name of OPTIMIZER_CLS_NAMES, a class, an optimizer, or a function of the
            learning rate, or of nothing where that is None, which gives an optimizer.
        gradient_noise_scale: The standard deviation of noise that is added to gradients.
        gradient_multipliers: Factors of gradients, by variables or their names.
        clip_gradients: What the norm of all gradients is clipped to, or a function of the list of
            (gradient, variable), such as that of `adaptive_clipping_fn`.
        learning_rate_decay_fn: Gives the rate of a step, of the learning rate and the step.
        update_ops: What runs before the loss, by default the collection UPDATE_OPS.
        variables: What is trained, by default all trainable variables.
        name: The scope, by default `OptimizeLoss`.
        summaries: Some of OPTIMIZER_SUMMARIES, by default loss, rate and norm of all gradients.
        colocate_gradients_with_ops: As of `Optimizer.compute_gradients`.
        increment_global_step: Whether a step is counted.

    Returns:
        The loss, after the update.

    Raises:
        ValueError: The loss is no scalar, or an argument is none of these or is missing.
    """
    loss = convert_to_tensor(loss)
    if loss.shape.rank not in (None, 0):
        raise ValueError(f"Expected scalar shape for {loss.name}, saw shape: {loss.shape}.")
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    wanted = ["loss", "learning_rate", "global_gradient_norm"] if summaries is None else summaries
    for summary in wanted:
        if summary not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided "
                f"{summary}."
            )
    with variable_scope(name, "OptimizeLoss"):
        updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        with control_dependencies(list(updates)):
            loss = identity(loss) if updates else loss
        rate = _rate_of(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in wanted:
                scalar("learning_rate", rate)
        opt = _optimizer_of(optimizer, rate)
        trained = trainable_variables() if variables is None else list(variables)
        pairs: Pairs = opt.compute_gradients(
            loss, trained, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers)
        has_norm = "global_gradient_norm" in wanted or "gradient_norm" in wanted
        if has_norm:
            scalar("global_norm/gradient_norm", _norm_of(pairs))
        pairs = _clipped(pairs, clip_gradients)
        if "loss" in wanted:
            scalar("loss", loss)
        _summarize(pairs, wanted)
        if has_norm and clip_gradients is not None:
            scalar("global_norm/clipped_gradient_norm", _norm_of(pairs))
        counted = global_step if increment_global_step else None
        update = opt.apply_gradients(pairs, global_step=counted, name="train")
        with control_dependencies([update]):
            return identity(loss)


def _rate_of(learning_rate: Any) -> Any:
    if learning_rate is None:
        return None
    if isinstance(learning_rate, Tensor) and learning_rate.shape.rank == 0:
        return learning_rate
    if not isinstance(learning_rate, float):
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type "
            f"{type(learning_rate)}"
        )
    if learning_rate < 0.0:
        raise ValueError(f"Invalid learning_rate {learning_rate}.")
    return get_variable("learning_rate", [], trainable=False, initializer=Constant(learning_rate))


def _optimizer_of(optimizer: Any, rate: Any) -> Optimizer:
    is_class = isinstance(optimizer, type) and issubclass(optimizer, Optimizer)
    if isinstance(optimizer, str) or is_class:
        kind = "class" if is_class else "string"
        if rate is None:
            raise ValueError(
                f"Learning rate is None, but should be specified if optimizer is {kind} "
                f"({optimizer})."
            )
        if not is_class and optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you "
                f"provided {optimizer}."
            )
        make = optimizer if is_class else OPTIMIZER_CLS_NAMES[optimizer]
        made: Optimizer = make(learning_rate=rate)
        return made
    if isinstance(optimizer, Optimizer):
        return optimizer
    if not callable(optimizer):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of "
            f"subclass of Optimizer or function with one argument. Got {optimizer}."
        )
    result = optimizer() if rate is None else optimizer(rate)
    if not isinstance(result, Optimizer):
        raise ValueError(
            "Unrecognized optimizer: function should return subclass of Optimizer. Got "
            f"{result}."
        )
    return result


def _changed(
    pairs: Pairs, noise_scale: Optional[float], multipliers: Optional[Dict[Any, Any]]
) -> Pairs:
    if noise_scale is not None:
        pairs = add_noise(pairs, noise_scale)
    if multipliers is None:
        return pairs
    pairs = multiply(pairs, multipliers)
    if not pairs:
        raise ValueError(
            "Empty list of (gradient, var) pairs encountered. This is most likely to be caused by "
            "an improper value of gradient_multipliers."
        )
    return pairs


def _clipped(pairs: Pairs, clip_gradients: Any) -> Pairs:
    if isinstance(clip_gradients, float):
        return clip_by_norm(pairs, clip_gradients)
    if callable(clip_gradients):
        return list(clip_gradients(pairs))
    if clip_gradients is not None:
        raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")
    return pairs


def _norm_of(pairs: Pairs) -> Tensor:
    return global_norm([gradient for gradient, _ in pairs])


def _summarize(pairs: Pairs, wanted: Sequence[str]) -> None:
    for gradient, variable in pairs:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if values is None:
            continue
        name = variable.name.replace(":", "_")
        if "gradients" in wanted:
            histogram(f"gradients/{name}", values)
        if "gradient_norm" in wanted:
            scalar(f"gradient_norm/{name}", global_norm([values]))
