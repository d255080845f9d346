"""Pruning: nodes that set the masks of the smallest weights to zero."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Pattern, Tuple, TypeVar

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.model_pruning.block_masks import (
    assign_parts, assign_value, expand_blocks, pooled_blocks,
)  # fmt: skip
from troupe._src.model_pruning.hparams import checked, get_pruning_hparams
from troupe._src.model_pruning.masks import get_masks, get_thresholds, get_weights
from troupe._src.nn.nn_ops import zero_fraction
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import no_op
from troupe._src.ops.order_ops import top_k
from troupe._src.ops.selection_ops import gather
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_global_step
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import AUTO_REUSE, variable_scope

_Value = TypeVar("_Value")


@set_module("troupe.contrib.model_pruning")
class Pruning:
    """Sets more and more of the smallest weights to zero, by their masks.

    It is `tf.contrib.model_pruning.Pruning`.

    Args:
        spec: The hyperparameters, as of `get_pruning_hparams`.
        global_step: The global step, by default that of the graph.
        sparsity: A scalar, the share of zeros; by default it follows from the hyperparameters and
            the step.

    Raises:
        ValueError: A hyperparameter is out of range.
    """

    def __init__(self, spec: Any = None, global_step: Any = None, sparsity: Any = None) -> None:
        self._spec = checked(spec if spec else get_pruning_hparams())
        step = get_global_step() if global_step is None else global_step
        self._global_step = math_ops.cast(step, dtypes.int32)
        self._sparsity = self._sparsity_now() if sparsity is None else sparsity
        self._assign_ops: List[Any] = []
        with variable_scope(self._spec.name, reuse=AUTO_REUSE):
            self._last_update_step = get_variable(
                "last_mask_update_step", [], dtypes.int32, Zeros(), trainable=False
            )
        self._block_dims = [self._spec.block_height, self._spec.block_width]
        self._block_dims_map = _by_pattern(self._spec.block_dims_map, _block_of)
        self._weight_sparsity_map = _by_pattern(self._spec.weight_sparsity_map, _sparsity_of)

    def _sparsity_now(self) -> Tensor:
        spec = self._spec
        begin, end = spec.sparsity_function_begin_step, spec.sparsity_function_end_step
        with name_scope(spec.name):
            passed = math_ops.cast(self._global_step - begin, dtypes.float32) / float(end - begin)
            progress = gen_ops.minimum(1.0, gen_ops.maximum(0.0, passed))
            rest = gen_ops.pow(1 - progress, spec.sparsity_function_exponent)
            change = gen_ops.multiply(spec.initial_sparsity - spec.target_sparsity, rest)
            return math_ops.add(change, spec.target_sparsity, name="sparsity")

    def _sparsity_for(self, name: str) -> Any:
        """The share of zeros of the weights of that name."""
        target = _matching(self._weight_sparsity_map, name, "weight_sparsity_map")
        if target is None:
            return self._sparsity
        return self._sparsity * (target / self._spec.target_sparsity)

    def _new_mask(self, weights: Any, threshold: Any) -> Tuple[Tensor, Tensor]:
        """The threshold below which weights become zero, and the mask."""
        sparsity = self._sparsity_for(weights.op.name)
        with name_scope(f"{weights.op.name}_pruning_ops"):
            sizes = gen_ops.abs(convert_to_tensor(weights))
            count = array_ops.size(sizes)
            kept = gen_ops.round(math_ops.cast(count, dtypes.float32) * (1 - sparsity))
            ordered, _ = top_k(array_ops.reshape(sizes, [-1]), k=count)
            smallest = gather(ordered, math_ops.cast(kept, dtypes.int32) - 1)
            decay = self._spec.threshold_decay
            smoothed = add_n([smallest * (1 - decay), convert_to_tensor(threshold) * decay])
            mask = math_ops.cast(gen_ops.greater_equal(sizes, smoothed), dtypes.float32)
        return smoothed, mask

    def _new_block_mask(self, weights: Any, threshold: Any) -> Tuple[Tensor, Tensor]:
        """The same for blocks, if there are any, of weights that are a matrix."""
        name = weights.op.name
        block = _matching(self._block_dims_map, name, "block_dims_map") or self._block_dims
        matrix = array_ops.squeeze(convert_to_tensor(weights))
        if matrix.shape.rank != 2 or block == [1, 1]:
            return self._new_mask(weights, threshold)
        pooling = self._spec.block_pooling_function
        if pooling not in ("AVG", "MAX"):
            raise ValueError(f"Unknown pooling function for block sparsity: {pooling}")
        sizes = [int(size) for size in matrix.shape]
        block = [whole if size == -1 else size for size, whole in zip(block, sizes)]
        with name_scope(f"{name}_pruning_ops"):
            pooled = pooled_blocks(gen_ops.abs(matrix), block, pooling, f"{name}_pooled")
            smoothed, mask = self._new_mask(pooled, threshold)
            expanded = expand_blocks(mask, block, *sizes)
        return smoothed, array_ops.reshape(expanded, array_ops.shape(weights))

    def _add_assign_ops(self) -> None:
        masks, weights, thresholds = get_masks(), get_weights(), get_thresholds()
        if len(masks) != len(thresholds):
            raise ValueError(
                f"Number of masks {len(masks)} and number of thresholds {len(thresholds)} mismatch"
            )
        for mask, weight, threshold in zip(masks, weights, thresholds):
            is_divided = isinstance(weight, PartitionedVariable)
            whole = weight.as_tensor() if is_divided else weight
            smoothed, new = self._new_block_mask(whole, threshold)
            self._assign_ops.append(assign_value(threshold, smoothed))
            self._assign_ops.append((assign_parts if is_divided else assign_value)(mask, new))

    def mask_update_op(self) -> Operation:
        """An op that sets all masks of the graph.

        Returns:
            The operation.

        Raises:
            ValueError: There is another number of thresholds than of masks, weights match several
                items of a map, or there is no such function of blocks.
        """
        with name_scope(self._spec.name):
            if not self._assign_ops:
                self._add_assign_ops()
            noted = assign(
                self._last_update_step, self._global_step, name="last_mask_update_step_assign"
            )
            with control_dependencies([noted, *self._assign_ops]):
                logging.info("Updating masks.")
                return no_op("mask_update")

    def conditional_mask_update_op(self) -> Any:
        """An op that sets all masks of the graph in the steps in which they are to change.

        Returns:
            The operation.

        Raises:
            ValueError: As of `mask_update_op`.
        """
        spec = self._spec
        with name_scope(spec.name):
            is_after_begin = gen_ops.greater_equal(self._global_step, spec.begin_pruning_step)
            is_before_end = gen_ops.logical_or(
                gen_ops.less_equal(self._global_step, spec.end_pruning_step),
                gen_ops.less(convert_to_tensor(spec.end_pruning_step), 0),
            )
            due = math_ops.add(self._last_update_step, spec.pruning_frequency)
            is_due = gen_ops.less_equal(due, self._global_step)
            is_in_range = gen_ops.logical_and(is_after_begin, is_before_end)
            should_update = gen_ops.logical_and(is_in_range, is_due)
        return cond(should_update, self.mask_update_op, no_op)

    def add_pruning_summaries(self) -> None:
        """Adds summaries of the sparsity and the thresholds."""
        with name_scope(f"{self._spec.name}_summaries"):
            summary_ops.scalar("sparsity", self._sparsity)
            summary_ops.scalar("last_mask_update_step", self._last_update_step)
            for mask, threshold in zip(get_masks(), get_thresholds()):
                zeros = zero_fraction(convert_to_tensor(mask))
                summary_ops.scalar(f"{mask.op.name}/sparsity", zeros)
                summary_ops.scalar(f"{threshold.op.name}/threshold", threshold)

    def print_hparams(self) -> None:
        """Logs the hyperparameters."""
        logging.info(self._spec.to_json())


def _by_pattern(texts: Any, read: Any) -> Dict[Pattern[str], Any]:
    """Texts of the form "pattern:value"."""
    found = {}
    for text in texts:
        if text:
            pattern, value = text.split(":")
            found[re.compile(pattern)] = read(pattern, value)
    return found


def _block_of(name: str, text: str) -> List[int]:
    sizes = text.split("x")
    if len(sizes) != 2:
        raise ValueError(f"Expected 2 values for block dim for {name}, got {sizes}")
    return [int(size) for size in sizes]


def _sparsity_of(name: str, text: str) -> float:
    if float(text) >= 1.0:
        raise ValueError("Weight sparsity can not exceed 1.0")
    return float(text)


def _matching(values: Dict[Pattern[str], _Value], name: str, kind: str) -> Optional[_Value]:
    found = [value for pattern, value in values.items() if pattern.search(name)]
    if len(found) > 1:
        raise ValueError(f"Multiple matches in {kind} for weight {name}")
    return found[0] if found else None
