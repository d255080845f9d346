"""What TensorFlow 1.x has in its older module of estimators, as far as there is any."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.run_config import RunConfig
from troupe.contrib.learn import monitors, preprocessing

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["ModeKeys", "RunConfig", "monitors", "preprocessing"]
