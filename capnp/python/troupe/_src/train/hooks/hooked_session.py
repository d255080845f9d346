"""A session of a program's own whose steps hooks are called around."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional

from troupe._src.graph.graph import Graph
from troupe._src.messages.config import RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
)  # fmt: skip


class HookedSession:
    """Adds to each step what hooks ask for, and gives them its results.

    Unlike a monitored session it neither opens nor closes the session, and calls no other methods
    of the hooks.

    Args:
        sess: The session.
        hooks: The hooks.
    """

    def __init__(self, sess: Any, hooks: Iterable[SessionRunHook]) -> None:
        self._sess = sess
        self._hooks = list(hooks)
        self._should_stop = False

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        graph: Graph = self._sess.graph
        return graph

    @property
    def sess_str(self) -> Any:
        """The target of the session."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether a hook has asked for the last step."""
        return self._should_stop or bool(getattr(self._sess, "should_stop", bool)())

    def close(self) -> None:
        """Closes the session."""
        self._sess.close()

    def run(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        """Runs a step.

        Args:
            fetches: What to compute, as of `tf.Session.run`.
            feed_dict: What to feed.
            options: The options of the step.
            run_metadata: Gets what is known of the step.

        Returns:
            The values.

        Raises:
            RuntimeError: A hook has asked for the last step, or two feed one tensor.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        wanted: List[Any] = [fetches]
        feeds = dict(feed_dict or {})
        all_options = [] if options is None else [options]
        asked = []
        for hook in self._hooks:
            added = hook.before_run(context) or SessionRunArgs(None)
            asked.append(None if added.fetches is None else len(wanted))
            if added.fetches is not None:
                wanted.append(added.fetches)
            for tensor, value in (added.feed_dict or {}).items():
                if tensor in feeds:
                    raise RuntimeError(f"{tensor!r} is fed twice, by a hook and by others")
                feeds[tensor] = value
            if added.options is not None:
                all_options.append(added.options)
        merged = RunOptions._merged(all_options)
        metadata = run_metadata or RunMetadata()
        values = self._sess.run(wanted, feeds, options=merged, run_metadata=metadata)
        for hook, place in zip(self._hooks, asked):
            results = None if place is None else values[place]
            hook.after_run(context, SessionRunValues(results, merged, metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return values[0]


_HookedSession = HookedSession  # the name at its place in TensorFlow's source
