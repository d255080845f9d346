"""Sessions that survive the tasks that they run on."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Type

from troupe import _native, errors, logging
from troupe._config import NO_STEP_OPTIONS, ConfigProto, RunMetadata, RunOptions
from troupe._fetch import plan_fetches, to_feeds
from troupe._graph import Graph, get_default_graph
from troupe._process import check_not_forked, end_with_program, note_threads
from troupe._session import BaseSession
from troupe.train.hooks import CheckpointSaverHook, SessionRunHook, StepCounterHook
from troupe.train.saver import Saver


class Scaffold:
    """What a training needs of its graph: a saver, and ops to run in each session."""

    def __init__(self, saver: Optional[Saver] = None, local_init_op: Any = None) -> None:
        self.saver = saver
        self.local_init_op = local_init_op

    def finalize(self) -> Scaffold:
        """With a saver, where it has none and there is something to save."""
        if self.saver is None and get_default_graph()._root.variables():
            self.saver = Saver(max_to_keep=5)
        return self


class SessionCreator(NamedTuple):
    """On which node a training opens its sessions, and as what."""

    master: str = ""
    config: Optional[ConfigProto] = None
    is_chief: bool = True
    checkpoint_dir: Optional[str] = None
    max_wait_secs: float = 7200


class MonitoredSession:
    """A session that is opened anew when a task is lost, after which the step is run again.

    The chief gives variables values: those that are lost from the latest checkpoint, or by their
    initializers where there is none. All others wait for that. Use it as a context, with
    `while not sess.should_stop(): sess.run(...)` within.
    """

    def __init__(
        self,
        session_creator: Optional[SessionCreator] = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        scaffold: Optional[Scaffold] = None,
    ) -> None:
        creator = session_creator or SessionCreator()
        note_threads()
        self._pid = os.getpid()
        self._graph = get_default_graph()
        self._native: Any = self._begin(creator, list(hooks or []), scaffold or Scaffold())
        end_with_program(self)

    def _begin(
        self, creator: SessionCreator, hooks: List[SessionRunHook], scaffold: Scaffold
    ) -> Any:
        graph = self._graph
        for hook in hooks:
            hook.begin()
        host = _native.make_host(logging.info)
        options: Dict[str, Any] = {
            "is_chief": creator.is_chief,
            "give_up_after_ms": int(creator.max_wait_secs * 1000),
        }
        if scaffold.local_init_op is not None:
            options["local_init"] = [graph.as_graph_element(scaffold.local_init_op).name]
        if scaffold.saver is not None and creator.checkpoint_dir is not None:
            options["saver"] = scaffold.saver._native
            options["checkpoint_folder"] = os.fspath(creator.checkpoint_dir)
        native_hooks = [hook._native_hook(graph, host) for hook in hooks]
        target = (creator.config or ConfigProto())._for_session(creator.master)
        with graph._lock, graph.control_dependencies(None), graph.device(None):
            builder = graph._builder_for("VarIsInitializedOp", "")
            training = _native.begin_training(builder, host, target, options, native_hooks)
        graph.finalize()
        return training

    @property
    def graph(self) -> Graph:
        return self._graph

    def run(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        """A step, with what the hooks add to it. One that was lost with a task is run again."""
        check_not_forked(self._pid)
        if run_metadata is not None:
            raise NotImplementedError("a monitored session gives no metadata of its steps")
        if self._native is None:
            raise RuntimeError("Run called even after the session was closed.")
        if self._native.should_stop:
            raise RuntimeError("Run called even after should_stop requested.")
        plan = plan_fetches(self._graph, fetches)
        feeds = to_feeds(self._graph, feed_dict)
        step_options = options._for_step() if options else NO_STEP_OPTIONS
        try:
            values = self._native.run(feeds, plan.names, plan.targets, step_options)
        except errors.OpError as error:
            raise BaseSession._located(self, error)  # type: ignore[arg-type]
        return plan.answer(values)

    def run_step_fn(self, step_fn: Callable[[Any], Any]) -> Any:
        """Calls the function with an object whose `run_with_hooks` is `run`."""
        return step_fn(_StepContext(self))

    def should_stop(self) -> bool:
        """True once a hook, the program or an error has ended the training."""
        return self._native is None or bool(self._native.should_stop)

    def request_stop(self) -> None:
        if self._native is not None:
            self._native.request_stop()

    def close(self) -> None:
        """Ends the hooks, and closes the session."""
        native, self._native = self._native, None
        if native is not None:
            check_not_forked(self._pid)
            native.close()

    def _end_with_program(self) -> None:
        self._native = None

    def __enter__(self) -> MonitoredSession:
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> bool:
        # The end of the data is no fault.
        if exc_type is None or issubclass(exc_type, (errors.OutOfRangeError, StopIteration)):
            self.close()
            return True
        self._native = None
        return False


class _StepContext:
    def __init__(self, session: MonitoredSession) -> None:
        self.session = session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.run(*args, **kwargs)

    def request_stop(self) -> None:
        self.session.request_stop()


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Optional[str] = None,
    scaffold: Optional[Scaffold] = None,
    hooks: Optional[Sequence[SessionRunHook]] = None,
    chief_only_hooks: Optional[Sequence[SessionRunHook]] = None,
    save_checkpoint_secs: Optional[float] = None,
    save_summaries_steps: Any = None,
    save_summaries_secs: Any = None,
    config: Optional[ConfigProto] = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: Optional[int] = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Optional[int] = None,
    **_: Any,
) -> MonitoredSession:
    """A MonitoredSession with the usual hooks: the chief saves checkpoints and counts steps."""
    from troupe.train.step import get_global_step

    scaffold = scaffold or Scaffold()
    all_hooks = list(hooks or [])
    if is_chief:
        all_hooks += list(chief_only_hooks or [])
        if log_step_count_steps and get_global_step() is not None:
            all_hooks.append(StepCounterHook(every_n_steps=log_step_count_steps))
        if checkpoint_dir is not None:
            scaffold.finalize()
            if save_checkpoint_secs is None and save_checkpoint_steps is None:
                save_checkpoint_secs = 600
            if (save_checkpoint_secs or save_checkpoint_steps) and scaffold.saver is not None:
                os.makedirs(checkpoint_dir, exist_ok=True)
                saving = CheckpointSaverHook(
                    checkpoint_dir,
                    save_checkpoint_secs if save_checkpoint_steps is None else None,
                    save_checkpoint_steps,
                    saver=scaffold.saver,
                )
                all_hooks.append(saving)
    creator = SessionCreator(master, config, is_chief, checkpoint_dir, max_wait_secs)
    return MonitoredSession(creator, all_hooks, scaffold)
