"""Recurrences over time as functions of weights, states and inputs."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.recurrent.networks import bidirectional_functional_rnn, functional_rnn
from troupe._src.recurrent.recurrence import Recurrent

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["Recurrent", "bidirectional_functional_rnn", "functional_rnn"]
