"""Losses of the discriminator's logits for real and for generated data."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.class_losses import sigmoid_cross_entropy
from troupe._src.nn.loss_collections import add_loss
from troupe._src.nn.losses import BY_WEIGHTS, compute_weighted_loss
from troupe._src.ops import creation_ops, gen_ops, math_ops
from troupe._src.summary import summary_ops
from troupe._src.types import dtypes


def collected(loss: Tensor, loss_collection: Optional[str]) -> Tensor:
    """The loss, which is added to the collection, where there is one."""
    if loss_collection:
        add_loss(loss, loss_collection)
    return loss


def summarize(**losses: Tensor) -> None:
    """Adds a summary of each loss, under the name of the argument."""
    for name, loss in losses.items():
        summary_ops.scalar(name, loss)


def _floats(logits: Any) -> Tensor:
    return math_ops.cast(logits, dtypes.float32)


def wasserstein_generator_loss(
    discriminator_gen_outputs: TensorLike, weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """-D(G(z)), the generator's loss of a Wasserstein GAN (arXiv:1701.07875).

    Args:
        discriminator_gen_outputs: Logits of generated data.
        weights: What each of them counts: one number, or a tensor of their rank.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "generator_wasserstein_loss") as prefix:
        each = -_floats(discriminator_gen_outputs)
        loss = compute_weighted_loss(each, weights, prefix, loss_collection, reduction)
        if add_summaries:
            summarize(generator_wass_loss=loss)
    return loss


def wasserstein_discriminator_loss(
    discriminator_real_outputs: TensorLike, discriminator_gen_outputs: TensorLike,
    real_weights: TensorLike = 1.0, generated_weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """D(G(z)) - D(x), the discriminator's loss of a Wasserstein GAN (arXiv:1701.07875).

    Args:
        discriminator_real_outputs: Logits of real data.
        discriminator_gen_outputs: Logits of generated data, of the same shape.
        real_weights: What each of the first counts: one number, or a tensor of their rank.
        generated_weights: What each of the second counts, likewise.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar unless `reduction` is none.

    Raises:
        ValueError: The shapes differ.
    """
    with name_scope(scope, "discriminator_wasserstein_loss") as prefix:
        real, generated = _floats(discriminator_real_outputs), _floats(discriminator_gen_outputs)
        real.shape.assert_is_compatible_with(generated.shape)
        on_generated = compute_weighted_loss(generated, generated_weights, prefix, None, reduction)
        on_real = compute_weighted_loss(real, real_weights, prefix, None, reduction)
        loss = collected(on_generated - on_real, loss_collection)
        if add_summaries:
            summarize(
                discriminator_gen_wass_loss=on_generated, discriminator_real_wass_loss=on_real,
                discriminator_wass_loss=loss,
            )  # fmt: skip
    return loss


def minimax_discriminator_loss(
    discriminator_real_outputs: TensorLike, discriminator_gen_outputs: TensorLike,
    label_smoothing: float = 0.25, real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """-log(sigmoid(D(x))) - log(1 - sigmoid(D(G(z)))), the first loss of a GAN (arXiv:1406.2661).

    Args:
        discriminator_real_outputs: Logits of real data.
        discriminator_gen_outputs: Logits of generated data.
        label_smoothing: How far the labels of real data are moved to 1/2, from 0 to 1.
        real_weights: What each of the first logits counts: one number, or a tensor of their rank.
        generated_weights: What each of the second counts, likewise.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "discriminator_minimax_loss") as prefix:
        on_real = sigmoid_cross_entropy(
            creation_ops.ones_like(discriminator_real_outputs), discriminator_real_outputs,
            real_weights, label_smoothing, prefix, None, reduction,
        )  # fmt: skip
        on_generated = sigmoid_cross_entropy(
            creation_ops.zeros_like(discriminator_gen_outputs), discriminator_gen_outputs,
            generated_weights, 0, prefix, None, reduction,
        )  # fmt: skip
        loss = collected(on_real + on_generated, loss_collection)
        if add_summaries:
            summarize(
                discriminator_gen_minimax_loss=on_generated,
                discriminator_real_minimax_loss=on_real, discriminator_minimax_loss=loss,
            )  # fmt: skip
    return loss


def minimax_generator_loss(
    discriminator_gen_outputs: TensorLike, label_smoothing: float = 0.0, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """log(1 - sigmoid(D(G(z)))) and a constant, the generator's part of the first loss of a GAN.

    Its gradients vanish where the discriminator is sure; see `modified_generator_loss`.

    Args:
        discriminator_gen_outputs: Logits of generated data.
        label_smoothing: As of `minimax_discriminator_loss`; it changes the constant.
        weights: What each logit counts: one number, or a tensor of their rank.
        scope: The name scope.
        loss_collection: The collection that the discriminator's loss, which is the negative of
            this one, is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "generator_minimax_loss") as prefix:
        loss = -minimax_discriminator_loss(
            creation_ops.ones_like(discriminator_gen_outputs), discriminator_gen_outputs,
            label_smoothing, weights, weights, prefix, loss_collection, reduction,
        )  # fmt: skip
    if add_summaries:
        summarize(generator_minimax_loss=loss)
    return loss


def modified_discriminator_loss(
    discriminator_real_outputs: TensorLike, discriminator_gen_outputs: TensorLike,
    label_smoothing: float = 0.25, real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """The `minimax_discriminator_loss`, to go with `modified_generator_loss`.

    Args:
        discriminator_real_outputs: Logits of real data.
        discriminator_gen_outputs: Logits of generated data.
        label_smoothing: How far the labels of real data are moved to 1/2, from 0 to 1.
        real_weights: What each of the first logits counts: one number, or a tensor of their rank.
        generated_weights: What each of the second counts, likewise.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    return minimax_discriminator_loss(
        discriminator_real_outputs, discriminator_gen_outputs, label_smoothing, real_weights,
        generated_weights, scope or "discriminator_modified_loss", loss_collection, reduction,
        add_summaries,
    )  # fmt: skip


def modified_generator_loss(
    discriminator_gen_outputs: TensorLike, label_smoothing: float = 0.0, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """-log(sigmoid(D(G(z)))), whose gradients are large where the discriminator is sure.

    Args:
        discriminator_gen_outputs: Logits of generated data.
        label_smoothing: How far the labels are moved from 1 to 1/2, from 0 to 1.
        weights: What each logit counts: one number, or a tensor of their rank.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "generator_modified_loss") as prefix:
        loss = sigmoid_cross_entropy(
            creation_ops.ones_like(discriminator_gen_outputs), discriminator_gen_outputs,
            weights, label_smoothing, prefix, loss_collection, reduction,
        )  # fmt: skip
        if add_summaries:
            summarize(generator_modified_loss=loss)
    return loss


def least_squares_generator_loss(
    discriminator_gen_outputs: TensorLike, real_label: TensorLike = 1, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """(D(G(z)) - real_label)^2 / 2, the generator's loss of a least squares GAN (arXiv:1611.04076).

    Args:
        discriminator_gen_outputs: Logits of generated data.
        real_label: What the generator wants them to be.
        weights: What each of them counts: one number, or a tensor of their rank.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "lsq_generator_loss") as prefix:
        each = _half_square(_floats(discriminator_gen_outputs), real_label)
        loss = compute_weighted_loss(each, weights, prefix, loss_collection, reduction)
    if add_summaries:
        summarize(generator_lsq_loss=loss)
    return loss


def _half_square(logits: Tensor, label: TensorLike) -> Tensor:
    return gen_ops.squared_difference(logits, math_ops.cast(label, dtypes.float32)) / 2.0


def least_squares_discriminator_loss(
    discriminator_real_outputs: TensorLike, discriminator_gen_outputs: TensorLike,
    real_label: TensorLike = 1, fake_label: TensorLike = 0, real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """((D(x) - real_label)^2 + (D(G(z)) - fake_label)^2) / 2, of a least squares GAN.

    Args:
        discriminator_real_outputs: Logits of real data.
        discriminator_gen_outputs: Logits of generated data, of the same shape.
        real_label: What the first are to be.
        fake_label: What the second are to be.
        real_weights: What each of the first counts: one number, or a tensor of their rank.
        generated_weights: What each of the second counts, likewise.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar unless `reduction` is none.

    Raises:
        ValueError: The shapes differ.
    """
    with name_scope(scope, "lsq_discriminator_loss") as prefix:
        real, generated = _floats(discriminator_real_outputs), _floats(discriminator_gen_outputs)
        real.shape.assert_is_compatible_with(generated.shape)
        of_real, of_generated = _half_square(real, real_label), _half_square(generated, fake_label)
        on_real = compute_weighted_loss(of_real, real_weights, prefix, None, reduction)
        on_generated = compute_weighted_loss(
            of_generated, generated_weights, prefix, None, reduction
        )
        loss = collected(on_real + on_generated, loss_collection)
    if add_summaries:
        summarize(
            discriminator_gen_lsq_loss=on_generated, discriminator_real_lsq_loss=on_real,
            discriminator_lsq_loss=loss,
        )  # fmt: skip
    return loss
