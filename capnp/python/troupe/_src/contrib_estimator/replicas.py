"""Model functions that are called for several devices of a process at once."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from troupe import _native
from troupe._src.api.source_names import list_local_devices
from troupe._src.api.source_utilities import fn_args
from troupe._src.contrib_estimator.merged_specs import eval_spec, predict_spec, train_spec
from troupe._src.contrib_estimator.towers import (
    TowerOptimizer,
    clear_tower_state,
    tower_state,
)
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.sparse.arrangement import sparse_split
from troupe._src.variables.variable_store import variable_scope

_VARIABLE_OPS = ("Variable", "VariableV2", "VarHandleOp")


class _Devices(NamedTuple):
    """Where the towers are, and the variables."""

    towers: List[str]
    # Of variables, and of what is made of all towers.
    shared: str


@set_module("troupe.contrib.estimator")
def replicate_model_fn(
    model_fn: Callable[..., EstimatorSpec],
    loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Optional[Sequence[str]] = None,
) -> Callable[..., EstimatorSpec]:
    """A model function that is another one on several devices, each with a part of the batch.

    The variables are on the processor, or on the device if it is the only one.

    Args:
        model_fn: A model function; the optimizers that it makes are in `TowerOptimizer`.
        loss_reduction: How it reduces losses: the losses of the devices are added for
            `tf.losses.Reduction.SUM`, else they are averaged.
        devices: The devices, by default all GPUs, or the processor where there are none.

    Returns:
        A model function. It is a ValueError for batches that cannot be cut into as many parts, and
        for trainings without a TowerOptimizer.

    Raises:
        ValueError: Losses are not reduced.
    """
    if loss_reduction == Reduction.NONE:
        raise ValueError(
            "Tower losses need to be reduced in some way, yet none reduction is specified."
        )
    towers = list(devices or _local_devices("GPU") or _local_devices("CPU"))
    is_one_gpu = len(towers) == 1 and "GPU" in towers[0].upper()
    places = _Devices(towers, towers[0] if is_one_gpu else "/CPU:0")

    def replicated(
        features: Any, labels: Any, mode: str, params: Any = None, config: Any = None
    ) -> EstimatorSpec:
        more = {"params": params, "config": config}
        if len(towers) == 1:
            batches = [(features, labels)]
        else:
            batches = _parts(features, labels, len(towers), places.shared)
        specs = _tower_specs(model_fn, batches, mode, more, loss_reduction, places)
        if len(towers) == 1:
            return specs[0]
        merge = {ModeKeys.TRAIN: train_spec, ModeKeys.EVAL: eval_spec}.get(mode, predict_spec)
        return merge(specs, places.shared)

    return replicated


def _local_devices(kind: str) -> List[str]:
    found: List[Any] = list(list_local_devices())
    return [each.name for each in found if each.device_type == kind]


def _parts(features: Any, labels: Any, count: int, device: str) -> List[Any]:
    """The features and labels of each device."""
    graph = get_default_graph()
    with graph.name_scope("split_inputs"), graph.device(device):
        some = _split(features, count)
        others = [None] * count if labels is None else _split(labels, count)
    return list(zip(some, others))


def _split(given: Any, count: int) -> List[Any]:
    if isinstance(given, dict):
        parts = {key: _split(value, count) for key, value in given.items()}
        return [{key: each[index] for key, each in parts.items()} for index in range(count)]
    if isinstance(given, SparseTensor):
        return list(sparse_split(sp_input=given, num_split=count, axis=0))
    tensor = convert_to_tensor(given)
    size = tensor.shape[0].value if tensor.shape.rank else None
    if size is not None and size % count:
        raise ValueError(
            f"Batch size {size} needs to be divisible by the number of GPUs, which is {count}."
        )
    return list(array_ops.split(tensor, count))


def _tower_specs(
    model_fn: Callable[..., EstimatorSpec],
    batches: Sequence[Any],
    mode: str,
    more: Dict[str, Any],
    loss_reduction: str,
    places: _Devices,
) -> List[EstimatorSpec]:
    """The specs of the model on each device."""
    names, graph, state = fn_args(model_fn), get_default_graph(), tower_state()
    given = {key: copy.deepcopy(value) for key, value in more.items() if key in names}
    count = len(places.towers)
    state.loss_reduction, state.tower_count = loss_reduction, count
    specs = []
    for index, (features, labels) in enumerate(batches):
        name = f"tower_{index}" if index else None
        with variable_scope("", reuse=index > 0) as scope, graph.name_scope(name) as name_scope:
            with state.tower(index, scope, name_scope):
                with graph.device(_chooser(places.towers[index], places.shared)):
                    spec = model_fn(mode=mode, features=features, labels=labels, **given)
                    if spec.train_op is not None and count > 1:
                        if not TowerOptimizer.has_been_used():
                            raise ValueError(
                                "Please wrap optimizers with TowerOptimizer in order to use "
                                "replicate_model_fn with multiple `devices`."
                            )
                    specs.append(spec._replace(loss=state.scaled(spec.loss)))
    if not state.is_balanced():
        raise ValueError(
            "Each invocation of model_fn was supposed to make the same optimizer calls."
        )
    clear_tower_state()
    return specs


def _chooser(worker: str, shared: str) -> Callable[[Any], str]:
    def choose(node: Any) -> str:
        place = shared if node.type in _VARIABLE_OPS else worker
        return str(_native.merge_devices(node.device, place))

    return choose
