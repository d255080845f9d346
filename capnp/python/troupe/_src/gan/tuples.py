"""What the steps of a training hand on to each other: models, losses, train ops."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.gan")
class GANModel(NamedTuple):
    """A generator and a discriminator, their variables, and their results for a batch.

    Args:
        generator_inputs: What the generator is given: tensors, in a list or dict or alone.
        generated_data: What it makes of them.
        generator_variables: Its trainable variables.
        generator_scope: The variable scope that they are in.
        generator_fn: The function that adds it to a graph.
        real_data: What the generated data shall resemble.
        discriminator_real_outputs: What the discriminator makes of the real data.
        discriminator_gen_outputs: What it makes of the generated data.
        discriminator_variables: Its trainable variables.
        discriminator_scope: The variable scope that they are in.
        discriminator_fn: The function that adds it to a graph.
    """

    generator_inputs: Any
    generated_data: Any
    generator_variables: List[Any]
    generator_scope: Any
    generator_fn: Callable[..., Any]
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any


@set_module("troupe.contrib.gan")
class InfoGANModel(NamedTuple):
    """A model whose discriminator also tells the distributions of some of the inputs.

    Args:
        generator_inputs: As of `GANModel`, the structured ones last; so are the next ones.
        generated_data: As of `GANModel`.
        generator_variables: As of `GANModel`.
        generator_scope: As of `GANModel`.
        generator_fn: As of `GANModel`.
        real_data: As of `GANModel`.
        discriminator_real_outputs: As of `GANModel`.
        discriminator_gen_outputs: As of `GANModel`.
        discriminator_variables: As of `GANModel`.
        discriminator_scope: As of `GANModel`.
        discriminator_fn: As of `GANModel`: it gives no distributions.
        structured_generator_inputs: The inputs that the generated data shall tell, a list.
        predicted_distributions: For each of them the distribution that the generated data tells.
        discriminator_and_aux_fn: The discriminator that gives distributions, too.
    """

    generator_inputs: Any
    generated_data: Any
    generator_variables: List[Any]
    generator_scope: Any
    generator_fn: Callable[..., Any]
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: List[Any]
    discriminator_scope: Any
    discriminator_fn: Callable[..., Any]
    structured_generator_inputs: List[Any]
    predicted_distributions: Sequence[Any]
    discriminator_and_aux_fn: Callable[..., Any]


@set_module("troupe.contrib.gan")
class ACGANModel(NamedTuple):
    """A model whose discriminator also tells the classes of the data.

    Args:
        generator_inputs: As of `GANModel`; so are the next ones.
        generated_data: As of `GANModel`.
        generator_variables: As of `GANModel`.
        generator_scope: As of `GANModel`.
        generator_fn: As of `GANModel`.
        real_data: As of `GANModel`.
        discriminator_real_outputs: As of `GANModel`.
        discriminator_gen_outputs: As of `GANModel`.
        discriminator_variables: As of `GANModel`.
        discriminator_scope: As of `GANModel`.
        discriminator_fn: Gives the output of a `GANModel`'s, and logits of classes.
        one_hot_labels: The classes of the batch, [batch, classes].
        discriminator_real_classification_logits: The logits of the real data's classes.
        discriminator_gen_classification_logits: The logits of the generated data's classes.
    """

    generator_inputs: Any
    generated_data: Any
    generator_variables: List[Any]
    generator_scope: Any
    generator_fn: Callable[..., Any]
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: List[Any]
    discriminator_scope: Any
    discriminator_fn: Callable[..., Any]
    one_hot_labels: Any
    discriminator_real_classification_logits: Any
    discriminator_gen_classification_logits: Any


@set_module("troupe.contrib.gan")
class CycleGANModel(NamedTuple):
    """Two models between two sets of data, each of which maps back what the other one has made.

    Args:
        model_x2y: The `GANModel` that makes data of Y from those of X.
        model_y2x: The `GANModel` that makes data of X from those of Y.
        reconstructed_x: What the second model makes of the data that the first one has generated.
        reconstructed_y: What the first model makes of the data that the second one has generated.
    """

    model_x2y: GANModel
    model_y2x: GANModel
    reconstructed_x: Any
    reconstructed_y: Any


@set_module("troupe.contrib.gan")
class StarGANModel(NamedTuple):
    """A model that maps data of several domains to other ones of them, and back.

    Args:
        input_data: The data.
        input_data_domain_label: Their domains, one-hot, [batch, domains].
        generated_data: What they become in another domain.
        generated_data_domain_target: That domain, chosen at random, one-hot.
        reconstructed_data: What the generated data become in the domain of the input data.
        discriminator_input_data_source_predication: How real the input data look.
        discriminator_generated_data_source_predication: How real the generated data look.
        discriminator_input_data_domain_predication: The logits of the input data's domains.
        discriminator_generated_data_domain_predication: The logits of the generated data's domains.
        generator_variables: The generator's trainable variables.
        generator_scope: The variable scope that they are in.
        generator_fn: The function that adds it to a graph.
        discriminator_variables: The discriminator's trainable variables.
        discriminator_scope: The variable scope that they are in.
        discriminator_fn: The function that adds it to a graph.
    """

    input_data: Any
    input_data_domain_label: Any
    generated_data: Any
    generated_data_domain_target: Any
    reconstructed_data: Any
    discriminator_input_data_source_predication: Any
    discriminator_generated_data_source_predication: Any
    discriminator_input_data_domain_predication: Any
    discriminator_generated_data_domain_predication: Any
    generator_variables: List[Any]
    generator_scope: Any
    generator_fn: Callable[..., Any]
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any


@set_module("troupe.contrib.gan")
class GANLoss(NamedTuple):
    """The losses of a model.

    Args:
        generator_loss: The generator's, a scalar.
        discriminator_loss: The discriminator's, a scalar.
    """

    generator_loss: Tensor
    discriminator_loss: Tensor


@set_module("troupe.contrib.gan")
class CycleGANLoss(NamedTuple):
    """The losses of a `CycleGANModel`.

    Args:
        loss_x2y: The `GANLoss` of the model from X to Y.
        loss_y2x: The `GANLoss` of the model from Y to X.
    """

    loss_x2y: GANLoss
    loss_y2x: GANLoss


@set_module("troupe.contrib.gan")
class GANTrainOps(NamedTuple):
    """What the steps of a training run.

    Args:
        generator_train_op: Trains the generator, and gives its loss; a tuple of two for a
            `CycleGANModel`.
        discriminator_train_op: Trains the discriminator, likewise.
        global_step_inc_op: Adds one to the global step.
        train_hooks: Hooks that the session needs for the training, such as those of replicas.
    """

    generator_train_op: Any
    discriminator_train_op: Any
    global_step_inc_op: Any
    train_hooks: Sequence[Any] = ()


@set_module("troupe.contrib.gan")
class GANTrainSteps(NamedTuple):
    """How often each network is trained in a step of the training of both.

    Args:
        generator_train_steps: How often the generator is.
        discriminator_train_steps: How often the discriminator is.
    """

    generator_train_steps: int
    discriminator_train_steps: int
