"""What TensorFlow 1.x has in its contributed modules, as far as there is any."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib import (
    crf,
    distributions,
    feature_column,
    framework,
    image,
    layers,
    legacy_seq2seq,
    lookup,
    metrics,
    opt,
    rnn,
    seq2seq,
    signal,
    slim,
    staging,
    training,
    util,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "crf",
    "distributions",
    "feature_column",
    "framework",
    "image",
    "layers",
    "legacy_seq2seq",
    "lookup",
    "metrics",
    "opt",
    "rnn",
    "seq2seq",
    "signal",
    "slim",
    "staging",
    "training",
    "util",
]
