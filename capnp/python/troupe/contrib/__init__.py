"""What TensorFlow 1.x has in its contributed modules, as far as there is any."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib import (
    checkpoint,
    cluster_resolver,
    crf,
    data,
    distribute,
    distributions,
    eager,
    factorization,
    feature_column,
    framework,
    graph_editor,
    image,
    layers,
    learn,
    legacy_seq2seq,
    lookup,
    losses,
    memory_stats,
    metrics,
    opt,
    predictor,
    rnn,
    seq2seq,
    signal,
    slim,
    staging,
    stateless,
    summary,
    tensorboard,
    training,
    util,
)

if TYPE_CHECKING:
    from troupe.contrib import tpu
else:
    __getattr__, __dir__ = _missing_names(__name__, lazy=("tpu",))

__all__ = [
    "checkpoint",
    "cluster_resolver",
    "crf",
    "data",
    "distribute",
    "distributions",
    "eager",
    "factorization",
    "feature_column",
    "framework",
    "graph_editor",
    "image",
    "layers",
    "learn",
    "legacy_seq2seq",
    "lookup",
    "losses",
    "memory_stats",
    "metrics",
    "opt",
    "predictor",
    "rnn",
    "seq2seq",
    "signal",
    "slim",
    "staging",
    "stateless",
    "summary",
    "tensorboard",
    "tpu",
    "training",
    "util",
]
