"""Linear models of features that approximate a kernel."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.kernel_methods.estimators import KernelLinearClassifier
from troupe._src.kernel_methods.losses import sparse_multiclass_hinge_loss
from troupe._src.kernel_methods.mappers import RandomFourierFeatureMapper

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["KernelLinearClassifier", "RandomFourierFeatureMapper", "sparse_multiclass_hinge_loss"]
