"""First values of variables, under the names of TensorFlow's module."""

from troupe._initializers import Constant as constant
from troupe._initializers import GlorotNormal as glorot_normal
from troupe._initializers import GlorotUniform as glorot_uniform
from troupe._initializers import Identity as identity
from troupe._initializers import Ones as ones
from troupe._initializers import RandomNormal as random_normal
from troupe._initializers import RandomUniform as random_uniform
from troupe._initializers import TruncatedNormal as truncated_normal
from troupe._initializers import UniformUnitScaling as uniform_unit_scaling
from troupe._initializers import VarianceScaling as variance_scaling
from troupe._initializers import Zeros as zeros
from troupe._initializers import he_normal, he_uniform, lecun_normal, lecun_uniform
from troupe._variable_sets import global_variables_initializer as global_variables
from troupe._variable_sets import local_variables_initializer as local_variables
from troupe._variable_sets import variables_initializer as variables

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
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
