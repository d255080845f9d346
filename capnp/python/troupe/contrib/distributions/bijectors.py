"""Functions of the samples of distributions, with their inverses and Jacobian determinants."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.bijectors.affine import Affine, AffineLinearOperator
from troupe._src.bijectors.affine_scalar import AffineScalar
from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.composed import Chain, Inline, Invert
from troupe._src.bijectors.conditional import ConditionalBijector
from troupe._src.bijectors.cumulative import Gumbel, Kumaraswamy, SinhArcsinh, Weibull
from troupe._src.bijectors.matrices import CholeskyOuterProduct, MatrixInverseTriL
from troupe._src.bijectors.powers import AbsoluteValue, Exp, PowerTransform, Square
from troupe._src.bijectors.rearranged import Permute, Reshape
from troupe._src.bijectors.sigmoids import Identity, Sigmoid, Softplus, Softsign
from troupe._src.bijectors.triangles import FillTriangular, ScaleTriL, TransformDiagonal
from troupe._src.bijectors.vectors import Ordered, SoftmaxCentered
from troupe._src.flows.batch_normalization import BatchNormalization
from troupe._src.flows.masked_autoregressive import MaskedAutoregressiveFlow
from troupe._src.flows.masked_dense import masked_autoregressive_default_template, masked_dense
from troupe._src.flows.real_nvp import RealNVP, real_nvp_default_template

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AbsoluteValue",
    "Affine",
    "AffineLinearOperator",
    "AffineScalar",
    "BatchNormalization",
    "Bijector",
    "Chain",
    "CholeskyOuterProduct",
    "ConditionalBijector",
    "Exp",
    "FillTriangular",
    "Gumbel",
    "Identity",
    "Inline",
    "Invert",
    "Kumaraswamy",
    "MaskedAutoregressiveFlow",
    "MatrixInverseTriL",
    "Ordered",
    "Permute",
    "PowerTransform",
    "RealNVP",
    "Reshape",
    "ScaleTriL",
    "Sigmoid",
    "SinhArcsinh",
    "SoftmaxCentered",
    "Softplus",
    "Softsign",
    "Square",
    "TransformDiagonal",
    "Weibull",
    "masked_autoregressive_default_template",
    "masked_dense",
    "real_nvp_default_template",
]
