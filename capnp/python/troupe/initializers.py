"""Initializers of variables."""

from troupe._src.lookup.initializers import tables_initializer
from troupe._src.variables.initializers import Constant as constant
from troupe._src.variables.initializers import GlorotNormal as glorot_normal
from troupe._src.variables.initializers import GlorotUniform as glorot_uniform
from troupe._src.variables.initializers import Ones as ones
from troupe._src.variables.initializers import RandomNormal as random_normal
from troupe._src.variables.initializers import RandomUniform as random_uniform
from troupe._src.variables.initializers import TruncatedNormal as truncated_normal
from troupe._src.variables.initializers import UniformUnitScaling as uniform_unit_scaling
from troupe._src.variables.initializers import VarianceScaling as variance_scaling
from troupe._src.variables.initializers import Zeros as zeros
from troupe._src.variables.initializers import he_normal, he_uniform, lecun_normal, lecun_uniform
from troupe._src.variables.orthogonal import Identity as identity
from troupe._src.variables.orthogonal import Orthogonal as orthogonal
from troupe._src.variables.variable_sets import global_variables_initializer as global_variables
from troupe._src.variables.variable_sets import local_variables_initializer as local_variables
from troupe._src.variables.variable_sets import variables_initializer as variables

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
