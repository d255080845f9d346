"""Losses beside those of real and generated data: classes, gradients, inputs, reconstructions."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.gan.adversarial_losses import collected, summarize
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.class_losses import softmax_cross_entropy
from troupe._src.nn.losses import BY_WEIGHTS, absolute_difference, compute_weighted_loss
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_uniform
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable_store import AUTO_REUSE, variable_scope


def acgan_discriminator_loss(
    discriminator_real_classification_logits: TensorLike,
    discriminator_gen_classification_logits: TensorLike, one_hot_labels: TensorLike,
    label_smoothing: float = 0.0, real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """The cross entropies of the classes of real and of generated data (arXiv:1610.09585).

    Args:
        discriminator_real_classification_logits: Logits of the classes of real data.
        discriminator_gen_classification_logits: Logits of the classes of generated data.
        one_hot_labels: The classes of both, [batch, classes].
        label_smoothing: How far the labels of real data are moved to 1 / classes, from 0 to 1.
        real_weights: What each real row counts: one number, or [batch].
        generated_weights: What each generated row counts, likewise.
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "acgan_discriminator_loss") as prefix:
        on_generated = softmax_cross_entropy(
            one_hot_labels, discriminator_gen_classification_logits, generated_weights, 0, prefix,
            None, reduction,
        )  # fmt: skip
        on_real = softmax_cross_entropy(
            one_hot_labels, discriminator_real_classification_logits, real_weights,
            label_smoothing, prefix, None, reduction,
        )  # fmt: skip
        loss = collected(on_generated + on_real, loss_collection)
        if add_summaries:
            summarize(
                discriminator_gen_ac_loss=on_generated, discriminator_real_ac_loss=on_real,
                discriminator_ac_loss=loss,
            )  # fmt: skip
    return loss


def acgan_generator_loss(
    discriminator_gen_classification_logits: TensorLike, one_hot_labels: TensorLike,
    weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """The cross entropy of the classes of generated data (arXiv:1610.09585).

    Args:
        discriminator_gen_classification_logits: Logits of their classes.
        one_hot_labels: Their classes, [batch, classes].
        weights: What each row counts: one number, or [batch].
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.
    """
    with name_scope(scope, "acgan_generator_loss") as prefix:
        loss = softmax_cross_entropy(
            one_hot_labels, discriminator_gen_classification_logits, weights, 0, prefix,
            loss_collection, reduction,
        )  # fmt: skip
        if add_summaries:
            summarize(generator_ac_loss=loss)
    return loss


def wasserstein_gradient_penalty(
    real_data: TensorLike, generated_data: TensorLike, generator_inputs: Any,
    discriminator_fn: Callable[..., Any], discriminator_scope: Any, epsilon: float = 1e-10,
    target: TensorLike = 1.0, one_sided: bool = False, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """(|gradient of D| / target - 1)^2 at points between real and generated data.

    The points are chosen at random on the lines from the one to the other (arXiv:1704.00028).

    Args:
        real_data: Real data, [batch, ...].
        generated_data: Generated data of the same shape.
        generator_inputs: What the discriminator is given as a condition.
        discriminator_fn: The discriminator; of a tuple that it gives, the first one is used.
        discriminator_scope: Its variable scope, whose variables are shared; None for a new one.
        epsilon: Is added to the square of the gradient's length.
        target: The length that the gradient shall have.
        one_sided: Whether shorter gradients count nothing (arXiv:1709.08894).
        weights: What each point counts: one number, or [batch].
        scope: The name scope.
        loss_collection: The collection that the loss is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.

    Raises:
        ValueError: The rank of data is not known.
    """
    with name_scope(scope, "wasserstein_gradient_penalty") as prefix:
        points = _between(real_data, generated_data)
        with name_scope(None):  # updates that the discriminator adds are found by its scope
            with variable_scope(discriminator_scope, "gpenalty_dscope", reuse=AUTO_REUSE):
                logits = discriminator_fn(points, generator_inputs)
        if isinstance(logits, tuple):
            logits = logits[0]
        gradient = gradients(logits, points)[0]
        axes = list(range(1, len(points.shape)))
        squares = math_ops.reduce_sum(gen_ops.square(gradient), axis=axes)
        squares.set_shape(points.shape[:1])
        excess = gen_ops.sqrt(squares + epsilon) / target - 1.0
        if one_sided:
            excess = gen_ops.maximum(0.0, excess)
        penalty = compute_weighted_loss(
            gen_ops.square(excess), weights, prefix, loss_collection, reduction
        )
        if add_summaries:
            summarize(gradient_penalty_loss=penalty)
    return penalty


def _between(real_data: TensorLike, generated_data: TensorLike) -> Tensor:
    """A point of each line between two rows, chosen at random."""
    real, generated = convert_to_tensor(real_data), convert_to_tensor(generated_data)
    for name, data in (("real_data", real), ("generated_data", generated)):
        if data.shape.ndims is None:
            raise ValueError(f"`{name}` can't have unknown rank.")
    differences = generated - real
    count = differences.shape.as_list()[0]
    batch = array_ops.shape(differences)[0] if count is None else count
    parts = random_uniform([batch] + [1] * (len(differences.shape) - 1))
    return real + parts * differences


def mutual_information_penalty(
    structured_generator_inputs: Sequence[Any], predicted_distributions: Sequence[Any],
    weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """The negative log likelihood of inputs that generated data shall tell (arXiv:1606.03657).

    Args:
        structured_generator_inputs: The inputs, a list.
        predicted_distributions: For each the distribution that the discriminator has found.
        weights: What each input counts: one number, or a vector.
        scope: The name scope.
        loss_collection: The collection that the log likelihood is added to, or None.
        reduction: One of `tf.losses.Reduction`.
        add_summaries: Whether there is a summary of the loss.

    Returns:
        The loss, a scalar unless `reduction` is none.

    Raises:
        ValueError: There are no distributions, or another number of them.
    """
    _check_distributions(predicted_distributions, structured_generator_inputs)
    with name_scope(scope, "mutual_information_loss") as prefix:
        pairs = zip(predicted_distributions, structured_generator_inputs)
        each = [math_ops.reduce_mean(found.log_prob(noise)) for found, noise in pairs]
        loss = -compute_weighted_loss(each, weights, prefix, loss_collection, reduction)
        if add_summaries:
            summarize(mutual_information_penalty=loss)
    return loss


def _check_distributions(distributions: Any, inputs: Sequence[Any]) -> None:
    if not isinstance(distributions, (list, tuple)):
        raise ValueError(
            f"`distributions` must be a list or tuple. Instead, found {type(distributions)}."
        )
    for each in distributions:
        if not callable(getattr(each, "log_prob", None)):
            raise ValueError(
                f"`distributions` must be a list of `Distributions`. Instead, found {type(each)}."
            )
    if len(inputs) != len(distributions):
        raise ValueError(
            f"`structured_generator_inputs` length {len(inputs)} must be the same as "
            f"`predicted_distributions` length {len(distributions)}."
        )


def cycle_consistency_loss(
    data_x: TensorLike, reconstructed_data_x: TensorLike, data_y: TensorLike,
    reconstructed_data_y: TensorLike, scope: Optional[str] = None, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """(mean |x - G(F(x))| + mean |y - F(G(y))|) / 2, for F from X to Y and G back.

    Args:
        data_x: Data of X.
        reconstructed_data_x: What they are when they have been mapped to Y and back.
        data_y: Data of Y.
        reconstructed_data_y: What they are when they have been mapped to X and back.
        scope: The name scope.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar; both absolute differences are in the collection LOSSES.
    """
    with name_scope(scope, "cycle_consistency_loss"):
        of_x = absolute_difference(data_x, reconstructed_data_x)
        of_y = absolute_difference(data_y, reconstructed_data_y)
        loss = (of_x + of_y) / 2.0
        if add_summaries:
            summarize(
                cycle_consistency_loss_x2x=of_x, cycle_consistency_loss_y2y=of_y,
                cycle_consistency_loss=loss,
            )  # fmt: skip
    return loss
