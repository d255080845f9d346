"""Linear models that are learned by stochastic dual coordinate ascent."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.linear_optimizer.contrib_optimizer import SDCAOptimizer
from troupe._src.linear_optimizer.models import SdcaModel
from troupe._src.linear_optimizer.sparse_features import SparseFeatureColumn

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["SDCAOptimizer", "SdcaModel", "SparseFeatureColumn"]
