"""What TensorFlow 1.x has in its contributed modules, as far as there is any."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib import lookup, rnn, staging

__getattr__ = _missing_names(__name__)

__all__ = ["lookup", "rnn", "staging"]
