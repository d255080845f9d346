"""The calls of layers as functions of the graph, which SavedModels have."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.functions.traced import ConcreteFunction, Function
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.keras.sessions import learning_phase_scope
from troupe._src.object_saved_models.restored_functions import RestoredFunction
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.keras_saved_models.layer_bodies import LayerBody
from troupe._src.platform import logging

# Whether a call trains is not asked of the session, but said, and by default it does not.
_OF_MODELS = inspect.signature(lambda inputs, training=False, mask=None: None)


class LayerFunctions(NamedTuple):
    """What a call of a layer is: its results, with losses that depend on the inputs, and with that
    of its activity regularizer, too."""

    call: RestoredFunction
    with_losses: RestoredFunction
    with_all_losses: RestoredFunction


def functions_of_layer(layer: Any, is_model: bool) -> Optional[LayerFunctions]:
    """The functions of a layer for the inputs that it has been called on.

    Args:
        layer: The layer, or a model.
        is_model: Whether it is a model.

    Returns:
        The functions; None where it cannot be called so, which is said in the log.
    """
    signature = _OF_MODELS if is_model else _signature(layer)
    takes_training = "training" in signature.parameters
    phases = (True, False) if takes_training else (None,)
    found: List[Tuple[Any, Any, Any]] = []
    try:
        for spec, mask in _inputs_of(layer, is_model):
            for training in phases:
                given = {"mask": mask, "training": training}
                said = {key: each for key, each in given.items() if each is not None}
                found.append(_traced(layer, signature, spec, said))
    except (TypeError, ValueError, AttributeError) as error:
        logging.warning(
            "Skipping full serialization of object %s, because an error occurred while tracing "
            "layer functions. Error message: %s", layer, error,
        )  # fmt: skip
        return None
    made = [RestoredFunction(each, signature, None) for each in zip(*found)] or [
        RestoredFunction([], signature, None) for _ in range(3)
    ]
    return LayerFunctions(*made)


def default_signature(model: Any, specs: Sequence[TensorSpec]) -> RestoredFunction:
    """What a model is served as: from its inputs to a dict of its outputs by their names.

    Args:
        model: The model.
        specs: What its inputs are.

    Returns:
        The function.
    """
    body = LayerBody(get_default_graph())
    given = [body.add_argument(each.dtype, each.shape, each.name or "input") for each in specs]
    with body.as_default(), learning_phase_scope(0), kept_state(model):
        inputs = given[0] if len(given) == 1 else given
        tensors = flatten(map_tensors(_call(model, inputs, {"training": False})))
        outputs = dict(zip(model.output_names, tensors))
        results = [body._adopt(outputs[name]) for name in sorted(outputs)]
    made = body.concrete("__inference_wrapped_model", outputs, results, [list(specs), {}])
    return RestoredFunction([made], inspect.signature(lambda *args: None), tuple(specs))


def loss_functions(layer: Any) -> List[Function]:
    """The regularizers of a layer's own weights, as functions without arguments.

    Args:
        layer: The layer.

    Returns:
        A function for each.
    """
    return [
        Function(functools.partial(regularizer, weight), (), relaxes_shapes=False)
        for regularizer, weight in vars(layer).get("_weight_losses", ())
    ]


def input_specs(tensors: Sequence[Any], names: Sequence[Optional[str]]) -> List[TensorSpec]:
    """What tensors are, for batches of any size.

    Args:
        tensors: The tensors.
        names: A name for each, or None.

    Returns:
        The specifications.
    """
    found = []
    for tensor, name in zip(tensors, names):
        shape = None if tensor.shape.rank is None else tensor.shape.as_list()
        if shape:
            shape[0] = None
        found.append(TensorSpec(shape, tensor.dtype, name))
    return found


def _signature(layer: Any) -> inspect.Signature:
    """The arguments of its call, of which `training` is False by default."""
    parameters = [
        each.replace(default=False) if each.name == "training" and each.default is None else each
        for each in inspect.signature(layer.call).parameters.values()
    ]
    return inspect.Signature(parameters)


def _inputs_of(layer: Any, is_model: bool) -> Iterator[Tuple[Any, Any]]:
    """The kinds of inputs, and of masks, that it has been called on, each once."""
    if is_model:
        specs = input_specs(layer.inputs, [None] * len(layer.inputs))
        yield (specs[0] if len(specs) == 1 else specs), None
        return
    seen = []
    takes_mask = "mask" in inspect.signature(layer.call).parameters
    for node in layer._inbound_nodes:
        tensors = node.input_tensors
        if not node.inbound_layers or len(tensors) != len(node.input_shapes):
            continue
        specs = input_specs(tensors, [None] * len(tensors))
        masks = [each for each in node.input_masks if each is not None] if takes_mask else []
        masks = input_specs(masks, [None] * len(masks)) if len(masks) == len(tensors) else []
        if repr((specs, masks)) not in seen:
            seen.append(repr((specs, masks)))
            yield (specs[0], masks[0] if masks else None) if len(specs) == 1 else (
                specs, masks or None
            )  # fmt: skip


def _arguments(body: FunctionGraph, spec: Any, name: str) -> Any:
    """Arguments of the body in that structure."""
    made = [
        body.add_argument(each.dtype, each.shape, f"{name}_{n}" if n else name)
        for n, each in enumerate(flatten(spec))
    ]
    return pack_as(spec, made) if is_nested(spec) else made[0]


def _traced(
    layer: Any, signature: inspect.Signature, spec: Any, said: Dict[str, Any]
) -> Tuple[ConcreteFunction, ConcreteFunction, ConcreteFunction]:
    """The functions of a call with inputs of that kind, where a mask may be said, and whether it
    trains."""
    body = LayerBody(get_default_graph())
    inputs, given = _arguments(body, spec, "inputs"), dict(said)
    if "mask" in said:
        given["mask"] = _arguments(body, said["mask"], "mask")
    phase = int(said.get("training", False))
    with body.as_default(), learning_phase_scope(phase), kept_state(layer):
        outputs = map_tensors(_call(layer, inputs, given))
        losses = _losses_in(layer, body)
        regularizer = getattr(layer, "activity_regularizer", None)
        more = [regularizer(outputs)] if callable(regularizer) else []
        results = [body._adopt(each) for each in flatten(outputs)]
        results += [body._adopt(each) for each in losses]
        more = [body._adopt(each) for each in more]
    bound = signature.bind(spec, **said)
    bound.apply_defaults()
    arguments = [list(bound.args), dict(bound.kwargs)]

    name = f"__inference_{layer.name}_layer_call"
    count = len(flatten(outputs))
    return (
        body.concrete(f"{name}_fn", outputs, results[:count], arguments),
        body.concrete(
            f"{name}_and_return_conditional_losses", (outputs, losses), results, arguments
        ),
        body.concrete(
            f"{name}_and_return_all_conditional_losses", (outputs, losses + more),
            results + more, arguments,
        ),
    )  # fmt: skip


def map_tensors(outputs: Any) -> Any:
    """The results of a call, as tensors."""
    if not is_nested(outputs):
        return convert_to_tensor(outputs)
    return pack_as(outputs, [convert_to_tensor(each) for each in flatten(outputs)])


def _call(layer: Any, inputs: Any, given: Dict[str, Any]) -> Any:
    known = inspect.signature(layer.call).parameters
    return layer.call(inputs, **{name: each for name, each in given.items() if name in known})


def all_layers(layer: Any) -> List[Any]:
    """A layer and all layers in it.

    Args:
        layer: The layer.

    Returns:
        It, and the others.
    """
    found: List[Any] = []
    left = [layer]
    while left:
        each = left.pop(0)
        if any(each is other for other in found):
            continue
        found.append(each)
        left += _layers_in(each)
    return found


def _layers_in(layer: Any) -> List[Any]:
    own = list(getattr(layer, "_layers", ()))
    for value in vars(layer).values():
        held = value if isinstance(value, (list, tuple)) else [value]
        own += [each for each in held if hasattr(each, "_inbound_nodes") and each is not layer]
    return own


def _losses_in(layer: Any, body: FunctionGraph) -> List[Any]:
    found: Dict[int, Any] = {}
    for each in all_layers(layer):
        for loss in each._losses:
            if getattr(loss, "graph", None) is body:
                found[id(loss)] = loss
    return list(found.values())


@contextlib.contextmanager
def kept_state(layer: Any) -> Iterator[None]:
    """A context behind which a layer and those in it have no trace of calls in it.

    Args:
        layer: The layer.

    Yields:
        Nothing.
    """
    kept = []
    for each in all_layers(layer):
        attributes = dict(vars(each))
        held = [
            (value, value.copy())
            for name, value in attributes.items()
            if isinstance(value, (list, dict)) and name not in ("_layers",)
        ]
        kept.append((each, attributes, held))
    try:
        yield
    finally:
        for each, attributes, held in kept:
            vars(each).clear()
            vars(each).update(attributes)
            for value, before in held:
                _put_back(value, before)


def _put_back(value: Any, before: Any) -> None:
    if isinstance(value, list):
        value[:] = before
    else:
        value.clear()
        value.update(before)


