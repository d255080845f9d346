"""Trains the networks of a model in turns, or both at once."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.gan.tuples import CycleGANModel, GANTrainOps, GANTrainSteps
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import name_scope
from troupe._src.set_module import set_module
from troupe._src.slim.learning import train_step
from troupe._src.slim.monitored_training import train
from troupe._src.slim.train_ops import create_train_op
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.hooks.session_run_hook import SessionRunContext, SessionRunHook
from troupe._src.train.sync_replicas import SyncReplicasOptimizer
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable

_ONE_EACH = GANTrainSteps(1, 1)
Hooks = Callable[[GANTrainOps], List[SessionRunHook]]


def update_ops_of(
    update_ops: Optional[Sequence[Any]], scopes: Sequence[str], check_for_unused: bool = True
) -> List[List[Any]]:
    """The updates of each scope.

    Args:
        update_ops: All updates; None for those of the collection UPDATE_OPS.
        scopes: The names of the scopes.
        check_for_unused: Whether one of no scope is an error.

    Returns:
        A list for each scope.

    Raises:
        ValueError: One is of no scope.
    """
    graph = get_default_graph()
    given = graph.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
    wanted = list(dict.fromkeys(given))
    by_scope = [graph.get_collection(GraphKeys.UPDATE_OPS, scope) for scope in scopes]
    if check_for_unused:
        unused = [each for each in wanted if not any(each in found for found in by_scope)]
        if unused:
            raise ValueError(f"There are unused update ops: {unused}")
    return [[each for each in wanted if each in found] for found in by_scope]


def gan_train_ops(
    model: Any,
    loss: Any,
    generator_optimizer: Any,
    discriminator_optimizer: Any,
    check_for_unused_update_ops: bool = True,
    is_chief: bool = True,
    **kwargs: Any,
) -> GANTrainOps:
    """What trains the networks of a model.

    Args:
        model: A model; also a `CycleGANModel`.
        loss: Its losses.
        generator_optimizer: Trains the generator.
        discriminator_optimizer: Trains the discriminator.
        check_for_unused_update_ops: Whether an update of the collection UPDATE_OPS that is in the
            scope of neither network is an error.
        is_chief: Whether this worker is the chief, which a `SyncReplicasOptimizer` must know.
        **kwargs: Further arguments of `tf.contrib.training.create_train_op`.

    Returns:
        The operations.

    Raises:
        ValueError: There are updates of neither network.
    """
    if isinstance(model, CycleGANModel):
        return _cyclegan_train_ops(
            model, loss, generator_optimizer=generator_optimizer,
            discriminator_optimizer=discriminator_optimizer,
            check_for_unused_update_ops=check_for_unused_update_ops, is_chief=is_chief, **kwargs,
        )  # fmt: skip
    counted = get_or_create_global_step().assign_add(1)
    scopes = model.generator_scope.name, model.discriminator_scope.name
    updates = update_ops_of(kwargs.pop("update_ops", None), scopes, check_for_unused_update_ops)
    hooks: List[SessionRunHook] = []
    trained = []
    for network, total, optimizer, variables, before in (
        ("generator", loss.generator_loss, generator_optimizer, model.generator_variables,
         updates[0]),
        ("discriminator", loss.discriminator_loss, discriminator_optimizer,
         model.discriminator_variables, updates[1]),
    ):  # fmt: skip
        step = None
        if isinstance(optimizer, SyncReplicasOptimizer):
            step, copied = _copied_step(f"dummy_global_step_{network}")
            before = [*before, copied]
            hooks.append(optimizer.make_session_run_hook(is_chief))
        with name_scope(f"{network}_train"):
            trained.append(
                create_train_op(
                    total, optimizer, global_step=step, update_ops=before,
                    variables_to_train=variables, **kwargs,
                )  # fmt: skip
            )
    return GANTrainOps(trained[0], trained[1], counted, hooks)


def _cyclegan_train_ops(model: CycleGANModel, loss: Any, **options: Any) -> GANTrainOps:
    with name_scope("cyclegan_x2y_train"):
        x2y = gan_train_ops(model.model_x2y, loss.loss_x2y, **options)
    with name_scope("cyclegan_y2x_train"):
        y2x = gan_train_ops(model.model_y2x, loss.loss_y2x, **options)
    return GANTrainOps(
        (x2y.generator_train_op, y2x.generator_train_op),
        (x2y.discriminator_train_op, y2x.discriminator_train_op),
        get_or_create_global_step().assign_add(1),
    )


def _copied_step(name: str) -> Tuple[Any, Any]:
    """A step of its own, which replicas count updates by, and what sets it to the global one."""
    step = get_or_create_global_step()
    copy = get_variable(
        name, shape=[], dtype=step.dtype.base_dtype, initializer=Zeros(), trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
    )  # fmt: skip
    return copy, copy.assign(step)


@set_module("troupe.contrib.gan")
class RunTrainOpsHook(SessionRunHook):
    """Runs operations some times before each step of a session.

    Args:
        train_ops: The operation, or a list or tuple of them, which run at once.
        train_steps: How often they run.
    """

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        is_several = isinstance(train_ops, (list, tuple))
        self._train_ops = train_ops if is_several else [train_ops]
        self._train_steps = train_steps

    def before_run(self, run_context: SessionRunContext) -> None:
        for _ in range(self._train_steps):
            run_context.session.run(self._train_ops)


def get_sequential_train_hooks(train_steps: GANTrainSteps = _ONE_EACH) -> Hooks:
    """The hooks of a training of the generator, and then of the discriminator, in each step.

    Args:
        train_steps: How often each is trained.

    Returns:
        A function of train ops that gives the hooks.
    """

    def hooks(train_ops: GANTrainOps) -> List[SessionRunHook]:
        return [
            RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
            RunTrainOpsHook(
                train_ops.discriminator_train_op, train_steps.discriminator_train_steps
            ),
            *train_ops.train_hooks,
        ]

    return hooks


def get_joint_train_hooks(train_steps: GANTrainSteps = _ONE_EACH) -> Hooks:
    """The hooks of a training of both networks at once in each step, as often as both are trained.

    The one that is trained more often is then trained alone.

    Args:
        train_steps: How often each is trained.

    Returns:
        A function of train ops that gives the hooks.
    """
    both = min(train_steps.generator_train_steps, train_steps.discriminator_train_steps)

    def hooks(train_ops: GANTrainOps) -> List[SessionRunHook]:
        of_generator, of_discriminator, _, more = train_ops
        return [
            RunTrainOpsHook([of_generator, of_discriminator], both),
            RunTrainOpsHook(of_generator, train_steps.generator_train_steps - both),
            RunTrainOpsHook(of_discriminator, train_steps.discriminator_train_steps - both),
            *more,
        ]

    return hooks


def gan_train(
    train_ops: GANTrainOps, logdir: Optional[str],
    get_hooks_fn: Hooks = get_sequential_train_hooks(),  # noqa: B008 - it keeps no state
    master: str = "", is_chief: bool = True, scaffold: Any = None,
    hooks: Optional[Sequence[SessionRunHook]] = None,
    chief_only_hooks: Optional[Sequence[SessionRunHook]] = None,
    save_checkpoint_secs: Optional[float] = 600, save_summaries_steps: Optional[int] = 100,
    config: Any = None,
) -> Any:  # fmt: skip
    """Trains until a hook or the inputs end the session.

    Args:
        train_ops: What trains the networks.
        logdir: The folder of checkpoints and summaries; None for none.
        get_hooks_fn: Gives the hooks that run `train_ops`.
        master: The target of the session.
        is_chief: Whether this worker initializes and saves variables.
        scaffold: How the session begins.
        hooks: Further hooks.
        chief_only_hooks: Further hooks, where it is the chief.
        save_checkpoint_secs: After how many seconds variables are saved; None for never.
        save_summaries_steps: After how many steps summaries are written; None for never.
        config: The options of the session.

    Returns:
        The last global step; None without a step.

    Raises:
        ValueError: Something is to be written without a folder.
    """
    return train(
        train_ops.global_step_inc_op, logdir, master=master, is_chief=is_chief, scaffold=scaffold,
        hooks=[*(hooks or []), *get_hooks_fn(train_ops)], chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs, save_summaries_steps=save_summaries_steps,
        config=config,
    )  # fmt: skip


def get_sequential_train_steps(
    train_steps: GANTrainSteps = _ONE_EACH,
) -> Callable[[Any, GANTrainOps, Any, Dict[str, Any]], Tuple[Any, Any]]:
    """A step of `tf.contrib.slim.learning.train` that trains one network after the other.

    Args:
        train_steps: How often each is trained.

    Returns:
        A function for the argument `train_step_fn`, where `train_op` is a `GANTrainOps`: it gives
        the sum of the losses, and whether the training ends.
    """

    def step(
        sess: Any, train_ops: GANTrainOps, global_step: Any, train_step_kwargs: Dict[str, Any]
    ) -> Tuple[Any, Any]:
        options = dict(train_step_kwargs)
        should_stop = options.pop("should_stop", None)
        total: Any = 0
        for train_op, count in (
            (train_ops.generator_train_op, train_steps.generator_train_steps),
            (train_ops.discriminator_train_op, train_steps.discriminator_train_steps),
        ):
            for _ in range(count):
                total += train_step(sess, train_op, global_step, options)[0]
        sess.run(train_ops.global_step_inc_op)
        # Asked for last, as it may depend on the global step.
        return total, False if should_stop is None else sess.run(should_stop)

    return step
