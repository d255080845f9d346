"""Models that are built once for each of several lengths of sequences."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.contrib.sequence_losses import legacy_sequence_loss, sequence_loss_by_example
from troupe._src.graph.scopes import name_scope
from troupe._src.variables.variable_store import get_variable_scope, variable_scope


def model_with_buckets(
    encoder_inputs: List[Any],
    decoder_inputs: List[Any],
    targets: List[Any],
    weights: List[Any],
    buckets: Sequence[Tuple[int, int]],
    seq2seq: Callable[[List[Any], List[Any]], Tuple[List[Any], Any]],
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    per_example_loss: bool = False,
    name: Optional[str] = None,
) -> Tuple[List[List[Any]], List[Any]]:
    """Builds a model and its loss for each bucket, all with the same variables.

    Args:
        encoder_inputs: For each time step a tensor, as many as the last bucket has.
        decoder_inputs: For each time step a tensor.
        targets: For each time step the classes, [batch].
        weights: For each time step a tensor, [batch].
        buckets: Pairs of the lengths of inputs and of outputs, the largest last.
        seq2seq: Called with the inputs of the encoder and of the decoder; gives outputs and a
            state.
        softmax_loss_function: Called with `labels` and `logits` instead of the cross entropy.
        per_example_loss: Whether a loss is one of each sequence, [batch], and not their mean.
        name: The scope of its nodes.

    Returns:
        The outputs of each bucket, and its loss.

    Raises:
        ValueError: There are fewer time steps than the last bucket has.
    """
    for values, length, what in (
        (encoder_inputs, buckets[-1][0], "encoder_inputs"),
        (targets, buckets[-1][1], "targets"),
        (weights, buckets[-1][1], "weights"),
    ):
        if len(values) < length:
            raise ValueError(
                f"Length of {what} ({len(values)}) must be at least that of last bucket ({length})."
            )
    loss_of = sequence_loss_by_example if per_example_loss else legacy_sequence_loss
    outputs, losses = [], []
    with name_scope(name, "model_with_buckets"):
        for number, (source, target) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number > 0 else None):
                decoded, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(decoded)
                losses.append(
                    loss_of(
                        decoded,
                        targets[:target],
                        weights[:target],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
