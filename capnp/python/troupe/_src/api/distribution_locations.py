"""Where TensorFlow's source has distributions and bijectors."""

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
        "batch_reshape bernoulli beta binomial categorical cauchy chi2": _DISTRIBUTIONS,
        "deterministic dirichlet dirichlet_multinomial estimator exponential": _DISTRIBUTIONS,
        "gamma geometric half_normal independent inverse_gamma": _DISTRIBUTIONS,
        "kullback_leibler kumaraswamy laplace logistic mixture": _DISTRIBUTIONS,
        "mixture_same_family multinomial mvn_diag mvn_diag_plus_low_rank": _DISTRIBUTIONS,
        "mvn_full_covariance mvn_tril negative_binomial normal": _DISTRIBUTIONS,
        "normal_conjugate_posteriors onehot_categorical poisson": _DISTRIBUTIONS,
        "poisson_lognormal quantized_distribution relaxed_bernoulli": _DISTRIBUTIONS,
        "relaxed_onehot_categorical sample_stats seed_stream": _DISTRIBUTIONS,
        "sinh_arcsinh student_t uniform vector_exponential_diag": _DISTRIBUTIONS,
        "vector_laplace_diag vector_sinh_arcsinh_diag wishart": _DISTRIBUTIONS,
        "gumbel": "_src.scalar_distributions.location_distributions",
        "mvn_linear_operator": "_src.vector_distributions.mvn_linear_operator",
        "vector_exponential_linear_operator": "_src.vector_distributions.vector_laplace",
        "vector_laplace_linear_operator": "_src.vector_distributions.vector_laplace",
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
