"""How an estimator for TPUs runs: `TPUConfig` and its `RunConfig`."""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple, Optional

from troupe._src.estimator.run_config import RunConfig as EstimatorRunConfig
from troupe._src.estimator.run_config import TaskType
from troupe._src.messages.config import ConfigProto
from troupe._src.resolvers.resolver import ClusterResolver
from troupe._src.set_module import set_module

CORES_PER_REPLICA = (1, 2, 4, 8, 16, 32, 64, 128)


@set_module("troupe.estimator.tpu")
class InputPipelineConfig:
    """How the cores of TPUs share an input function; without TPUs it is called once."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class _Options(NamedTuple):
    iterations_per_loop: Any
    num_shards: Optional[int]
    num_cores_per_replica: Optional[int]
    per_host_input_for_training: int
    tpu_job_name: Optional[str]
    initial_infeed_sleep_secs: Optional[int]
    input_partition_dims: Any
    eval_training_input_configuration: int
    experimental_host_call_every_n_steps: int


@set_module("troupe.estimator.tpu")
class TPUConfig(_Options):
    """Options of TPUs. They are checked; without TPUs they change nothing.

    Args:
        iterations_per_loop: How many steps a TPU makes by itself, or for how long: "30s", "5m".
        num_shards: How many replicas of the model there are.
        num_cores_per_replica: How many cores a replica has, a power of two up to 128.
        per_host_input_for_training: One of InputPipelineConfig; True and False stand for
            PER_HOST_V1 and PER_SHARD_V1.
        tpu_job_name: The job of the TPUs, by default that of TF_CONFIG's service.
        initial_infeed_sleep_secs: How long TPUs wait for their first input.
        input_partition_dims: How inputs are divided among the cores of a replica.
        eval_training_input_configuration: PER_HOST_V1, or SLICED, which needs TPUs.
        experimental_host_call_every_n_steps: How often host calls are made.

    Raises:
        ValueError: An option is out of its range, or lacks another one that it needs.
        TypeError: A number is no integer.
    """

    __slots__ = ()

    def __new__(
        cls,
        iterations_per_loop: Any = 2,
        num_shards: Optional[int] = None,
        num_cores_per_replica: Optional[int] = None,
        per_host_input_for_training: Any = True,
        tpu_job_name: Optional[str] = None,
        initial_infeed_sleep_secs: Optional[int] = None,
        input_partition_dims: Any = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ) -> TPUConfig:
        _check_iterations(iterations_per_loop)
        if num_shards is not None:
            check_positive_integer(num_shards, "TPUConfig num_shards")
        if num_cores_per_replica is not None and num_cores_per_replica not in CORES_PER_REPLICA:
            raise ValueError(
                "num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; got "
                f"{num_cores_per_replica}"
            )
        if isinstance(per_host_input_for_training, bool):
            per_host_input_for_training = (
                InputPipelineConfig.PER_HOST_V1
                if per_host_input_for_training
                else InputPipelineConfig.PER_SHARD_V1
            )
        if input_partition_dims is not None:
            _check_partition(
                input_partition_dims, per_host_input_for_training, num_cores_per_replica
            )
        if eval_training_input_configuration not in (
            InputPipelineConfig.PER_HOST_V1, InputPipelineConfig.SLICED,
        ):  # fmt: skip
            raise ValueError(
                "eval_training_input_configuration must be PER_HOST_V1 or SLICED; got "
                f"{eval_training_input_configuration}"
            )
        if initial_infeed_sleep_secs:
            check_positive_integer(
                initial_infeed_sleep_secs, "TPUConfig initial_infeed_sleep_secs"
            )
        return super().__new__(
            cls,
            iterations_per_loop,
            num_shards,
            num_cores_per_replica,
            per_host_input_for_training,
            tpu_job_name or _job_of_service(),
            initial_infeed_sleep_secs,
            input_partition_dims,
            eval_training_input_configuration,
            experimental_host_call_every_n_steps,
        )


@set_module("troupe.estimator.tpu")
class RunConfig(EstimatorRunConfig):
    """As `tf.estimator.RunConfig`, with options of TPUs and targets that the program chooses.

    Args:
        tpu_config: A TPUConfig, by default one without options.
        evaluation_master: The target of sessions that evaluate, by default that of the others.
        master: The target of sessions that train and predict; "" for this process.
        cluster: A resolver, which has the target and the tasks.
        **kwargs: As of `tf.estimator.RunConfig`.

    Raises:
        ValueError: Both a target and a resolver are given, or another option is wrong.
    """

    def __init__(
        self,
        tpu_config: Optional[TPUConfig] = None,
        evaluation_master: Optional[str] = None,
        master: Optional[str] = None,
        cluster: Optional[ClusterResolver] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        if master is not None and cluster is not None:
            raise ValueError("Both master and cluster are set.")
        if master is not None:
            self._master = master
        elif cluster is not None:
            self._master = cluster.master()
            self._cluster_spec = cluster.cluster_spec()
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif not self._evaluation_master and self._task_type != TaskType.EVALUATOR:
            self._evaluation_master = self._master

    @property
    def session_config(self) -> Optional[ConfigProto]:
        """That of the constructor. A cluster gives it no device filters, unlike the base class."""
        given: Optional[ConfigProto] = vars(self)["_session_config"]
        if given is None and self._cluster is not None:
            return ConfigProto(allow_soft_placement=True, isolate_session_state=True)
        return given

    @property
    def tpu_config(self) -> TPUConfig:
        """The options of TPUs."""
        return self._tpu_config

    @property
    def cluster(self) -> Optional[ClusterResolver]:
        """The resolver that was given."""
        return self._cluster

    def replace(self, **kwargs: Any) -> EstimatorRunConfig:
        """A copy with other options.

        Args:
            **kwargs: The options, of those of `tf.estimator.RunConfig.replace`, and `tpu_config`.

        Returns:
            The copy.

        Raises:
            ValueError: An option may not be replaced, or is wrong.
        """
        tpu_config = kwargs.pop("tpu_config", self._tpu_config)
        changed = super().replace(**kwargs)
        changed.__dict__["_tpu_config"] = tpu_config
        return changed


def check_positive_integer(value: Any, name: str) -> None:
    """TypeError for what is no integer, ValueError for less than one."""
    if not isinstance(value, int):
        raise TypeError(f"{name} must be int, got {type(value)}")
    if value <= 0:
        raise ValueError(f"{name} must be positive, got {value}")


def _check_iterations(given: Any) -> None:
    if not re.fullmatch(r"[1-9]\d*[smh]?", str(given)):
        raise ValueError(
            "Invalid TPUConfig `iterations_per_loop` value: it must be a positive number of steps, "
            f"or a time such as `3600s`, `60m` or `1h`; got {given!r}"
        )


def _check_partition(dims: Any, pipeline: int, cores: Optional[int]) -> None:
    if len(dims) not in (1, 2):
        raise ValueError("input_partition_dims must be a list/tuple with one or two elements.")
    if pipeline != InputPipelineConfig.PER_HOST_V2:
        raise ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.")
    if cores is None:
        raise ValueError("input_partition_dims requires setting num_cores_per_replica.")


def _job_of_service() -> Optional[str]:
    environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
    found: Optional[str] = environment.get("service", {}).get("tpu_worker_job_name")
    return found
