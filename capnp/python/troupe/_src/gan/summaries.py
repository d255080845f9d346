"""Summaries of models: their images and their variables."""

from __future__ import annotations

from typing import Any, List

from troupe._src.control_flow.functional import map_fn
from troupe._src.gan.image_grids import image_grid, image_reshaper
from troupe._src.gan.tuples import CycleGANModel, GANModel, StarGANModel
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.nn.loss_collections import get_regularization_loss
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import abs as absolute
from troupe._src.summary import summary_ops
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope


def _check_images(*batches: Tensor) -> None:
    for images in batches:
        images.shape.assert_has_rank(4)
        images.shape[1:].assert_is_fully_defined()


def add_gan_model_image_summaries(
    gan_model: Any, grid_size: int = 4, model_summaries: bool = True
) -> None:
    """Adds summaries of real images and of generated ones, each a grid of some of a batch.

    Args:
        gan_model: The model, whose data are images.
        grid_size: How many images there are in a row and in a column.
        model_summaries: Whether `add_gan_model_summaries` is called, too.

    Raises:
        ValueError: The data are no images, the batch has too few, or the model has two generators.
    """
    if isinstance(gan_model, CycleGANModel):
        raise ValueError(
            "`add_gan_model_image_summaries` does not take CycleGANModels. Please use "
            "`add_cyclegan_image_summaries` instead."
        )
    _check_images(gan_model.real_data, gan_model.generated_data)
    both = {"real_data": gan_model.real_data, "generated_data": gan_model.generated_data}
    for name, images in both.items():
        height, width, channels = images.shape.as_list()[1:]
        shown = images[: grid_size**2]
        grid = image_grid(shown, (grid_size, grid_size), (height, width), channels)
        summary_ops.image(name, grid, max_outputs=1)
    if model_summaries:
        add_gan_model_summaries(gan_model)


def add_cyclegan_image_summaries(cyclegan_model: CycleGANModel) -> None:
    """Adds for each generator a summary of an image, what it makes of that, and its reconstruction.

    Args:
        cyclegan_model: The model.

    Raises:
        ValueError: It is another kind of model, or its data are no images.
    """
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(
            f"`cyclegan_model` was not a CycleGANModel. Instead, was {type(cyclegan_model)}"
        )
    x2y, y2x = cyclegan_model.model_x2y, cyclegan_model.model_y2x
    shown = {
        "x2y": [x2y.generator_inputs, x2y.generated_data, cyclegan_model.reconstructed_x],
        "y2x": [y2x.generator_inputs, y2x.generated_data, cyclegan_model.reconstructed_y],
    }
    for batches in shown.values():
        _check_images(*batches)
    for name, batches in shown.items():
        with name_scope(f"{name}_image_comparison_summaries"):
            _add_comparison(_first_images(batches, 1), len(batches))


def _first_images(batches: List[Tensor], count: int) -> List[Tensor]:
    return [image for batch in batches for image in array_ops.unstack(batch[:count])]


def _add_comparison(images: List[Tensor], columns: int) -> None:
    summary_ops.image("image_comparison", image_reshaper(images, columns), max_outputs=1)


def add_image_comparison_summaries(
    gan_model: GANModel, num_comparisons: int = 2, display_diffs: bool = False
) -> None:
    """Adds a summary with rows of generator inputs, generated images and real images.

    Args:
        gan_model: The model, whose generator maps images to images.
        num_comparisons: How many of each there are.
        display_diffs: Whether there is a row of the differences of generated and real images.

    Raises:
        ValueError: The inputs or data are no images, or of different shapes.
    """
    inputs, generated = gan_model.generator_inputs, gan_model.generated_data
    real = gan_model.real_data
    _check_images(inputs, generated, real)
    generated.shape.assert_is_compatible_with(inputs.shape)
    real.shape.assert_is_compatible_with(generated.shape)
    batches = [inputs, generated, real]
    images = _first_images(batches, num_comparisons)
    if display_diffs:
        numbers = [
            array_ops.unstack(math_ops.cast(batch[:num_comparisons], dtypes.float32))
            for batch in (generated, real)
        ]
        images += [absolute(one - other) for one, other in zip(*numbers)]
    _add_comparison(images, num_comparisons)


def add_stargan_image_summaries(
    stargan_model: StarGANModel, num_images: int = 2, display_diffs: bool = False
) -> None:
    """Adds a summary of images, each beside what becomes of it in each of the domains.

    Args:
        stargan_model: The model, whose data are images.
        num_images: How many images there are.
        display_diffs: Whether there is a second row of the differences from the image.

    Raises:
        ValueError: The data are no images, the labels not of rank 2, or the number of domains is
            not known.
    """
    _check_images(stargan_model.input_data)
    stargan_model.input_data_domain_label.shape.assert_has_rank(2)
    stargan_model.input_data_domain_label.shape[1:].assert_is_fully_defined()
    domains = stargan_model.input_data_domain_label.shape.as_list()[-1]

    def shown(image: Tensor) -> Tensor:
        copies = gen_ops.tile(array_ops.expand_dims(image, 0), [domains, 1, 1, 1])
        targets = creation_ops.one_hot(list(range(domains)), domains)
        with variable_scope(stargan_model.generator_scope, reuse=True):
            generated = stargan_model.generator_fn(copies, targets)
        images = [image, *array_ops.unstack(generated)]
        if display_diffs:
            images += [creation_ops.zeros_like(image), *array_ops.unstack(generated - copies)]
        return array_ops.squeeze(image_reshaper(images, domains + 1), axis=0)

    images = map_fn(
        shown, stargan_model.input_data[:num_images], parallel_iterations=num_images,
        back_prop=False, swap_memory=True,
    )  # fmt: skip
    summary_ops.image("stargan_image_generation", images, max_outputs=num_images)


def add_gan_model_summaries(gan_model: Any) -> None:
    """Adds a summary of each variable of both networks.

    Args:
        gan_model: The model; also a `CycleGANModel`.
    """
    if isinstance(gan_model, CycleGANModel):
        with name_scope("cyclegan_x2y_summaries"):
            add_gan_model_summaries(gan_model.model_x2y)
        with name_scope("cyclegan_y2x_summaries"):
            add_gan_model_summaries(gan_model.model_y2x)
        return
    with name_scope("generator_variables"):
        for variable in gan_model.generator_variables:
            summary_ops.histogram(variable.name, variable)
    with name_scope("discriminator_variables"):
        for variable in gan_model.discriminator_variables:
            summary_ops.histogram(variable.name, variable)


def add_regularization_loss_summaries(gan_model: Any) -> None:
    """Adds summaries of the losses that regularizers of variables add.

    Args:
        gan_model: The model; also a `CycleGANModel`.
    """
    if isinstance(gan_model, CycleGANModel):
        with name_scope("cyclegan_x2y_regularization_loss_summaries"):
            add_regularization_loss_summaries(gan_model.model_x2y)
        with name_scope("cyclegan_y2x_regularization_loss_summaries"):
            add_regularization_loss_summaries(gan_model.model_y2x)
        return
    for network in ("generator", "discriminator"):
        scope = getattr(gan_model, f"{network}_scope")
        if scope:
            loss = get_regularization_loss(scope.name)
            summary_ops.scalar(f"{network}_regularization_loss", loss)
