"""A session of a program's own whose steps hooks are called around."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Tuple

from troupe._src.graph.graph import Graph
from troupe._src.messages.config import RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.session.fetch import plan_fetches, to_feeds
from troupe._src.train.hooks.hook_adapter import HookAdapter, Training
from troupe._src.train.hooks.session_run_hook import SessionRunArgs, SessionRunHook
from troupe._src.types import errors


class HookedSteps:
    """Adds to each step what hooks ask for, and gives them its results."""

    def __init__(self, hooks: Iterable[SessionRunHook], training: Training) -> None:
        self._training = training
        self.adapters = [HookAdapter(hook, training) for hook in hooks]
        self.should_stop = False

    def run(
        self, native: Any, feeds: Any, names: List[str], targets: List[str]
    ) -> Tuple[Any, Any]:
        """Runs a step in a session of the runtime; its options are in the training.

        Returns:
            The values of the names, and what is known of the step.

        Raises:
            RuntimeError: A tensor is fed twice.
        """
        all_feeds, all_names, all_targets = list(feeds), list(names), list(targets)
        ends = [len(all_names)]
        for adapter in self.adapters:
            request = adapter.before_run(native, names)
            if request is not None:
                self._add_feeds(all_feeds, request[0])
                all_names += request[1]
                all_targets += request[2]
            ends.append(len(all_names))
        options = RunOptions._merged(self._training.run_options.values())._for_step()
        values, metadata = native.run(all_feeds, all_names, all_targets, options)
        for adapter, begin, end in zip(self.adapters, ends, ends[1:]):
            stops = adapter.after_run(native, values[begin:end], metadata)
            self.should_stop = self.should_stop or stops
        return values[: ends[0]], metadata

    @staticmethod
    def _add_feeds(feeds: List[Any], added: Any) -> None:
        known = {(feed[0], feed[2]) for feed in feeds}
        for feed in added:
            if (feed[0], feed[2]) in known:
                raise RuntimeError(f"{feed[0]!r} is fed twice, by a hook and by others")
            feeds.append(feed)


class HookedSession:
    """A session with hooks around its steps.

    Unlike a monitored session it neither opens nor closes the session, and calls no other methods
    of the hooks.

    Args:
        sess: A tf.Session.
        hooks: The hooks.
    """

    def __init__(self, sess: Any, hooks: Iterable[SessionRunHook]) -> None:
        self._sess = sess
        self._training = Training(sess.graph)
        self._steps = HookedSteps(hooks, self._training)

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        return self._training.graph

    @property
    def sess_str(self) -> Any:
        """The target of the session."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether a hook has asked for the last step."""
        return self._steps.should_stop

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
        """Runs a step; as `tf.Session.run`.

        Raises:
            RuntimeError: A hook has asked for the last step, or two feed one tensor.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        plan, feeds = plan_fetches(self.graph, fetches), to_feeds(self.graph, feed_dict)
        self._training.args = SessionRunArgs(fetches, feed_dict, options)
        self._training.step_options(options)
        try:
            values, metadata = self._steps.run(
                self._sess._ready(), feeds, plan.names, plan.targets
            )
        except errors.OpError as error:
            raise self._sess._located(error)
        if run_metadata is not None:
            run_metadata._fill(metadata)
        return plan.results(values)


_HookedSession = HookedSession  # the name at its place in TensorFlow's source
