"""What `tf.config` and `tf.debugging` say of the sessions of this process that have no options."""

from __future__ import annotations

from typing import Any, Dict

from troupe._src.messages.config import OptimizerOptions, RewriterConfig
from troupe._src.session.default_config import shared_config

# The passes that programs name, with the values of those that are no more than on or off.
_PASSES = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
    "arithmetic_optimization", "dependency_optimization", "loop_optimization",
    "function_optimization", "debug_stripper", "scoped_allocator_optimization",
    "pin_to_host_optimization", "implementation_selector", "auto_mixed_precision",
)  # fmt: skip
_FLAGS = ("disable_model_pruning", "disable_meta_optimizer")


def get_log_device_placement() -> bool:
    """Whether sessions say which node is on which device."""
    return bool(shared_config().log_device_placement)


def set_log_device_placement(enabled: bool) -> None:
    """Says whether sessions say which node is on which device.

    Args:
        enabled: Whether they do.
    """
    shared_config().log_device_placement = bool(enabled)


def get_jit() -> bool:
    """Whether XLA is asked for, which changes nothing."""
    level = shared_config().graph_options.optimizer_options.global_jit_level
    return bool(level in (OptimizerOptions.ON_1, OptimizerOptions.ON_2))


def set_jit(enabled: bool) -> None:
    """Asks for XLA, which changes nothing: chains of element-wise ops are always fused.

    Args:
        enabled: Whether to ask.
    """
    options = shared_config().graph_options.optimizer_options
    options.global_jit_level = OptimizerOptions.ON_1 if enabled else OptimizerOptions.OFF


def get_experimental_options() -> Dict[str, Any]:
    """The passes over graphs that `set_experimental_options` has named, and whether they run."""
    options = shared_config().graph_options.rewrite_options
    named = {
        name: getattr(options, name) != RewriterConfig.OFF
        for name in _PASSES
        if getattr(options, name) != RewriterConfig.DEFAULT
    }
    named.update({name: True for name in _FLAGS if getattr(options, name)})
    return named


def set_experimental_options(options: Dict[str, Any]) -> None:
    """Says which passes over graphs run, as in `RewriterConfig`.

    Args:
        options: Whether each runs, by its name there; those that have no pass here change nothing.

    Raises:
        ValueError: There is no such pass.
    """
    unknown = sorted(set(options) - {*_PASSES, *_FLAGS})
    if unknown:
        raise ValueError(f"no passes over graphs: {', '.join(unknown)}; there are {_PASSES}")
    config = shared_config().graph_options.rewrite_options
    for name, runs in options.items():
        chosen = RewriterConfig.ON if runs else RewriterConfig.OFF
        setattr(config, name, bool(runs) if name in _FLAGS else chosen)
