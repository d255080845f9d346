"""Those of `troupe.distributions`, others, and what is made of them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.bijectors.softplus_inverse import softplus_inverse
from troupe._src.composed_distributions.batch_reshape import BatchReshape
from troupe._src.composed_distributions.independent import Independent
from troupe._src.composed_distributions.mixture import Mixture
from troupe._src.composed_distributions.mixture_same_family import MixtureSameFamily
from troupe._src.composed_distributions.normal_conjugates import (
    normal_conjugates_known_scale_posterior,
    normal_conjugates_known_scale_predictive,
)
from troupe._src.composed_distributions.poisson_lognormal import (
    PoissonLogNormalQuadratureCompound,
    quadrature_scheme_lognormal_gauss_hermite,
    quadrature_scheme_lognormal_quantiles,
)
from troupe._src.composed_distributions.quantized import QuantizedDistribution
from troupe._src.composed_distributions.sample_stats import auto_correlation, percentile
from troupe._src.composed_distributions.seed_stream import SeedStream
from troupe._src.composed_distributions.softmaxnormal_grids import (
    quadrature_scheme_softmaxnormal_gauss_hermite,
    quadrature_scheme_softmaxnormal_quantiles,
)
from troupe._src.composed_distributions.vector_diffeomixture import VectorDiffeomixture
from troupe._src.discrete_distributions.binomial import Binomial, NegativeBinomial
from troupe._src.discrete_distributions.deterministic import Deterministic, VectorDeterministic
from troupe._src.discrete_distributions.geometric import Geometric
from troupe._src.discrete_distributions.onehot_categorical import OneHotCategorical
from troupe._src.discrete_distributions.poisson import Poisson
from troupe._src.distributions.bernoulli import Bernoulli
from troupe._src.distributions.beta import Beta
from troupe._src.distributions.categorical import Categorical
from troupe._src.distributions.dirichlet import Dirichlet
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.divergences import RegisterKL, cross_entropy, kl_divergence
from troupe._src.distributions.gamma import Exponential, Gamma
from troupe._src.distributions.multinomial import DirichletMultinomial, Multinomial
from troupe._src.distributions.normal import Laplace, Normal
from troupe._src.distributions.reparameterization import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    ReparameterizationType,
)
from troupe._src.distributions.student_t import StudentT
from troupe._src.distributions.uniform import Uniform
from troupe._src.linalg.triangular_ops import (
    fill_triangular,
    fill_triangular_inverse,
    matrix_diag_transform,
    tridiag,
)
from troupe._src.scalar_distributions.chi2 import Chi2, Chi2WithAbsDf
from troupe._src.learn_heads.distributions import estimator_head_distribution_regression
from troupe._src.scalar_distributions.half_normal import HalfNormal
from troupe._src.scalar_distributions.inverse_gamma import InverseGamma
from troupe._src.scalar_distributions.kumaraswamy import Kumaraswamy
from troupe._src.scalar_distributions.location_distributions import Cauchy, Logistic
from troupe._src.scalar_distributions.relaxed_bernoulli import RelaxedBernoulli
from troupe._src.scalar_distributions.sinh_arcsinh import SinhArcsinh
from troupe._src.scalar_distributions.softplus import (
    BetaWithSoftplusConcentration,
    ExponentialWithSoftplusRate,
    GammaWithSoftplusConcentrationRate,
    InverseGammaWithSoftplusConcentrationRate,
    LaplaceWithSoftplusScale,
    NormalWithSoftplusScale,
    StudentTWithAbsDfSoftplusScale,
)
from troupe._src.transformed_distributions.autoregressive import Autoregressive
from troupe._src.transformed_distributions.conditional_distribution import (
    ConditionalDistribution,
    ConditionalTransformedDistribution,
)
from troupe._src.transformed_distributions.moving_statistics import (
    assign_log_moving_mean_exp,
    assign_moving_mean_variance,
    moving_mean_variance,
)
from troupe._src.transformed_distributions.transformed_distribution import TransformedDistribution
from troupe._src.transformed_distributions.weighted_sums import reduce_weighted_logsumexp
from troupe._src.vector_distributions.mvn_diag import (
    MultivariateNormalDiag,
    MultivariateNormalDiagWithSoftplusScale,
)
from troupe._src.vector_distributions.mvn_matrices import (
    MultivariateNormalDiagPlusLowRank,
    MultivariateNormalFullCovariance,
    MultivariateNormalTriL,
)
from troupe._src.vector_distributions.relaxed_onehot_categorical import (
    ExpRelaxedOneHotCategorical,
    RelaxedOneHotCategorical,
)
from troupe._src.vector_distributions.vector_laplace import VectorExponentialDiag, VectorLaplaceDiag
from troupe._src.vector_distributions.vector_sinh_arcsinh import VectorSinhArcsinhDiag
from troupe._src.vector_distributions.wishart import WishartCholesky, WishartFull
from troupe.contrib.distributions import bijectors

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Autoregressive",
    "BatchReshape",
    "Bernoulli",
    "Beta",
    "BetaWithSoftplusConcentration",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "Chi2WithAbsDf",
    "ConditionalDistribution",
    "ConditionalTransformedDistribution",
    "Deterministic",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "ExpRelaxedOneHotCategorical",
    "Exponential",
    "ExponentialWithSoftplusRate",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "GammaWithSoftplusConcentrationRate",
    "Geometric",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "InverseGammaWithSoftplusConcentrationRate",
    "Kumaraswamy",
    "Laplace",
    "LaplaceWithSoftplusScale",
    "Logistic",
    "Mixture",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormalDiag",
    "MultivariateNormalDiagPlusLowRank",
    "MultivariateNormalDiagWithSoftplusScale",
    "MultivariateNormalFullCovariance",
    "MultivariateNormalTriL",
    "NOT_REPARAMETERIZED",
    "NegativeBinomial",
    "Normal",
    "NormalWithSoftplusScale",
    "OneHotCategorical",
    "Poisson",
    "PoissonLogNormalQuadratureCompound",
    "QuantizedDistribution",
    "RegisterKL",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReparameterizationType",
    "SeedStream",
    "SinhArcsinh",
    "StudentT",
    "StudentTWithAbsDfSoftplusScale",
    "TransformedDistribution",
    "Uniform",
    "VectorDeterministic",
    "VectorDiffeomixture",
    "VectorExponentialDiag",
    "VectorLaplaceDiag",
    "VectorSinhArcsinhDiag",
    "WishartCholesky",
    "WishartFull",
    "assign_log_moving_mean_exp",
    "assign_moving_mean_variance",
    "auto_correlation",
    "bijectors",
    "cross_entropy",
    "estimator_head_distribution_regression",
    "fill_triangular",
    "fill_triangular_inverse",
    "kl_divergence",
    "matrix_diag_transform",
    "moving_mean_variance",
    "normal_conjugates_known_scale_posterior",
    "normal_conjugates_known_scale_predictive",
    "percentile",
    "quadrature_scheme_lognormal_gauss_hermite",
    "quadrature_scheme_lognormal_quantiles",
    "quadrature_scheme_softmaxnormal_gauss_hermite",
    "quadrature_scheme_softmaxnormal_quantiles",
    "reduce_weighted_logsumexp",
    "softplus_inverse",
    "tridiag",
]
