"""Where TensorFlow's source has bijectors, and distributions that are made of them."""

from __future__ import annotations

from typing import Dict

_BIJECTORS = "contrib.distributions.bijectors"
_DISTRIBUTIONS = "contrib.distributions"
_UTILITIES = " ".join(
    [
        *(
            f"_src.distribution_utilities.{name}"
            for name in ("functions", "mixtures", "parameter_checks", "static_shapes")
        ),
        *(f"_src.bijectors.{name}" for name in ("columns", "scales")),
        "_src.transformed_distributions.static_choices",
        _DISTRIBUTIONS,
    ]
)

# The public modules whose names a module has, by the folder of TensorFlow's source.
DISTRIBUTION_OWNERS: Dict[str, Dict[str, str]] = {
    "contrib.distributions.python.ops": {
        "autoregressive conditional_distribution moving_stats": _DISTRIBUTIONS,
        "conditional_transformed_distribution": _DISTRIBUTIONS,
        "distribution_util": _UTILITIES,
        "bijectors": _BIJECTORS,
    },
    "contrib.distributions.python.ops.bijectors": {
        "absolute_value affine affine_linear_operator affine_scalar": _BIJECTORS,
        "batch_normalization chain cholesky_outer_product conditional_bijector": _BIJECTORS,
        "exp fill_triangular gumbel inline invert kumaraswamy masked_autoregressive": _BIJECTORS,
        "matrix_inverse_tril ordered permute power_transform real_nvp reshape": _BIJECTORS,
        "scale_tril sigmoid sinh_arcsinh softmax_centered softplus softsign": _BIJECTORS,
        "square transform_diagonal weibull": _BIJECTORS,
    },
    "python.ops.distributions": {
        "bijector bijector_impl identity_bijector": _BIJECTORS,
        "transformed_distribution": _DISTRIBUTIONS,
        "util": _UTILITIES,
    },
}
