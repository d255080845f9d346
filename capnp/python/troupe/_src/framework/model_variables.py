"""Variables of models: which of them, on which devices, and with which first values."""

from __future__ import annotations

import re
from typing import Any, Iterable, List, Optional, Sequence

from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops import creation_ops, gen_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.train.global_step import assert_global_step, get_global_step
from troupe._src.variables.variable_sets import is_variable_initialized


class VariableDeviceChooser:
    """A device function of variables, which takes parameter servers in turn.

    Args:
        num_tasks: How many tasks the job has; 0 for no parameter servers.
        job_name: The name of the job.
        device_type: "CPU" or "GPU".
        device_index: The index of the device among those of its type; None for any.
        replica: The index of the replica.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: Optional[int] = 0,
        replica: Optional[int] = None,
    ) -> None:
        self._job_name = job_name
        self._device = DeviceSpec(
            replica=replica, device_type=device_type, device_index=device_index
        )
        self._num_tasks, self._next_task = num_tasks, 0

    def __call__(self, op: Any) -> str:
        """The device of a node.

        Args:
            op: The node.

        Returns:
            The name of the device.
        """
        if self._num_tasks > 0:
            self._device.job, self._device.task = self._job_name, self._next_task
            self._next_task = (self._next_task + 1) % self._num_tasks
        return self._device.to_string()


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Optional[Sequence[str]] = None,
    exclude_patterns: Optional[Sequence[str]] = None,
    reg_search: bool = True,
) -> List[Any]:
    """The variables whose names match some patterns, and do not match others.

    Args:
        var_list: The variables.
        include_patterns: Regular expressions, of which a name must match one; None for all names.
        exclude_patterns: Regular expressions, of which a name must match none; None for none.
        reg_search: Whether they match anywhere in the name, instead of at its beginning.

    Returns:
        The variables, in the same order.
    """
    match = re.search if reg_search else re.match

    def is_one(variable: Any, patterns: Sequence[str]) -> bool:
        return any(match(pattern, variable.name) for pattern in patterns)

    return [
        each
        for each in var_list
        if (include_patterns is None or is_one(each, include_patterns))
        and not is_one(each, exclude_patterns or ())
    ]


def assert_or_get_global_step(
    graph: Optional[Graph] = None, global_step_tensor: Any = None
) -> Any:
    """The global step, which is checked where it is given.

    Args:
        graph: The graph where it is looked for; by default the default one.
        global_step_tensor: The global step; None to look for it.

    Returns:
        The global step; None where there is none.

    Raises:
        TypeError: It has a wrong dtype.
        ValueError: It is no scalar.
    """
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Tensor:
    """Gives a variable without a value zeros.

    Args:
        ref: The variable.
        use_locking: Has no effect.
        name: The scope of the nodes.

    Returns:
        The value of the variable, after that. A step fails with InvalidArgumentError where the
        variable has a value already.
    """
    graph = get_default_graph()
    with graph.name_scope(name), graph.colocate_with(ref.op):
        is_new = gen_ops.logical_not(is_variable_initialized(ref))
        with graph.control_dependencies([Assert(is_new, ["input is already initialized"])]):
            zeros = creation_ops.zeros(ref.shape, ref.dtype.base_dtype)
            return gen_ops.identity(ref.assign(zeros, read_value=True))
