"""What a training needs of its graph, and how it opens its sessions."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._config import ConfigProto
from troupe._elements import Tensor
from troupe._graph import get_default_graph
from troupe._graph_keys import GraphKeys
from troupe._variable_sets import (
    global_variables,
    local_variables,
    local_variables_initializer,
    report_uninitialized_variables,
)
from troupe.train.saver import Saver


class Scaffold:
    """What a training needs of its graph: a saver, and what to run in a new session.

    Where variables have no value and there is no checkpoint, the chief runs `init_op` with its
    feeds and calls `init_fn(scaffold, session)`; what has no value then gets its first one.
    `local_init_op`, by default that of all local variables, is run in each session by everyone.
    Which variables are ready is asked of each, so `ready_op` and its like are not needed.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Optional[Dict[Any, Any]] = None,
        init_fn: Optional[Callable[[Scaffold, Any], Any]] = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Optional[Saver] = None,
        copy_from_scaffold: Optional[Scaffold] = None,
    ) -> None:
        self.init_op = init_op
        self.init_feed_dict = init_feed_dict
        self.init_fn = init_fn
        self.local_init_op = local_init_op
        self.saver = saver
        if copy_from_scaffold is not None:
            for name, value in vars(copy_from_scaffold).items():
                if getattr(self, name) is None:
                    setattr(self, name, value)

    def finalize(self) -> Scaffold:
        """With a saver, where it has none and there is something to save, and local_init_op."""
        if self.saver is None and global_variables():
            self.saver = _made_once(GraphKeys.SAVERS, lambda: Saver(max_to_keep=5))
        return self.with_local_init_op()

    def with_local_init_op(self) -> Scaffold:
        """With that, where it has none and there is something for it."""
        if self.local_init_op is None and local_variables():
            self.local_init_op = _made_once(GraphKeys.LOCAL_INIT_OP, local_variables_initializer)
        return self

    def report_op(self) -> Tensor:
        """The names of the global variables that have no value."""
        made: Tensor = _made_once(
            GraphKeys.READY_OP, lambda: report_uninitialized_variables(global_variables())
        )
        return made

    @property
    def initializes(self) -> bool:
        """True where more is to be run than the variables' initializers."""
        return self.init_op is not None or self.init_fn is not None

    def initialize(self, session: Any) -> None:
        if self.init_op is not None:
            session.run(self.init_op, self.init_feed_dict)
        if self.init_fn is not None:
            self.init_fn(self, session)


def _made_once(key: str, make: Callable[[], Any]) -> Any:
    """What the graph's collection has, so that a finalized graph can be trained again."""
    collection = get_default_graph().get_collection_ref(key)
    if not collection:
        collection.append(make())
    return collection[0]


class SessionCreator:
    """On which node a training opens its sessions, and as what."""

    def __init__(
        self,
        master: str = "",
        config: Optional[ConfigProto] = None,
        is_chief: bool = True,
        checkpoint_dir: Optional[str] = None,
        max_wait_secs: float = 7200,
        scaffold: Optional[Scaffold] = None,
        checkpoint_filename_with_path: Optional[str] = None,
    ) -> None:
        self.master = master
        self.config = config or ConfigProto()
        self.is_chief = is_chief
        self.checkpoint_dir = checkpoint_dir
        self.max_wait_secs = max_wait_secs
        self.scaffold = scaffold or Scaffold()
        self.checkpoint_filename_with_path = checkpoint_filename_with_path

    @property
    def initializes(self) -> bool:
        """True where it does more in a new cluster than to run the variables' initializers."""
        has_more = self.checkpoint_filename_with_path or self.scaffold.initializes
        return self.is_chief and bool(has_more)

    @property
    def restores(self) -> bool:
        """True where variables may come from a checkpoint."""
        return bool(self.checkpoint_dir or self.checkpoint_filename_with_path)


class ChiefSessionCreator(SessionCreator):
    """As the one that gives variables their values."""

    def __init__(
        self,
        scaffold: Optional[Scaffold] = None,
        master: str = "",
        config: Optional[ConfigProto] = None,
        checkpoint_dir: Optional[str] = None,
        checkpoint_filename_with_path: Optional[str] = None,
    ) -> None:
        super().__init__(
            master,
            config,
            checkpoint_dir=checkpoint_dir,
            scaffold=scaffold,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )


class WorkerSessionCreator(SessionCreator):
    """As one that waits for the chief."""

    def __init__(
        self,
        scaffold: Optional[Scaffold] = None,
        master: str = "",
        config: Optional[ConfigProto] = None,
        max_wait_secs: float = 1800,
    ) -> None:
        super().__init__(
            master, config, is_chief=False, max_wait_secs=max_wait_secs, scaffold=scaffold
        )
