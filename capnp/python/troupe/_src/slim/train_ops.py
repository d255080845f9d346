"""An operation that trains and gives the loss, and what may be done to gradients before."""

from __future__ import annotations

import functools
import operator
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import array_ops, clip_ops, grouping_ops
from troupe._src.ops.assert_ops import check_numerics as checked
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform import logging
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.optimizer import Optimizer

USE_GLOBAL_STEP: Any = 0  # as in TensorFlow
Pairs = Sequence[Tuple[Any, Any]]


def add_gradients_summaries(grads_and_vars: Pairs, joined_by: str = "_") -> List[Tensor]:
    """A histogram and the length of each gradient.

    Args:
        grads_and_vars: Pairs of a gradient, or None, and its variable.
        joined_by: What is between the name of the variable and that of the summary.

    Returns:
        The summaries.
    """
    found = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            logging.info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        name = f"{variable.op.name}{joined_by}gradient"
        found.append(summary_ops.histogram(name, values))
        found.append(summary_ops.scalar(f"{name}_norm", clip_ops.global_norm([values])))
    return found


def _changed(gradient: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient whose values are changed."""
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return change(gradient)


def clip_gradient_norms(gradients_to_variables: Pairs, max_norm: Any) -> List[Tuple[Any, Any]]:
    """The gradients, each shortened to a length where it is longer.

    Args:
        gradients_to_variables: Pairs of a gradient, or None, and its variable.
        max_norm: The length.

    Returns:
        The pairs.
    """
    return [
        (_changed(gradient, lambda values: clip_ops.clip_by_norm(values, max_norm)), variable)
        for gradient, variable in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: Any) -> Callable[[Pairs], List[Tuple[Any, Any]]]:
    """A function of pairs that does what `clip_gradient_norms` does.

    Args:
        max_norm: The length that gradients are shortened to.

    Returns:
        The function.
    """
    return lambda pairs: clip_gradient_norms(pairs, max_norm)


def multiply_gradients(
    grads_and_vars: List[Tuple[Any, Any]], gradient_multipliers: Dict[Any, Any]
) -> List[Tuple[Any, Any]]:
    """The gradients, multiplied by factors of their variables.

    Args:
        grads_and_vars: A list of pairs of a gradient and its variable.
        gradient_multipliers: {variable, or its name: factor}; others are left as they are.

    Returns:
        The pairs.

    Raises:
        ValueError: The arguments are no list or no dictionary, or are empty, or a variable with a
            factor has no gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    found = []
    for gradient, variable in grads_and_vars:
        key = variable if variable in gradient_multipliers else variable.op.name
        if key in gradient_multipliers:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = convert_to_tensor(gradient_multipliers[key], dtype=gradient.dtype)
            gradient = _changed(gradient, functools.partial(operator.mul, factor))
        found.append((gradient, variable))
    return found


def create_train_op(
    total_loss: Tensor, optimizer: Any, global_step: Any = USE_GLOBAL_STEP,
    update_ops: Optional[Sequence[Any]] = None,
    variables_to_train: Optional[Sequence[Any]] = None,
    transform_grads_fn: Optional[Callable[[Any], Any]] = None, summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP, aggregation_method: Optional[int] = None,
    colocate_gradients_with_ops: bool = False, check_numerics: bool = True,
) -> Tensor:  # fmt: skip
    """A tensor that is the loss after the optimizer and the updates have run.

    Args:
        total_loss: The loss.
        optimizer: What computes and applies gradients.
        global_step: The variable that counts steps; by default that of the graph, which is made
            where there is none; None for none.
        update_ops: What runs before the loss is computed; None for the collection UPDATE_OPS.
        variables_to_train: The variables; None for those that are trained by default.
        transform_grads_fn: Is given the pairs of gradients and variables, and gives others.
        summarize_gradients: Whether there is a summary of each gradient.
        gate_gradients: As that of `Optimizer.compute_gradients`.
        aggregation_method: Likewise.
        colocate_gradients_with_ops: Likewise.
        check_numerics: Whether a loss that is no number is an error.

    Returns:
        The tensor, which is also in the collection TRAIN_OP.
    """
    summarize = add_gradients_summaries if summarize_gradients else None
    return make_train_op(
        total_loss, optimizer, global_step, update_ops, variables_to_train, transform_grads_fn,
        summarize, check_numerics, gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )  # fmt: skip


def make_train_op(
    total_loss: Tensor, optimizer: Any, global_step: Any, update_ops: Optional[Sequence[Any]],
    variables: Optional[Sequence[Any]], transform: Optional[Callable[[Any], Any]],
    summarize: Optional[Callable[[Any], Any]], check_numerics: bool, **options: Any,
) -> Tensor:  # fmt: skip
    """What `create_train_op` makes; `summarize` is called with the pairs."""
    graph = get_default_graph()
    if global_step is USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    pending = list(dict.fromkeys(graph.get_collection(GraphKeys.UPDATE_OPS)))
    updates = pending if update_ops is None else list(update_ops)
    if not set(pending) <= set(updates):
        logging.warning(
            "update_ops in create_train_op does not contain all the update_ops in "
            "GraphKeys.UPDATE_OPS"
        )
    if updates:
        with graph.control_dependencies(updates):
            barrier = grouping_ops.no_op(name="update_barrier")
        with graph.control_dependencies([barrier]):
            total_loss = array_ops.identity(total_loss)
    trained = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    chosen = trained if variables is None else list(variables)
    assert chosen and all(each.trainable or each in trained for each in chosen)
    pairs = optimizer.compute_gradients(total_loss, chosen, **options)
    if transform is not None:
        pairs = transform(pairs)
    if summarize is not None:
        with graph.name_scope("summarize_grads"):
            summarize(pairs)
    applied = optimizer.apply_gradients(pairs, global_step=global_step)
    with graph.name_scope("train_op"):
        if check_numerics:
            total_loss = checked(total_loss, "LossTensor is inf or nan")
        with graph.control_dependencies([applied]):
            found = array_ops.identity(total_loss)
    graph.add_to_collection(GraphKeys.TRAIN_OP, found)
    return found
