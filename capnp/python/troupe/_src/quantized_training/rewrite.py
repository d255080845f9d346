"""Rewrites of graphs of models, for training and for evaluation."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.quantized_training.fused_folding import fold_fused
from troupe._src.quantized_training.insertion import Rounding
from troupe._src.quantized_training.rewiring import Rewiring
from troupe._src.quantized_training.rounding_places import round_graph
from troupe._src.quantized_training.unfused_folding import fold_unfused
from troupe._src.set_module import set_module

_NAMES = (
    "Adagrad", "AdagradDA", "Adam", "AddSign", "CenteredRMSProp", "Ftrl", "FtrlV2",
    "GradientDescent", "Momentum", "PowerSign", "ProximalAdagrad", "ProximalGradientDescent",
    "RMSProp",
)  # fmt: skip
_SPARSE = (
    "Adadelta", "Adagrad", "AdagradDA", "CenteredRMSProp", "Ftrl", "FtrlV2", "Momentum",
    "ProximalAdagrad", "ProximalGradientDescent", "RMSProp",
)  # fmt: skip
_TRAINING_OPS = {
    *(f"{kind}Apply{name}" for kind in ("", "Resource") for name in _NAMES),
    *(f"{kind}SparseApply{name}" for kind in ("", "Resource") for name in _SPARSE),
    "ResourceApplyAdadelta",
}


@set_module("troupe.contrib.quantize")
def create_training_graph(input_graph: Optional[Graph] = None, quant_delay: int = 0) -> None:
    """Rewrites a graph for training, so that it sees the rounding of a quantized model.

    Batch normalizations become part of the weights of the layers before them. Weights, activations
    and sums are rounded to 8 bits (FakeQuantWithMinMaxVars), in ranges that new variables keep:
    those of the last weights, and moving averages of those of activations. It comes before the
    gradients; tensors that a program holds may not be used any more.

    Args:
        input_graph: The graph, by default the current one.
        quant_delay: The number of steps before any is rounded.

    Raises:
        ValueError: The graph has an optimizer's op.
    """
    _rewrite(input_graph, True, quant_delay=quant_delay)


@set_module("troupe.contrib.quantize")
def create_eval_graph(input_graph: Optional[Graph] = None) -> None:
    """Rewrites a graph for evaluation: it rounds in the ranges that training has kept.

    The variables are those of `create_training_graph`, so that checkpoints of it fit.

    Args:
        input_graph: The graph, by default the current one.

    Raises:
        ValueError: The graph has an optimizer's op.
    """
    _rewrite(input_graph, False)


@set_module("troupe.contrib.quantize")
def experimental_create_training_graph(
    input_graph: Optional[Graph] = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int = 0,
    freeze_bn_delay: Optional[int] = None,
    scope: Optional[str] = None,
) -> None:
    """`create_training_graph` with more options.

    Args:
        input_graph: The graph, by default the current one.
        weight_bits: To how many bits weights are rounded, 2 to 16.
        activation_bits: To how many bits other numbers are rounded.
        symmetric: Whether the ends of ranges have the same distance from zero.
        quant_delay: The number of steps before any is rounded.
        freeze_bn_delay: The step from which on the moving averages of batch normalizations stay,
            and are used in place of the moments of batches; None for no such step.
        scope: Only the nodes in that scope are rounded.

    Raises:
        ValueError: The graph has an optimizer's op.
    """
    _rewrite(
        input_graph,
        True,
        freeze_bn_delay,
        weight_bits=weight_bits,
        activation_bits=activation_bits,
        symmetric=symmetric,
        quant_delay=quant_delay,
        scope=scope,
    )


@set_module("troupe.contrib.quantize")
def experimental_create_eval_graph(
    input_graph: Optional[Graph] = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: Optional[int] = None,
    scope: Optional[str] = None,
) -> None:
    """`create_eval_graph` with more options.

    Args:
        input_graph: The graph, by default the current one.
        weight_bits: To how many bits weights are rounded, 2 to 16.
        activation_bits: To how many bits other numbers are rounded.
        symmetric: Whether the ends of ranges have the same distance from zero.
        quant_delay: The number of steps before any is rounded, None for none.
        scope: Only the nodes in that scope are rounded.

    Raises:
        ValueError: The graph has an optimizer's op.
    """
    _rewrite(
        input_graph,
        False,
        weight_bits=weight_bits,
        activation_bits=activation_bits,
        symmetric=symmetric,
        quant_delay=quant_delay,
        scope=scope,
    )


def _rewrite(
    input_graph: Optional[Graph],
    is_training: bool,
    freeze_bn_delay: Optional[int] = None,
    quant_delay: Optional[int] = None,
    scope: Optional[str] = None,
    **options: Any,
) -> None:
    graph = get_default_graph() if input_graph is None else input_graph
    found = {op.type for op in graph.get_operations()} & _TRAINING_OPS
    if found:
        raise ValueError(f"Training op found in graph, exiting {found}")
    with graph.as_default():
        wiring = Rewiring(graph)
        fold_fused(wiring, freeze_bn_delay)
        fold_unfused(wiring, is_training, freeze_bn_delay)
        inside = scope if not scope or scope.endswith("/") else f"{scope}/"
        round_graph(Rounding(wiring, is_training, delay=quant_delay, scope=inside or "", **options))
        wiring.apply()
