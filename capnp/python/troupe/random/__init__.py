"""Random tensors."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph.random_seed import get_seed, set_random_seed
from troupe._src.nn.candidate_samplers import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from troupe._src.random.random_ops import categorical, multinomial, truncated_normal
from troupe._src.random.random_ops import random_gamma as gamma
from troupe._src.random.random_ops import random_normal as normal
from troupe._src.random.random_ops import random_poisson as poisson
from troupe._src.random.random_ops import random_shuffle as shuffle
from troupe._src.random.random_ops import random_uniform as uniform
from troupe._src.random.stateless_ops import (
    stateless_categorical,
    stateless_multinomial,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, ("experimental",), has_ops=True)

__all__ = [
    "all_candidate_sampler",
    "categorical",
    "fixed_unigram_candidate_sampler",
    "gamma",
    "get_seed",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "multinomial",
    "normal",
    "poisson",
    "set_random_seed",
    "shuffle",
    "stateless_categorical",
    "stateless_multinomial",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]
