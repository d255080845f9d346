"""Distributions of probability: samples, probabilities, statistics, and divergences."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.distributions.bernoulli import Bernoulli
from troupe._src.distributions.beta import Beta
from troupe._src.distributions.categorical import Categorical
from troupe._src.distributions.dirichlet import Dirichlet
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.divergences import RegisterKL, kl_divergence
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "Laplace",
    "Multinomial",
    "NOT_REPARAMETERIZED",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]
