"""What an input function is told of the replicas that it makes batches for."""

from __future__ import annotations

import enum

from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class InputReplicationMode(enum.Enum):
    """How often an input function is called: once for each program."""

    PER_WORKER = "PER_WORKER"


@set_module("troupe.distribute")
class InputContext:
    """What an input function is told of the replicas that it makes batches for.

    Args:
        num_input_pipelines: How many programs make batches.
        input_pipeline_id: Which of them this is.
        num_replicas_in_sync: For how many replicas.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that a replica gets.

        Args:
            global_batch_size: That of all replicas.

        Returns:
            How many examples.

        Raises:
            ValueError: It cannot be divided.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"a batch of {global_batch_size} cannot be divided among "
                f"{self.num_replicas_in_sync} replicas"
            )
        return global_batch_size // self.num_replicas_in_sync
