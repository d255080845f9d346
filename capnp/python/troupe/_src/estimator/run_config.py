"""Where and how an estimator runs: `RunConfig`, much of it from TF_CONFIG."""

from __future__ import annotations

import copy
import json
import os
from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.cluster.cluster_spec import ClusterSpec
from troupe._src.messages.config import ConfigProto
from troupe._src.platform import logging
from troupe._src.set_module import set_module

USE_DEFAULT: Any = object()


class TaskType:
    """The jobs that TF_CONFIG knows."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


_REPLACEABLE = (
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps",
    "save_checkpoints_secs", "session_config", "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute", "device_fn",
    "protocol", "eval_distribute", "experimental_distribute", "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)  # fmt: skip


def _option(name: str) -> Any:
    """The property of an option of the constructor."""
    return property(lambda config: getattr(config, f"_{name}"))


def _strategy(name: str) -> Any:
    """The property of a strategy that is given by itself, or in the record of strategies."""

    def find(config: RunConfig) -> Any:
        record = config.experimental_distribute
        return getattr(config, f"_{name}") or getattr(record, name, None)

    return property(find)


@set_module("troupe.estimator")
class RunConfig:
    """The folder, seeds, checkpoints and cluster of an estimator.

    The cluster and the task of this program are those of the environment's TF_CONFIG.

    Args:
        model_dir: The folder of checkpoints and summaries.
        tf_random_seed: The seed of graphs.
        save_summary_steps: Summaries are written every so many steps.
        save_checkpoints_steps: Checkpoints are written every so many steps; None for never.
        save_checkpoints_secs: Or every so many seconds, by default 600.
        session_config: The ConfigProto of sessions.
        keep_checkpoint_max: How many checkpoints are kept; 0 and None for all.
        keep_checkpoint_every_n_hours: One checkpoint in so many hours is kept for good.
        log_step_count_steps: Loss and speed are logged every so many steps.
        train_distribute: A `tf.distribute.Strategy` for the training.
        device_fn: A device function, by default one with variables on the parameter servers.
        protocol: The protocol of servers.
        eval_distribute: One for evaluations.
        experimental_distribute: A record with both, as `train_distribute` and `eval_distribute`.
        experimental_max_worker_delay_secs: Workers wait for at most so long before they begin.
        session_creation_timeout_secs: How long a worker waits for its session.

    Raises:
        ValueError: An option is wrong, both options of checkpoints are given, or TF_CONFIG is
            wrong.
    """

    def __init__(
        self,
        model_dir: Optional[str] = None,
        tf_random_seed: Optional[int] = None,
        save_summary_steps: Optional[int] = 100,
        save_checkpoints_steps: Any = USE_DEFAULT,
        save_checkpoints_secs: Any = USE_DEFAULT,
        session_config: Optional[ConfigProto] = None,
        keep_checkpoint_max: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: Optional[int] = 100,
        train_distribute: Any = None,
        device_fn: Optional[Callable[..., Any]] = None,
        protocol: Optional[str] = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: Optional[int] = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        is_default = save_checkpoints_steps is USE_DEFAULT and save_checkpoints_secs is USE_DEFAULT
        if is_default:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is USE_DEFAULT:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(_BOTH)
        environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if environment:
            logging.info("TF_CONFIG environment variable: %s", environment)
        self._take(
            model_dir=_model_dir(model_dir, environment),
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_distribute=experimental_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._take_cluster(environment)

    def _take(self, **options: Any) -> None:
        for name, value in options.items():
            _check_option(name, value)
            setattr(self, f"_{name}", value)

    def _take_cluster(self, environment: Dict[str, Any]) -> None:
        """The cluster, and the place of this program in it."""
        self._service = environment.get("service")
        if self._service is not None and not isinstance(self._service, dict):
            raise TypeError(
                f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(self._service)}'
            )
        self._cluster_spec = ClusterSpec(environment.get("cluster", {}))
        self._evaluation_master, self._master = "", ""
        self._num_ps_replicas, self._num_worker_replicas = 0, 0
        self._global_id_in_cluster: Optional[int] = None
        task = environment.get("task", {})
        if not self._cluster_spec:
            self._take_local_task(task, environment)
            return
        chief = TaskType.CHIEF
        if TaskType.MASTER in self._cluster_spec.jobs:
            if TaskType.CHIEF in self._cluster_spec.jobs:
                raise ValueError(
                    "If `master` node exists in `cluster`, job `chief` is not supported."
                )
            chief = TaskType.MASTER
        self._task_type, self._task_id = _task_of(self._cluster_spec, task, chief)
        self._is_chief = self._task_type == chief
        if self._task_type == TaskType.EVALUATOR:
            self._cluster_spec = ClusterSpec({})
            return
        self._master = _master_of(self._cluster_spec, self._task_type, self._task_id, environment)
        if chief == TaskType.MASTER:
            self._evaluation_master = environment.get("eval_session_master", "")
        jobs = self._cluster_spec.as_dict()
        self._num_ps_replicas = len(jobs.get(TaskType.PS, ()))
        self._num_worker_replicas = len(jobs.get(TaskType.WORKER, ())) + 1
        self._global_id_in_cluster = _global_id(
            self._cluster_spec, self._task_type, self._task_id, chief
        )

    def _take_local_task(self, task: Dict[str, Any], environment: Dict[str, Any]) -> None:
        """The task of a program without a cluster."""
        self._task_type = task.get("type", TaskType.WORKER)
        self._task_id = int(task.get("index", 0))
        if self._task_type == TaskType.PS:
            raise ValueError("Can not be TaskType.PS without cluster in TF_CONFIG.")
        if "cluster" not in environment and self._task_type != TaskType.EVALUATOR:
            if self._task_type not in (TaskType.WORKER, TaskType.CHIEF, TaskType.MASTER):
                raise ValueError(
                    f'If "cluster" is not set in TF_CONFIG, task type must be {TaskType.WORKER}.'
                )
            if self._task_id != 0:
                raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
        self._master = environment.get("session_master", "")
        self._evaluation_master = environment.get("eval_session_master", "")
        self._is_chief = self._task_type != TaskType.EVALUATOR
        self._num_worker_replicas = 1 if self._is_chief else 0

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other options.

        Args:
            **kwargs: The options, of those of the constructor that may be replaced.

        Returns:
            The copy.

        Raises:
            ValueError: An option may not be replaced, or is wrong.
        """
        for name in kwargs:
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are {_REPLACEABLE}."
                )
        both = ("save_checkpoints_steps", "save_checkpoints_secs")
        if all(kwargs.get(name) is not None for name in both):
            raise ValueError(_BOTH)
        changed = copy.copy(self)
        for name, other in (both, both[::-1]):
            if kwargs.get(name) is not None and other not in kwargs:
                setattr(changed, f"_{other}", None)
        changed._take(**kwargs)
        return changed

    model_dir: Any = _option("model_dir")
    tf_random_seed: Any = _option("tf_random_seed")
    save_summary_steps: Any = _option("save_summary_steps")
    save_checkpoints_steps: Any = _option("save_checkpoints_steps")
    save_checkpoints_secs: Any = _option("save_checkpoints_secs")
    keep_checkpoint_max: Any = _option("keep_checkpoint_max")
    keep_checkpoint_every_n_hours: Any = _option("keep_checkpoint_every_n_hours")
    log_step_count_steps: Any = _option("log_step_count_steps")
    experimental_distribute: Any = _option("experimental_distribute")
    train_distribute: Any = _strategy("train_distribute")
    eval_distribute: Any = _strategy("eval_distribute")
    device_fn: Any = _option("device_fn")
    protocol: Any = _option("protocol")
    experimental_max_worker_delay_secs: Any = _option("experimental_max_worker_delay_secs")
    session_creation_timeout_secs: Any = _option("session_creation_timeout_secs")

    @property
    def session_config(self) -> Optional[ConfigProto]:
        """That of the constructor; in a cluster, by default one that sees its task and the ps."""
        given: Optional[ConfigProto] = vars(self)["_session_config"]
        if given is None and self._cluster_spec:
            return ConfigProto(allow_soft_placement=True, device_filters=self._device_filters())
        return given

    def _device_filters(self) -> List[str]:
        """The devices of the parameter servers, of the task itself, and for workers the chief's."""
        if self._task_type == TaskType.MASTER:
            return ["/job:ps", "/job:master"]
        if self._task_type == TaskType.CHIEF:
            return ["/job:ps", "/job:chief"]
        if self._task_type == TaskType.WORKER:
            return [f"/job:worker/task:{self._task_id}", "/job:ps"]
        return []

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The tasks of the cluster; empty without one."""
        return self._cluster_spec

    @property
    def task_type(self) -> str:
        """The job of this program's task."""
        return self._task_type

    @property
    def task_id(self) -> int:
        """The index of the task in its job."""
        return self._task_id

    @property
    def global_id_in_cluster(self) -> Optional[int]:
        """The number of the task among all, the chief first; None for an evaluator."""
        return self._global_id_in_cluster

    @property
    def master(self) -> str:
        """The target of sessions that train."""
        return self._master

    @property
    def evaluation_master(self) -> str:
        """The target of sessions that evaluate."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this program initializes, saves and logs."""
        return self._is_chief

    @property
    def num_ps_replicas(self) -> int:
        """How many parameter servers the cluster has."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """How many workers there are, with the chief."""
        return self._num_worker_replicas

    @property
    def service(self) -> Optional[Dict[str, Any]]:
        """What TF_CONFIG says of the service that runs the program."""
        return self._service


def session_config_of(config: Any) -> ConfigProto:
    """That of its sessions: what a device has no kernel for is elsewhere, unless it is given."""
    given: Optional[ConfigProto] = config.session_config
    return ConfigProto(allow_soft_placement=True) if given is None else given


_BOTH = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."

# option -> (what it must be, whether a value other than None is that)
_CHECKS = {
    "model_dir": ("model_dir should be non-empty", lambda value: bool(value)),
    "save_summary_steps": ("save_summary_steps should be >= 0", lambda value: value >= 0),
    "save_checkpoints_steps": ("save_checkpoints_steps should be >= 0", lambda value: value >= 0),
    "save_checkpoints_secs": ("save_checkpoints_secs should be >= 0", lambda value: value >= 0),
    "keep_checkpoint_max": ("keep_checkpoint_max should be >= 0", lambda value: value >= 0),
    "keep_checkpoint_every_n_hours": (
        "keep_checkpoint_every_n_hours should be > 0", lambda value: value > 0,
    ),
    "log_step_count_steps": ("log_step_count_steps should be > 0", lambda value: value > 0),
    "tf_random_seed": ("tf_random_seed must be integer", lambda value: isinstance(value, int)),
    "session_config": (
        "session_config must be instance of ConfigProto",
        lambda value: isinstance(value, ConfigProto),
    ),
    "device_fn": ("device_fn must be callable with exactly one argument \"op\"", callable),
    "session_creation_timeout_secs": (
        "session_creation_timeout_secs should be > 0", lambda value: value > 0,
    ),
}  # fmt: skip


def _check_option(name: str, value: Any) -> None:
    if value is None:
        return
    message, is_valid = _CHECKS.get(name, ("", lambda value: True))
    if not is_valid(value):
        raise ValueError(message)


def _model_dir(model_dir: Any, environment: Dict[str, Any]) -> Optional[str]:
    """The folder that is given, which that of TF_CONFIG must equal."""
    given = None if model_dir is None else os.fspath(model_dir)
    if given == "":
        raise ValueError("model_dir should be non-empty")
    found = environment.get("model_dir")
    if found == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if given is not None and found is not None and given != found:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the "
            f'model_dir in TF_CONFIG. model_dir: {given}\nTF_CONFIG["model_dir"]: {found}.\n'
        )
    return found or given


def _task_of(cluster: ClusterSpec, task: Dict[str, Any], chief: str) -> Tuple[str, int]:
    """The job and index of this program, which must be in the cluster."""
    jobs = cluster.as_dict()
    if chief not in jobs:
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if len(jobs[chief]) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    kind, index = task.get("type"), task.get("index")
    if not kind:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if index is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    number = int(index)
    if number < 0:
        raise ValueError("Task index must be non-negative number.")
    if kind == TaskType.EVALUATOR:
        return kind, number
    if kind not in jobs:
        raise ValueError(f"{kind} is not a valid task_type in the cluster_spec:\n{cluster}")
    if number not in cluster.task_indices(kind):
        raise ValueError(
            f"{number} is not a valid task_id for task_type {kind} in the cluster_spec:\n{cluster}"
        )
    return kind, number


def _master_of(cluster: ClusterSpec, kind: str, index: int, environment: Dict[str, Any]) -> str:
    """The target of the task's sessions; that of this process where it is the only task."""
    if "session_master" in environment:
        return str(environment["session_master"])
    if sum(len(tasks) for tasks in cluster.as_dict().values()) == 1:
        return ""
    return "grpc://" + cluster.task_address(kind, index)


def _global_id(cluster: ClusterSpec, kind: str, index: int, chief: str) -> int:
    order = [chief, TaskType.WORKER, TaskType.PS]
    order += sorted(job for job in cluster.jobs if job not in order)
    before = [job for job in order[: order.index(kind)] if job in cluster.jobs]
    return sum(cluster.num_tasks(job) for job in before) + index
