"""Trains a model by steps of a Supervisor's session."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from troupe._src.checkpoints.saver import Saver
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.lookup.initializers import tables_initializer
from troupe._src.messages.config import RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.messages.timeline import Timeline
from troupe._src.ops import gen_ops, grouping_ops
from troupe._src.ops.arithmetic_ops import equal
from troupe._src.ops.convert import constant
from troupe._src.platform import gfile, logging
from troupe._src.slim.train_ops import (
    USE_GLOBAL_STEP,
    add_gradients_summaries,
    clip_gradient_norms,
    make_train_op,
    multiply_gradients,
)
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.optimizer import Optimizer
from troupe._src.train.supervisor import Supervisor
from troupe._src.train.sync_replicas import SyncReplicasOptimizer
from troupe._src.types import errors
from troupe._src.variables.variable_sets import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)

_DEFAULT: Any = 0  # as in TensorFlow


def add_gradient_summaries(grads_and_vars: Any) -> Any:
    """A histogram and the length of each gradient, under the name of its variable.

    Args:
        grads_and_vars: Pairs of a gradient, or None, and its variable.

    Returns:
        The summaries.
    """
    return add_gradients_summaries(grads_and_vars, joined_by="/")


def create_train_op(
    total_loss: Tensor, optimizer: Any, global_step: Any = USE_GLOBAL_STEP,
    update_ops: Optional[Sequence[Any]] = None,
    variables_to_train: Optional[Sequence[Any]] = None, clip_gradient_norm: float = 0,
    summarize_gradients: bool = False, gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Optional[int] = None, colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Optional[Dict[Any, Any]] = None, check_numerics: bool = True,
) -> Tensor:  # fmt: skip
    """A tensor that is the loss after the optimizer and the updates have run.

    Args:
        total_loss: The loss.
        optimizer: What computes and applies gradients.
        global_step: The variable that counts steps; by default that of the graph, which is made
            where there is none; None for none.
        update_ops: What runs before the loss is computed; None for the collection UPDATE_OPS.
        variables_to_train: The variables; None for those that are trained by default.
        clip_gradient_norm: The length that each gradient is shortened to; 0 for none.
        summarize_gradients: Whether there is a summary of each gradient.
        gate_gradients: As that of `Optimizer.compute_gradients`.
        aggregation_method: Likewise.
        colocate_gradients_with_ops: Likewise.
        gradient_multipliers: {variable, or its name: factor of its gradient}.
        check_numerics: Whether a loss that is no number is an error.

    Returns:
        The tensor, which is also in the collection TRAIN_OP.
    """

    def transform(pairs: Any) -> Any:
        graph = get_default_graph()
        if gradient_multipliers:
            with graph.name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with graph.name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    return make_train_op(
        total_loss, optimizer, global_step, update_ops, variables_to_train, transform,
        add_gradient_summaries if summarize_gradients else None, check_numerics,
        gate_gradients=gate_gradients, aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )  # fmt: skip


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Dict[str, Any]
) -> Tuple[Any, Any]:
    """One step, and whether it is the last one.

    Args:
        sess: The session.
        train_op: What trains, and gives the loss.
        global_step: The variable that counts steps.
        train_step_kwargs: Tensors "should_stop", "should_log" and "should_trace", each of them
            may be missing; with the last one also "logdir", and perhaps a "summary_writer".

    Returns:
        The loss, and whether the training ends.

    Raises:
        ValueError: There is "should_trace" without "logdir".
    """
    begin = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError(
                "logdir must be present in train_step_kwargs when should_trace is present"
            )
        if sess.run(train_step_kwargs["should_trace"]):
            options, metadata = RunOptions(trace_level=RunOptions.FULL_TRACE), RunMetadata()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    seconds = time.time() - begin
    if metadata is not None:
        _write_trace(metadata, step, train_step_kwargs)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, seconds)
    stop = train_step_kwargs.get("should_stop")
    return loss, False if stop is None else sess.run(stop)


def _write_trace(metadata: RunMetadata, step: int, options: Dict[str, Any]) -> None:
    path = os.path.join(options["logdir"], f"tf_trace-{step}.json")
    logging.info("Writing trace to %s", path)
    with gfile.GFile(path, "w") as file:
        file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
    if options.get("summary_writer") is not None:
        options["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")


def train(
    train_op: Any, logdir: Optional[str], train_step_fn: Callable[..., Any] = train_step,
    train_step_kwargs: Any = _DEFAULT, log_every_n_steps: int = 1, graph: Optional[Graph] = None,
    master: str = "", is_chief: bool = True, global_step: Any = None,
    number_of_steps: Optional[int] = None, init_op: Any = _DEFAULT, init_feed_dict: Any = None,
    local_init_op: Any = _DEFAULT, init_fn: Optional[Callable[[Any], Any]] = None,
    ready_op: Any = _DEFAULT, summary_op: Any = _DEFAULT, save_summaries_secs: float = 600,
    summary_writer: Any = _DEFAULT, startup_delay_steps: int = 0, saver: Any = None,
    save_interval_secs: float = 600, sync_optimizer: Any = None, session_config: Any = None,
    session_wrapper: Optional[Callable[[Any], Any]] = None,
    trace_every_n_steps: Optional[int] = None, ignore_live_threads: bool = False,
) -> Any:  # fmt: skip
    """Trains until a number of steps is reached, or the inputs end.

    Args:
        train_op: What trains, and gives the loss, as of `create_train_op`.
        logdir: The folder of checkpoints and summaries; None for none.
        train_step_fn: Is called with the session, `train_op`, the global step and
            `train_step_kwargs` for each step; gives the loss, and whether it was the last one.
        train_step_kwargs: What it is given; by default the tensors that `train_step` uses.
        log_every_n_steps: After how many steps the loss is logged; 0 for never.
        graph: The graph, by default the default one.
        master: The target of the session.
        is_chief: Whether this worker initializes and saves variables.
        global_step: The variable that counts steps, by default that of the graph.
        number_of_steps: The global step at which the training ends; None for no end.
        init_op: What initializes variables, by default all.
        init_feed_dict: What it is fed.
        local_init_op: What initializes local variables and tables, by default all.
        init_fn: Is called with the session after `init_op`.
        ready_op: Has no effect.
        summary_op: What gives the summaries, by default all merged; None for none.
        save_summaries_secs: After how many seconds they are written.
        summary_writer: What writes them, by default to the folder; None for nothing.
        startup_delay_steps: The global step for which a worker that is no chief waits.
        saver: What saves variables, by default a new one.
        save_interval_secs: After how many seconds variables are saved.
        sync_optimizer: A `SyncReplicasOptimizer`, or a list of them.
        session_config: The options of the session.
        session_wrapper: Is given the session, and gives what is used instead.
        trace_every_n_steps: After how many steps one is traced, into a file; None for never.
        ignore_live_threads: Whether threads that do not end are no error.

    Returns:
        The last loss.

    Raises:
        ValueError: There is no `train_op`, something is to be written without a folder, the number
            of steps is not above 0, or a worker waits although replicas are synchronous.
    """
    given = dict(locals())
    if isinstance(sync_optimizer, SyncReplicasOptimizer):
        given["sync_optimizer"] = [sync_optimizer]
    _check(given)
    with (graph or get_default_graph()).as_default() as current:
        started, step_kwargs = _built(given)
        wanted = given["summary_op"]
        supervisor = Supervisor(
            graph=current, is_chief=is_chief, logdir=logdir, init_op=given["init_op"],
            init_feed_dict=init_feed_dict, local_init_op=given["local_init_op"],
            ready_op=given["ready_op"],
            summary_op=summary_ops.merge_all() if _is_default(wanted) else wanted,
            summary_writer=Supervisor.USE_DEFAULT if _is_default(summary_writer) else (
                summary_writer
            ),
            global_step=given["global_step"], saver=given["saver"],
            save_summaries_secs=save_summaries_secs, save_model_secs=save_interval_secs,
            init_fn=init_fn,
        )  # fmt: skip
    if summary_writer is not None:
        step_kwargs["summary_writer"] = supervisor.summary_writer
    while True:
        try:
            return _trained(supervisor, given, started, step_kwargs)
        except errors.AbortedError:
            logging.info("Retrying training!")


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and value == 0


def _check(given: Dict[str, Any]) -> None:
    if given["train_op"] is None:
        raise ValueError("train_op cannot be None.")
    if given["logdir"] is None:
        unused = {"saver": None, "trace_every_n_steps": None}
        named = [name for name, value in unused.items() if given[name] is not value]
        if not _is_default(given["summary_op"]):
            named.insert(0, "summary_op")
        if named:
            raise ValueError(f"Cannot provide {named[0]} because logdir=None")
    if given["sync_optimizer"] is not None:
        if given["startup_delay_steps"] > 0:
            raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
        if not all(isinstance(each, SyncReplicasOptimizer) for each in given["sync_optimizer"]):
            raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
    if given["number_of_steps"] is not None and given["number_of_steps"] <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


def _built(given: Dict[str, Any]) -> Tuple[Any, Dict[str, Any]]:
    """Adds what is missing to the graph; the tokens of replicas, and the arguments of steps."""
    graph = get_default_graph()
    if given["global_step"] is None:
        given["global_step"] = get_or_create_global_step()
    given["saver"] = given["saver"] or Saver()
    with graph.name_scope("init_ops"):
        if _is_default(given["init_op"]):
            given["init_op"] = global_variables_initializer()
        if _is_default(given["ready_op"]):
            given["ready_op"] = report_uninitialized_variables()
        if _is_default(given["local_init_op"]):
            given["local_init_op"] = grouping_ops.group(
                local_variables_initializer(), tables_initializer()
            )
        if given["sync_optimizer"] is not None:
            local = given["local_init_op"]
            with graph.control_dependencies([] if local is None else [local]):
                kind = "chief_init_op" if given["is_chief"] else "local_step_init_op"
                own = [getattr(each, kind) for each in given["sync_optimizer"]]
                given["local_init_op"] = grouping_ops.group(*own, *([local] if local else []))
    started = None
    if given["is_chief"] and given["sync_optimizer"] is not None:
        tokens = [each.get_init_tokens_op() for each in given["sync_optimizer"]]
        runners = [each.get_chief_queue_runner() for each in given["sync_optimizer"]]
        started = tokens, runners
    step_kwargs = given["train_step_kwargs"]
    return started, _step_kwargs(given) if _is_default(step_kwargs) else step_kwargs


def _step_kwargs(given: Dict[str, Any]) -> Dict[str, Any]:
    step, count = given["global_step"], given["number_of_steps"]

    def is_every(steps: int) -> Tensor:
        return equal(gen_ops.floormod(step, steps), 0)

    with get_default_graph().name_scope("train_step"):
        stop = gen_ops.greater_equal(step, count) if count else constant(False)
        found: Dict[str, Any] = {"should_stop": stop}
        if given["log_every_n_steps"] > 0:
            found["should_log"] = is_every(given["log_every_n_steps"])
        if given["is_chief"] and given["trace_every_n_steps"] is not None:
            found["should_trace"] = is_every(given["trace_every_n_steps"])
            found["logdir"] = given["logdir"]
    return found


def _trained(
    supervisor: Supervisor, given: Dict[str, Any], started: Any, step_kwargs: Dict[str, Any]
) -> Any:
    """Trains in one session; the last loss."""
    step, loss = given["global_step"], None
    with supervisor.managed_session(
        given["master"], start_standard_services=False, config=given["session_config"]
    ) as session:
        logging.info("Starting Session.")
        if given["session_wrapper"] is not None:
            session = given["session_wrapper"](session)
        if given["is_chief"] and given["logdir"]:
            supervisor.start_standard_services(session)
        elif not given["is_chief"] and given["startup_delay_steps"] > 0:
            wanted = min(given["startup_delay_steps"], given["number_of_steps"] or sys.maxsize)
            while session.run(step) < wanted:
                time.sleep(1.0)
        threads = supervisor.start_queue_runners(session)
        logging.info("Starting Queues.")
        if started is not None:
            supervisor.start_queue_runners(session, started[1])
            session.run(started[0])
        try:
            while not supervisor.should_stop():
                loss, is_last = given["train_step_fn"](
                    session, given["train_op"], step, step_kwargs
                )
                if is_last:
                    logging.info("Stopping Training.")
                    supervisor.request_stop()
        except errors.OutOfRangeError as error:
            logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
        if given["logdir"] and given["is_chief"]:
            logging.info("Finished training! Saving model to disk.")
            saver: Any = supervisor.saver
            saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
            supervisor.stop(
                threads,
                close_summary_writer=True,
                ignore_live_threads=given["ignore_live_threads"],
            )
    return loss
