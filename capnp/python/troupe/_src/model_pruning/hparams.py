"""What pruning does, and when."""

from __future__ import annotations

from typing import Any

from troupe._src.contrib.hparams import HParams


def get_pruning_hparams() -> HParams:
    """The hyperparameters of pruning, with their default values.

    Returns:
        An HParams of `name`, the scope of nodes; `begin_pruning_step` and `end_pruning_step`, -1
            for no end; `weight_sparsity_map`, texts "part of a name:sparsity" for weights that have
            another one; `block_dims_map`, texts "part of a name:height x width" without blanks;
            `threshold_decay`, that of the moving average of thresholds; `pruning_frequency`, after
            how many steps masks change; `nbins`, without effect; `block_height` and `block_width`,
            -1 for whole columns or rows; `block_pooling_function`, "AVG" or "MAX";
            `initial_sparsity`, `target_sparsity`, `sparsity_function_begin_step`,
            `sparsity_function_end_step` and `sparsity_function_exponent`, between which the
            sparsity is target + (initial - target) * (1 - progress) ** exponent; and `use_tpu`.
    """
    return HParams(
        name="model_pruning",
        begin_pruning_step=0,
        end_pruning_step=-1,
        weight_sparsity_map=[""],
        block_dims_map=[""],
        threshold_decay=0.0,
        pruning_frequency=10,
        nbins=256,
        block_height=1,
        block_width=1,
        block_pooling_function="AVG",
        initial_sparsity=0.0,
        target_sparsity=0.5,
        sparsity_function_begin_step=0,
        sparsity_function_end_step=100,
        sparsity_function_exponent=3.0,
        use_tpu=False,
    )


def checked(spec: Any) -> Any:
    """The hyperparameters; ValueError, if they are out of range."""
    if spec.begin_pruning_step < 0:
        raise ValueError("Illegal value for begin_pruning_step")
    if spec.begin_pruning_step >= spec.end_pruning_step and spec.end_pruning_step != -1:
        raise ValueError(
            f"Pruning must begin before it can end. begin_step={spec.begin_pruning_step}, "
            f"end_step={spec.end_pruning_step}. Set end_pruning_step to -1 if pruning is required "
            "till training stops"
        )
    if spec.sparsity_function_begin_step < 0:
        raise ValueError("Illegal value for sparsity_function_begin_step")
    if spec.sparsity_function_begin_step >= spec.sparsity_function_end_step:
        raise ValueError("Sparsity function requires begin_step < end_step")
    for name in ("threshold_decay", "initial_sparsity", "target_sparsity"):
        if not 0.0 <= getattr(spec, name) < 1.0:
            raise ValueError(f"{name} must be in range [0,1)")
    return spec
