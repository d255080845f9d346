"""Settings of estimators as the older module takes them."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.estimator.run_config import RunConfig as EstimatorConfig
from troupe._src.messages.config import ConfigProto, GPUOptions
from troupe._src.set_module import set_module


@set_module("troupe.contrib.learn")
class RunConfig(EstimatorConfig):
    """The settings of an estimator; `tf.estimator.RunConfig` by another constructor.

    Args:
        master: The target of sessions; None for that of TF_CONFIG.
        num_cores: Has no effect.
        log_device_placement: Whether placements are logged, without `session_config`.
        gpu_memory_fraction: The part of a GPU's memory that is used, likewise.
        tf_random_seed: The seed of graphs.
        save_summary_steps: How many steps are between summaries.
        save_checkpoints_secs: How many seconds are between checkpoints, by default 600 if no steps
            are given.
        save_checkpoints_steps: How many steps are between checkpoints.
        keep_checkpoint_max: How many checkpoints stay; None and 0 for all.
        keep_checkpoint_every_n_hours: One stays for each such time, besides.
        log_step_count_steps: How many steps are between reports of their speed.
        protocol: Has no effect.
        evaluation_master: The target of sessions that evaluate.
        model_dir: The folder of checkpoints.
        session_config: The options of sessions.

    Raises:
        ValueError: Both steps and seconds between checkpoints are given.
    """

    def __init__(
        self, master: Optional[str] = None, num_cores: int = 0, log_device_placement: bool = False,
        gpu_memory_fraction: float = 1, tf_random_seed: Optional[int] = None,
        save_summary_steps: int = 100, save_checkpoints_secs: Optional[int] = 0,
        save_checkpoints_steps: Optional[int] = None, keep_checkpoint_max: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000, log_step_count_steps: int = 100,
        protocol: Optional[str] = None, evaluation_master: str = "", model_dir: Any = None,
        session_config: Optional[ConfigProto] = None,
    ) -> None:  # fmt: skip
        if save_checkpoints_secs == 0:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=model_dir, tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps, save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs, keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps, protocol=protocol,
            session_config=session_config or ConfigProto(
                log_device_placement=log_device_placement,
                gpu_options=GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
            ),
        )  # fmt: skip
        if master is not None:
            self._master = master
        if evaluation_master:
            self._evaluation_master = evaluation_master
