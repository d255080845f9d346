"""Optimizers that `troupe.train` lacks, and what changes other optimizers."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.opt.adam_variants import AdaMaxOptimizer, LazyAdamOptimizer, NadamOptimizer
from troupe._src.opt.agn import AGNOptimizer
from troupe._src.opt.elastic_average import ElasticAverageOptimizer
from troupe._src.opt.external import ExternalOptimizerInterface, ScipyOptimizerInterface
from troupe._src.opt.ggt import GGTOptimizer
from troupe._src.opt.lars import LARSOptimizer
from troupe._src.opt.local_copies import (
    AGNCustomGetter,
    ElasticAverageCustomGetter,
    ModelAverageCustomGetter,
)
from troupe._src.opt.model_average import ModelAverageOptimizer
from troupe._src.opt.shampoo import ShampooOptimizer
from troupe._src.opt.sign_decay import (
    get_cosine_decay_fn,
    get_linear_decay_fn,
    get_restart_decay_fn,
)
from troupe._src.opt.sign_optimizers import AddSignOptimizer, PowerSignOptimizer
from troupe._src.opt.step_optimizers import (
    AdamGSOptimizer,
    DropStaleGradientOptimizer,
    LazyAdamGSOptimizer,
    RegAdagradOptimizer,
)
from troupe._src.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from troupe._src.opt.wrappers import (
    MovingAverageOptimizer,
    MultitaskOptimizerWrapper,
    VariableClippingOptimizer,
    clip_gradients_by_global_norm,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AGNCustomGetter",
    "AGNOptimizer",
    "AdaMaxOptimizer",
    "AdamGSOptimizer",
    "AdamWOptimizer",
    "AddSignOptimizer",
    "DecoupledWeightDecayExtension",
    "DropStaleGradientOptimizer",
    "ElasticAverageCustomGetter",
    "ElasticAverageOptimizer",
    "ExternalOptimizerInterface",
    "GGTOptimizer",
    "LARSOptimizer",
    "LazyAdamGSOptimizer",
    "LazyAdamOptimizer",
    "ModelAverageCustomGetter",
    "ModelAverageOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "MultitaskOptimizerWrapper",
    "NadamOptimizer",
    "PowerSignOptimizer",
    "RegAdagradOptimizer",
    "ScipyOptimizerInterface",
    "ShampooOptimizer",
    "VariableClippingOptimizer",
    "clip_gradients_by_global_norm",
    "extend_with_decoupled_weight_decay",
    "get_cosine_decay_fn",
    "get_linear_decay_fn",
    "get_restart_decay_fn",
]
