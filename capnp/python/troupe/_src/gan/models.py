"""Adds the networks of a model to a graph, on generated and on real data."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

from troupe._src.contrib.variables import get_trainable_variables
from troupe._src.gan.tuples import (
    ACGANModel, CycleGANModel, GANModel, InfoGANModel, StarGANModel,
)  # fmt: skip
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_uniform
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope

Network = Callable[..., Any]


def as_tensors(given: Any) -> Any:
    """A value as a tensor; those of a list, tuple or dict as tensors in a list or dict."""
    if isinstance(given, (list, tuple)):
        return [convert_to_tensor(each) for each in given]
    if isinstance(given, dict):
        return {key: convert_to_tensor(each) for key, each in given.items()}
    return convert_to_tensor(given)


def gan_model(
    generator_fn: Network,
    discriminator_fn: Network,
    real_data: Any,
    generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> GANModel:
    """Adds a generator, and a discriminator of what that makes and of real data.

    Args:
        generator_fn: Makes data of the inputs.
        discriminator_fn: Gives logits of data, and of the inputs as a condition; it is called
            twice, and shares its variables.
        real_data: The real data, a tensor.
        generator_inputs: Noise or conditions: a tensor, or a list or dict of tensors.
        generator_scope: The name of the generator's variable scope, or that scope.
        discriminator_scope: That of the discriminator.
        check_shapes: Whether generated data must have the shape of real data.

    Returns:
        The model.

    Raises:
        ValueError: The shapes differ.
    """
    with variable_scope(generator_scope) as of_generator:
        inputs = as_tensors(generator_inputs)
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as of_discriminator:
        on_generated = discriminator_fn(generated, inputs)
    with variable_scope(of_discriminator, reuse=True):
        real = as_tensors(real_data)
        on_real = discriminator_fn(real, inputs)
    if check_shapes:
        _check_shapes(generated, real)
    return GANModel(
        inputs, generated, get_trainable_variables(of_generator), of_generator, generator_fn, real,
        on_real, on_generated, get_trainable_variables(of_discriminator), of_discriminator,
        discriminator_fn,
    )  # fmt: skip


def _check_shapes(generated: Any, real: Any) -> None:
    if not generated.shape.is_compatible_with(real.shape):
        raise ValueError(
            f"Generator output shape ({generated.shape}) must be the same shape as real data "
            f"({real.shape})."
        )


def infogan_model(
    generator_fn: Network,
    discriminator_fn: Network,
    real_data: Any,
    unstructured_generator_inputs: Any,
    structured_generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
) -> InfoGANModel:
    """Adds a `gan_model` whose discriminator also tells some of the inputs from generated data.

    Args:
        generator_fn: Makes data of a list of inputs.
        discriminator_fn: Gives a pair for data and inputs: the logits, and a list of
            distributions, one for each structured input.
        real_data: The real data, a tensor.
        unstructured_generator_inputs: A list of tensors, noise or conditions.
        structured_generator_inputs: A list of tensors that generated data shall tell.
        generator_scope: The name of the generator's variable scope, or that scope.
        discriminator_scope: That of the discriminator.

    Returns:
        The model; its inputs are the unstructured and then the structured ones.

    Raises:
        ValueError: The shapes of generated and real data differ, or there are no distributions, or
            another number of them than of structured inputs.
    """
    with variable_scope(generator_scope) as of_generator:
        unstructured = as_tensors(unstructured_generator_inputs)
        structured = as_tensors(structured_generator_inputs)
        inputs = unstructured + structured
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as of_discriminator:
        on_generated, distributions = discriminator_fn(generated, inputs)
    _check_distributions(distributions, structured)
    with variable_scope(of_discriminator, reuse=True):
        real = convert_to_tensor(real_data)
        on_real, _ = discriminator_fn(real, inputs)
    _check_shapes(generated, real)

    def without_distributions(data: Any, conditions: Any) -> Any:
        return discriminator_fn(data, conditions)[0]

    return InfoGANModel(
        inputs, generated, get_trainable_variables(of_generator), of_generator, generator_fn, real,
        on_real, on_generated, get_trainable_variables(of_discriminator), of_discriminator,
        without_distributions, structured, distributions, discriminator_fn,
    )  # fmt: skip


def _check_distributions(distributions: Any, inputs: List[Tensor]) -> None:
    if not isinstance(distributions, (list, tuple)):
        raise ValueError(
            f"`predicted_distributions` must be a list. Instead, found {type(distributions)}."
        )
    if len(distributions) != len(inputs):
        raise ValueError(
            f"Length of `predicted_distributions` {len(distributions)} must be the same as the "
            f"length of structured noise {len(inputs)}."
        )


def acgan_model(
    generator_fn: Network,
    discriminator_fn: Network,
    real_data: Any,
    generator_inputs: Any,
    one_hot_labels: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> ACGANModel:
    """Adds a `gan_model` whose discriminator also classifies the data.

    Args:
        generator_fn: Makes data of the inputs.
        discriminator_fn: Gives a pair for data and inputs: the logits, and those of classes.
        real_data: The real data, a tensor.
        generator_inputs: Noise or conditions: a tensor, or a list or dict of tensors.
        one_hot_labels: The classes of the batch, which the losses use, [batch, classes].
        generator_scope: The name of the generator's variable scope, or that scope.
        discriminator_scope: That of the discriminator.
        check_shapes: Whether generated data must have the shape of real data.

    Returns:
        The model.

    Raises:
        ValueError: The shapes differ.
        TypeError: The discriminator gives no pair.
    """
    with variable_scope(generator_scope) as of_generator:
        inputs = as_tensors(generator_inputs)
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as of_discriminator:
        with name_scope(f"{of_discriminator.name}/generated/"):
            on_generated, generated_classes = _pair(discriminator_fn(generated, inputs))
    with variable_scope(of_discriminator, reuse=True):
        with name_scope(f"{of_discriminator.name}/real/"):
            real = convert_to_tensor(real_data)
            on_real, real_classes = _pair(discriminator_fn(real, inputs))
    if check_shapes:
        _check_shapes(generated, real)
    return ACGANModel(
        inputs, generated, get_trainable_variables(of_generator), of_generator, generator_fn, real,
        on_real, on_generated, get_trainable_variables(of_discriminator), of_discriminator,
        discriminator_fn, one_hot_labels, real_classes, generated_classes,
    )  # fmt: skip


def _pair(outputs: Any) -> Tuple[Any, Any]:
    try:
        logits, classes = outputs
    except (TypeError, ValueError):
        raise TypeError(
            "A discriminator function for ACGAN must output a tuple consisting of (discrimination "
            f"logits, classification logits), not {outputs}."
        ) from None
    return logits, classes


def cyclegan_model(
    generator_fn: Network,
    discriminator_fn: Network,
    data_x: Any,
    data_y: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    model_x2y_scope: Any = "ModelX2Y",
    model_y2x_scope: Any = "ModelY2X",
    check_shapes: bool = True,
) -> CycleGANModel:
    """Adds two models, from data X to data Y and back, and what each makes of the other's data.

    Args:
        generator_fn: Makes data of one kind of data of the other one.
        discriminator_fn: Gives logits of data, and of the generator's inputs as a condition.
        data_x: The data X, a tensor.
        data_y: The data Y, a tensor.
        generator_scope: The name of the generators' variable scopes, in those of the models.
        discriminator_scope: That of the discriminators.
        model_x2y_scope: The variable scope of the model from X to Y.
        model_y2x_scope: The variable scope of the model from Y to X.
        check_shapes: Whether generated data must have the shape of real data.

    Returns:
        The models, and the reconstructed data.

    Raises:
        ValueError: The shapes differ.
    """

    def added(scope: Any, inputs: Any, real: Any) -> GANModel:
        with variable_scope(scope):
            return gan_model(
                generator_fn, discriminator_fn, real, inputs, generator_scope,
                discriminator_scope, check_shapes,
            )  # fmt: skip

    x2y = added(model_x2y_scope, data_x, data_y)
    y2x = added(model_y2x_scope, data_y, data_x)
    with variable_scope(y2x.generator_scope, reuse=True):
        reconstructed_x = y2x.generator_fn(x2y.generated_data)
    with variable_scope(x2y.generator_scope, reuse=True):
        reconstructed_y = x2y.generator_fn(y2x.generated_data)
    return CycleGANModel(x2y, y2x, reconstructed_x, reconstructed_y)


def stargan_model(
    generator_fn: Network,
    discriminator_fn: Network,
    input_data: Any,
    input_data_domain_label: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
) -> StarGANModel:
    """Adds a generator that maps data to domains chosen at random, and back.

    Args:
        generator_fn: Makes data of data [n, height, width, channels] and of wanted domains
            [n, domains], one-hot.
        discriminator_fn: Gives a pair for data and the number of domains: logits [n] of whether
            the data are real, and logits [n, domains] of their domain.
        input_data: The data, a tensor or a list of them.
        input_data_domain_label: Their domains, one-hot: a tensor or a list of them, of a known
            shape.
        generator_scope: The name of the generator's variable scope, or that scope.
        discriminator_scope: That of the discriminator.

    Returns:
        The model.

    Raises:
        ValueError: The shape of the domains is not known, or of another rank than 2.
    """
    data = _as_one(input_data)
    labels = _as_one(input_data_domain_label)
    labels.shape.assert_has_rank(2)
    labels.shape.assert_is_fully_defined()
    sizes: Any = labels.shape.as_list()
    count, domains = sizes
    with variable_scope(generator_scope) as of_generator:
        target = _random_domains(count, domains)
        generated = generator_fn(data, target)
    with variable_scope(of_generator, reuse=True):
        reconstructed = generator_fn(generated, labels)
    with variable_scope(discriminator_scope) as of_discriminator:
        generated_source, generated_domain = discriminator_fn(generated, domains)
    with variable_scope(of_discriminator, reuse=True):
        input_source, input_domain = discriminator_fn(data, domains)
    return StarGANModel(
        data, labels, generated, target, reconstructed, input_source, generated_source,
        input_domain, generated_domain, get_trainable_variables(of_generator), of_generator,
        generator_fn, get_trainable_variables(of_discriminator), of_discriminator,
        discriminator_fn,
    )  # fmt: skip


def _as_one(given: Any) -> Tensor:
    """A tensor, or those of a list, one after the other."""
    tensors: Any = as_tensors(given)
    return array_ops.concat(tensors, 0) if isinstance(tensors, list) else tensors


def _random_domains(count: int, domains: int) -> Tensor:
    numbers = random_uniform([count], minval=0, maxval=domains, dtype=dtypes.int32)
    return creation_ops.one_hot(numbers, domains)
