"""The targets of simulated clusters, which exist in this process only."""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Dict

SCHEME = "sim://"

_clusters: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


def register(cluster: Any) -> str:
    """Gives a cluster, which has the attribute `_native`, a name for its targets."""
    name = f"cluster-{next(_numbers)}"
    _clusters[name] = cluster
    return name


def is_simulated(target: str) -> bool:
    return target.startswith(SCHEME)


def options_of(target: str) -> Dict[str, Any]:
    """The options of a session that name its cluster; none for other targets.

    Raises:
        ValueError: There is no such cluster, or no longer.
    """
    if not is_simulated(target):
        return {}
    name, _, task = target[len(SCHEME) :].partition("/")
    cluster = _clusters.get(name)
    if cluster is None:
        raise ValueError(f"{target} is not a task of a simulated cluster of this process")
    return {"simulated": cluster._native, "target": "/" + task}
