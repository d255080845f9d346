"""Which programs of a cluster have replicas."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Tuple

JOBS = ("chief", "master", "worker")


def workers_of(cluster_resolver: Any = None) -> Tuple[List[str], int]:
    """The tasks that train, the chief first, and which of them this program is.

    Args:
        cluster_resolver: Names them; by default TF_CONFIG does.

    Returns:
        Their names, such as "/job:worker/task:0", none for a program alone; and the index.

    Raises:
        ValueError: This program is none of them.
    """
    cluster, job, index = _told(cluster_resolver)
    tasks = [f"/job:{each}/task:{i}" for each in JOBS for i in range(len(cluster.get(each, ())))]
    own = f"/job:{job}/task:{index}"
    if len(tasks) < 2 or job == "evaluator":
        return [], 0
    if own not in tasks:
        raise ValueError(f"this program is {own}, which is none of the workers {tasks}")
    return tasks, tasks.index(own)


def _told(resolver: Any) -> Tuple[Dict[str, Any], str, int]:
    if resolver is not None:
        return resolver.cluster_spec().as_dict(), resolver.task_type, int(resolver.task_id or 0)
    told = json.loads(os.environ.get("TF_CONFIG") or "{}")
    task = told.get("task", {})
    return told.get("cluster", {}), str(task.get("type", "")), int(task.get("index", 0))
