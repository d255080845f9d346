"""How good generated images are, and summaries of them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.gan.classifier_scores import (
    INCEPTION_DEFAULT_IMAGE_SIZE,
    classifier_score,
    classifier_score_from_logits,
    get_graph_def_from_disk,
    preprocess_image,
    run_image_classifier,
)
from troupe._src.gan.frechet_distances import (
    diagonal_only_frechet_classifier_distance_from_activations,
    frechet_classifier_distance,
    frechet_classifier_distance_from_activations,
    mean_only_frechet_classifier_distance_from_activations,
)
from troupe._src.gan.image_grids import image_grid, image_reshaper
from troupe._src.gan.kernel_distances import (
    kernel_classifier_distance,
    kernel_classifier_distance_and_std,
    kernel_classifier_distance_and_std_from_activations,
    kernel_classifier_distance_from_activations,
)
from troupe._src.gan.sliced_wasserstein import sliced_wasserstein_distance
from troupe._src.gan.summaries import (
    add_cyclegan_image_summaries,
    add_gan_model_image_summaries,
    add_gan_model_summaries,
    add_image_comparison_summaries,
    add_regularization_loss_summaries,
    add_stargan_image_summaries,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "INCEPTION_DEFAULT_IMAGE_SIZE",
    "add_cyclegan_image_summaries",
    "add_gan_model_image_summaries",
    "add_gan_model_summaries",
    "add_image_comparison_summaries",
    "add_regularization_loss_summaries",
    "add_stargan_image_summaries",
    "classifier_score",
    "classifier_score_from_logits",
    "diagonal_only_frechet_classifier_distance_from_activations",
    "frechet_classifier_distance",
    "frechet_classifier_distance_from_activations",
    "get_graph_def_from_disk",
    "image_grid",
    "image_reshaper",
    "kernel_classifier_distance",
    "kernel_classifier_distance_and_std",
    "kernel_classifier_distance_and_std_from_activations",
    "kernel_classifier_distance_from_activations",
    "mean_only_frechet_classifier_distance_from_activations",
    "preprocess_image",
    "run_image_classifier",
    "sliced_wasserstein_distance",
]
