"""Settings of estimators as the older module takes them."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.cluster.cluster_spec import ClusterSpec
from troupe._src.estimator.run_config import RunConfig as EstimatorConfig
from troupe._src.estimator.run_config import TaskType
from troupe._src.messages.config import ConfigProto, GPUOptions
from troupe._src.set_module import set_module


# What estimators of one experiment may have differently.
_FREE_OPTIONS = (
    "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
    "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
)  # fmt: skip


class Environment:
    """Where a program runs; in the cloud its tasks serve one another."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


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
        session_creation_timeout_secs: How long other workers wait for the chief.

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
        session_config: Optional[ConfigProto] = None, session_creation_timeout_secs: int = 7200,
    ) -> None:  # fmt: skip
        if save_checkpoints_secs == 0:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        self._given_master = master
        super().__init__(
            model_dir=model_dir, tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps, save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs, keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps, protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
            session_config=session_config or ConfigProto(
                log_device_placement=log_device_placement,
                gpu_options=GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
            ),
        )  # fmt: skip
        if evaluation_master:
            self._evaluation_master = evaluation_master

    def _take_cluster(self, environment: Dict[str, Any]) -> None:
        """The cluster, whose chief is a master in the cloud and else the first worker."""
        task = environment.get("task", {})
        self._service = None
        self._cluster_spec = ClusterSpec(environment.get("cluster", {}))
        self._environment = environment.get("environment", Environment.LOCAL)
        self._task_type, self._task_id = task.get("type"), int(task.get("index") or 0)
        chief = TaskType.MASTER if self._environment == Environment.CLOUD else TaskType.WORKER
        self._is_chief = self._task_id == 0 and self._task_type in (None, chief)
        self._global_id_in_cluster = None
        self._evaluation_master = ""
        jobs = self._cluster_spec.as_dict()
        self._num_ps_replicas = len(jobs.get(TaskType.PS, ()))
        workers = TaskType.WORKER, TaskType.MASTER
        self._num_worker_replicas = sum(len(jobs.get(job, ())) for job in workers)
        self._master = self._target() if self._given_master is None else self._given_master

    def _target(self) -> str:
        """The target of the task's sessions; that of this process where it is the only task."""
        jobs, kind, number = self._cluster_spec.as_dict(), self._task_type, self._task_id
        if not kind or sum(len(tasks) for tasks in jobs.values()) <= 1:
            return ""
        text = f"in the cluster_spec:\n{self._cluster_spec}\n\nTF_CONFIG may have it."
        if kind not in jobs:
            raise ValueError(f"{kind} is not a valid task_type {text}")
        if number not in self._cluster_spec.task_indices(kind):
            raise ValueError(f"{number} is not a valid task_id for task_type {kind} {text}")
        return f"grpc://{self._cluster_spec.task_address(kind, number)}"

    @property
    def environment(self) -> str:
        """Where the program runs: "local", or "cloud", where tasks serve one another."""
        return str(self._environment)

    @property
    def tf_config(self) -> Optional[ConfigProto]:
        """The options of sessions."""
        return self.session_config

    def uid(self, whitelist: Optional[Sequence[str]] = None) -> str:
        """A text that two configurations have that are the same.

        Args:
            whitelist: The names of options that may differ, by default those that do not say which
                task and model it is.

        Returns:
            The text.
        """
        free = {f"_{name}" for name in (_FREE_OPTIONS if whitelist is None else whitelist)}
        shown = {name: value for name, value in vars(self).items() if name not in free}
        if "_cluster_spec" in shown:
            shown["_cluster_spec"] = sorted(self._cluster_spec.as_dict().items())
        return ", ".join(f"{name}={value!r}" for name, value in sorted(shown.items()))
