"""Batch normalization as a function."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Union

from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import collect_variable, getter_of
from troupe._src.layers.weighted_normalization import WeightedBatchNormalization
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.variable_store import variable_scope


@add_arg_scope
def batch_norm(
    inputs: TensorLike, decay: Union[float, Operand] = 0.999, center: bool = True,
    scale: bool = False, epsilon: float = 0.001, activation_fn: Optional[Callable[..., Any]] = None,
    param_initializers: Optional[Dict[str, Any]] = None,
    param_regularizers: Optional[Dict[str, Any]] = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS, is_training: Union[bool, Operand] = True,
    reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, batch_weights: Any = None, fused: Optional[bool] = None,
    data_format: str = "NHWC", zero_debias_moving_mean: bool = False, scope: Any = None,
    renorm: bool = False, renorm_clipping: Any = None, renorm_decay: Any = 0.99,
    adjustment: Any = None,
) -> Tensor:  # fmt: skip
    """Each channel, normalized: in training by the moments of the batch, else by moving averages.

    Args:
        inputs: Of floating point numbers, of rank 2 or more and a known number of channels.
        decay: How much of the moving averages each update keeps.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        epsilon: What is added to variances.
        activation_fn: Called with the result; None for none.
        param_initializers: {"beta", "gamma", "moving_mean" or "moving_variance": initializer}.
        param_regularizers: {"beta" or "gamma": regularizer}.
        updates_collections: The collections that the updates of the moving averages are added to;
            with None, the result waits for them.
        is_training: A bool or a boolean tensor: whether the moments are those of the batch.
        reuse: takes the variables that the scope has.
        variables_collections: where variables are added to, or {kind: collections}.
        outputs_collections: where the result is added to.
        trainable: whether optimizers train `beta` and `gamma` by default.
        batch_weights: What each example counts in the moments, [batch]; None for alike.
        fused: False for no use of the op for images, which otherwise is used where it can be.
        data_format: "NHWC", with the channels last, or "NCHW".
        zero_debias_moving_mean: Divides the moving mean by what it lacks after few updates, for
            which the scope gets two more variables.
        scope: The scope of the variables, by default `BatchNorm`.
        renorm: Corrects what training normalizes, so that it is as by moving averages, up to
            clipping: batch renormalization.
        renorm_clipping: {"rmin", "rmax" or "dmax": bound}: the correction multiplies by `r`, in
            [rmin, rmax], and adds `d`, in [-dmax, dmax]; without bounds it is not clipped.
        renorm_decay: How much each update keeps of the averages that corrections use.
        adjustment: Is called with the shape of the inputs, and gives (scale, offset), which in
            training the normalized values are multiplied by and added to.

    Returns:
        A tensor of the shape of `inputs`.

    Raises:
        ValueError: The format is another one, the number of channels is not known,
            `renorm_clipping` has other keys, the batch has another number of weights, or `renorm`
            comes with weights or a mean without bias.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    if renorm and (batch_weights is not None or zero_debias_moving_mean):
        raise ValueError("renorm is not supported with batch_weights or zero_debias_moving_mean")
    graph = get_default_graph()
    initial = {"gamma": Ones(), "moving_variance": Ones(), **(param_initializers or {})}
    losses = param_regularizers or {}
    with variable_scope(scope, "BatchNorm", reuse=reuse, custom_getter=getter_of()) as current:
        tensor = convert_to_tensor(inputs)
        is_image = tensor.shape.rank == 4
        is_plain = not renorm and adjustment is None and batch_weights is None
        is_fused = fused is not False and is_plain and tensor.shape.rank in (2, 4)
        layer = WeightedBatchNormalization(
            batch_weights,
            zero_debias_moving_mean,
            1 if data_format == "NCHW" else -1,
            decay,
            epsilon,
            center,
            scale,
            **{
                f"{name}_initializer": initial.get(name, Zeros())
                for name in ("beta", "gamma", "moving_mean", "moving_variance")
            },
            beta_regularizer=losses.get("beta"),
            gamma_regularizer=losses.get("gamma"),
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            adjustment=adjustment,
            fused=is_fused,
            trainable=trainable,
            name=current.name,
            _scope=current,
            _reuse=reuse,
        )
        pending = graph.get_collection_ref(GraphKeys.UPDATE_OPS)
        before = len(pending)
        if is_fused and not is_image:
            shape = tensor.shape.as_list()
            sizes = [-1, shape[1], 1, 1] if data_format == "NCHW" else [-1, 1, 1, shape[1]]
            images = layer(array_ops.reshape(tensor, sizes), training=is_training)
            outputs = array_ops.reshape(images, array_ops.shape(tensor))
            outputs.set_shape(tensor.shape)
        else:
            outputs = layer(tensor, training=is_training)
        if updates_collections != GraphKeys.UPDATE_OPS:
            # The layer has added them to the collection of all updates.
            updates = pending[before:]
            del pending[before:]
            for update in updates:
                graph.add_to_collections(updates_collections, update)
            if not updates_collections:
                with graph.control_dependencies(updates):
                    outputs = array_ops.identity(outputs)
        for kind in ("moving_mean", "moving_variance", "beta", "gamma"):
            collect_variable(getattr(layer, kind), variables_collections, kind)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        found: Tensor = collect_named_outputs(outputs_collections, current.name, outputs)
        return found
