"""The folder of an estimator: its checkpoints' steps, and the summaries of evaluations."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Optional

import numpy as np

from troupe._src.estimator.run_config import RunConfig
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.summary_messages import Summary
from troupe._src.platform import logging
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.checkpoints.checkpoint_reader import load_checkpoint
from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.types.paths import PathLike


def with_model_dir(config: Optional[RunConfig], model_dir: Optional[PathLike]) -> RunConfig:
    """The configuration with a folder: the one given, its own, or a new temporary one."""
    config = RunConfig() if config is None else config
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    given = None if model_dir is None else os.fspath(model_dir)
    if given is not None and config.model_dir not in (None, given):
        raise ValueError(
            "`model_dir` are set both in constructor and `RunConfig`, but with different values. "
            f"In constructor: '{given}', in `RunConfig`: '{config.model_dir}' "
        )
    chosen = given or config.model_dir
    if not chosen:
        chosen = tempfile.mkdtemp()
        logging.warning("Using temporary folder as model directory: %s", chosen)
    return config if config.model_dir == chosen else config.replace(model_dir=chosen)


def require_checkpoint(model_dir: str) -> str:
    """The latest checkpoint of the folder; ValueError where there is none."""
    path = latest_checkpoint(model_dir)
    if path is None:
        raise ValueError(f"Estimator hasn't been trained yet: no checkpoint in {model_dir}")
    return path


def checkpoint_for(given: Optional[str], model_dir: str, purpose: str) -> Optional[str]:
    """The given checkpoint, or the folder's latest one; None, which is logged, without any."""
    path = given or latest_checkpoint(model_dir)
    if path is None:
        logging.info(
            "Could not find trained model in model_dir: %s, running initialization to %s.",
            model_dir,
            purpose,
        )
    return path


def step_of_latest(model_dir: str) -> int:
    """The global step of the folder's latest checkpoint; 0 where there is none."""
    path = latest_checkpoint(model_dir)
    if path is None:
        return 0
    try:
        return int(load_checkpoint(path).get_tensor(GraphKeys.GLOBAL_STEP))
    except Exception:  # a checkpoint that is being replaced, or without a step
        return 0


def eval_dir(model_dir: str, name: Optional[str]) -> str:
    """The folder of the summaries of an evaluation."""
    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")


def write_results(folder: str, results: Dict[str, Any], step: int) -> None:
    """Writes the results of an evaluation as summaries, and to the log."""
    shown = ", ".join(
        f"{key} = {value}" for key, value in sorted(results.items()) if not _is_summary(value)
    )
    logging.info("Saving dict for global step %d: %s", step, shown)
    summary = Summary()
    for key in sorted(results):
        value = results[key]
        if value is None or key == GraphKeys.GLOBAL_STEP:
            continue
        if _is_summary(value):
            _add_summary(summary, key, value)
        elif isinstance(value, (np.floating, np.integer, float, int)):
            summary.value.add(tag=key, simple_value=float(value))
        else:
            logging.warning("Skipping summary for %s, must be a float, np.float32 or np.int.", key)
    writer = FileWriterCache.get(folder)
    writer.add_summary(summary, step)
    writer.flush()


def _is_summary(value: Any) -> bool:
    return isinstance(value, bytes)


def _add_summary(summary: Any, key: str, value: bytes) -> None:
    """The values of a serialized summary, tagged by the name of the metric."""
    for number, each in enumerate(Summary.FromString(value).value):
        added = summary.value.add()
        added.CopyFrom(each)
        added.tag = f"{key}/{number}"
