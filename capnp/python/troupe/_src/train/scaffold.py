"""Initialization of a training, and how it creates its sessions."""

from __future__ import annotations

import reprlib
from typing import Any, Callable, Dict, Optional

from troupe._src.checkpoints.saver import Saver
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.data_flow.resources import (
    initialize_resources,
    local_resources,
    shared_resources,
)
from troupe._src.lookup.initializers import tables_initializer
from troupe._src.messages.config import ConfigProto
from troupe._src.ops.grouping_ops import group
from troupe._src.platform.logging import not_obeyed
from troupe._src.representation import represent
from troupe._src.session.default_config import default_config
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import merge_all
from troupe._src.train.session_manager import SessionManager
from troupe._src.variables.variable_sets import (
    global_variables,
    global_variables_initializer,
    local_variables,
    local_variables_initializer,
    report_uninitialized_variables,
)


@set_module("troupe.train")
class Scaffold:
    """The saver of a training, and the ops that initialize a new session.

    Where variables have no value and there is no checkpoint, the chief initializes them, and then
    all that still have none. The runtime checks each variable for a value.

    Args:
        init_op: What the chief runs; None for the initializers of all variables.
        init_feed_dict: What `init_op` is fed.
        init_fn: What the chief calls with the scaffold and a session, after `init_op`. The
            attribute is a function of the session alone.
        ready_op: Gives the names of the variables that have no value; has no effect, as the runtime
            checks them.
        ready_for_local_init_op: Likewise of the global variables.
        local_init_op: Runs in each session of each worker; by default initializes all local
            variables and tables that are filled once, and makes resources that are registered,
            unless they are made.
        summary_op: What gives the summaries.
        saver: Saves and restores the checkpoints; by default a new one.
        copy_from_scaffold: Has the values of what is not given.

    Raises:
        TypeError: That is no Scaffold.
    """

    # What the chief's first session does with variables that have values: "adopt" keeps them and
    # says so in the log, "resume" keeps them, "anew" initializes all.
    _start = "adopt"

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
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        for name, value in (
            ("ready_op", ready_op), ("ready_for_local_init_op", ready_for_local_init_op)
        ):  # fmt: skip
            if value is not None:
                not_obeyed("Scaffold", name)
        self.ready_op = ready_op
        self.ready_for_local_init_op = ready_for_local_init_op
        self.summary_op = summary_op
        self.init_op = init_op
        self.init_feed_dict = init_feed_dict
        self._given_init_fn = init_fn  # a copy calls it with itself
        self.local_init_op = local_init_op
        self.saver = saver
        self._default_init_op: Optional[Operation] = None  # what finalize() makes
        if copy_from_scaffold is not None:
            for name, value in vars(copy_from_scaffold).items():
                if getattr(self, name, value) is None:
                    setattr(self, name, value)
        given = self._given_init_fn
        self.init_fn = None if given is None else lambda sess: given(self, sess)

    @reprlib.recursive_repr()  # `init_fn` may be a method of what shows the scaffold
    def __repr__(self) -> str:
        given = {key: value for key, value in vars(self).items() if not key.startswith("_")}
        return represent(self, given)

    def finalize(self) -> Scaffold:
        """Adds what was not given, unless a collection has it, and finalizes the graph.

        Returns:
            Itself.

        Raises:
            RuntimeError: A collection has several items, of which none is chosen.
        """
        default = self.get_or_default
        if self.init_op is None:
            self._default_init_op = default(
                "init_op", GraphKeys.INIT_OP, lambda: group(global_variables_initializer())
            )
            self.init_op = self._default_init_op
        if self.ready_op is None:
            self.ready_op = default(
                "ready_op", GraphKeys.READY_OP, report_uninitialized_variables
            )
        if self.ready_for_local_init_op is None:
            self.ready_for_local_init_op = self.report_op()
        if self.local_init_op is None:
            self.local_init_op = default(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op
            )
        self.with_summary_op()
        if self.saver is None:
            self.saver = default("saver", GraphKeys.SAVERS, lambda: Saver(allow_empty=True))
        self.saver.build()
        get_default_graph().finalize()
        return self

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """The item of a collection of the default graph, which is made where there is none.

        Args:
            arg_name: The argument of a scaffold that it is for.
            collection_key: The collection.
            default_constructor: Makes it.

        Returns:
            The item.

        Raises:
            RuntimeError: The collection has several.
        """
        if len(get_default_graph().get_collection(collection_key)) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                f"one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        return _get_or_create(collection_key, default_constructor)

    @staticmethod
    def default_local_init_op() -> Operation:
        """An operation that initializes all local variables, fills tables and makes resources."""
        resources = initialize_resources(shared_resources() + local_resources())
        return group(local_variables_initializer(), tables_initializer(), resources)

    def with_saver(self) -> Scaffold:
        """Adds a saver, if there are global variables, and `local_init_op`."""
        if self.saver is None and global_variables():
            self.saver = _get_or_create(GraphKeys.SAVERS, lambda: Saver(max_to_keep=5))
        return self.with_local_init_op()

    def with_local_init_op(self) -> Scaffold:
        """Adds `local_init_op`, if there are local variables, tables to fill or resources."""
        tables = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
        others = tables or shared_resources() or local_resources()
        if self.local_init_op is None and (local_variables() or others):
            self.local_init_op = _get_or_create(
                GraphKeys.LOCAL_INIT_OP, self.default_local_init_op
            )
        elif self.local_init_op is not None:
            self.local_init_op = as_operation(self.local_init_op)
        return self

    def takes_own_local_init(self) -> bool:
        """True if `local_init_op` is not the one of all programs, so that it may use variables."""
        own = get_default_graph().get_collection(GraphKeys.LOCAL_INIT_OP)
        return self.local_init_op is not None and all(self.local_init_op is not op for op in own)

    def with_init_op(self) -> Scaffold:
        """Adds `init_op`, which initializes all variables."""
        if self.init_op is None:
            self.init_op = self.get_or_default(
                "init_op", GraphKeys.INIT_OP, lambda: group(global_variables_initializer())
            )
        return self

    def with_summary_op(self) -> Scaffold:
        """Adds `summary_op`, which merges all summaries, if there are any."""
        if self.summary_op is None and get_default_graph().get_collection(GraphKeys.SUMMARIES):
            self.summary_op = _get_or_create(GraphKeys.SUMMARY_OP, merge_all)
        return self

    def report_op(self) -> Tensor:
        """A tensor of the names of the global variables that have no value."""
        names: Tensor = _get_or_create(
            GraphKeys.READY_FOR_LOCAL_INIT_OP,
            lambda: report_uninitialized_variables(global_variables()),
        )
        return names

    @property
    def initializes(self) -> bool:
        """True if it runs more than the initializers of variables."""
        has_own = self.init_op is not None and self.init_op is not self._default_init_op
        return has_own or self.init_fn is not None

    def initialize(self, session: Any) -> None:
        """Runs `init_op`, and calls `init_fn`.

        Args:
            session: The session.
        """
        if self.init_op is not None:
            session.run(self.init_op, self.init_feed_dict)
        if self.init_fn is not None:
            self.init_fn(session)


def as_operation(op: Any) -> Operation:
    """The operation that runs an op, a name of one, or all of a list of them."""
    if isinstance(op, (list, tuple)):
        return group(*[as_operation(each) for each in op])
    element = get_default_graph().as_graph_element(op)
    return element if isinstance(element, Operation) else element.op


def _get_or_create(key: str, make: Callable[[], Any]) -> Any:
    """The item of a collection of the default graph, created once.

    So a finalized graph can be used for another training.
    """
    collection = get_default_graph().get_collection_ref(key)
    if not collection:
        collection.append(make())
    return collection[0]


@set_module("troupe.train")
class SessionCreator:
    """The target of a training's sessions, and whether it is the chief.

    A monitored session has the runtime open its sessions, unless a class of the program's own has
    another `create_session`.

    Args:
        master: A node of a cluster, "troupe://host:port"; "" for this process.
        config: The options of the session.
        is_chief: Whether it initializes or restores variables; others wait for the chief.
        checkpoint_dir: The folder of checkpoints, whose latest one is restored.
        max_wait_secs: How long a worker waits for the chief, in seconds.
        scaffold: Initializes the variables; by default a new one.
        checkpoint_filename_with_path: The checkpoint that is restored, where the folder has none.
    """

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
        self._master = master
        self._config = config or default_config()
        self._is_chief = is_chief
        self._checkpoint_dir = checkpoint_dir
        self._max_wait_secs = max_wait_secs
        self._scaffold = scaffold or Scaffold()
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Finalizes the graph, and opens a session in which the variables have values.

        A chief restores or initializes them; others wait for it.

        Returns:
            The session.

        Raises:
            OpError: No session can be opened, or it cannot be initialized.
        """
        scaffold = self._scaffold.finalize()
        manager = self._get_session_manager()
        if not self._is_chief:
            return manager.wait_for_session(self._master, self._config, self._max_wait_secs)
        return manager.prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )

    def _get_session_manager(self) -> SessionManager:
        # The name is that of TensorFlow, which classes that create sessions otherwise call.
        scaffold = self._scaffold
        return SessionManager(
            local_init_op=scaffold.local_init_op,
            ready_op=scaffold.ready_op,
            ready_for_local_init_op=scaffold.ready_for_local_init_op,
        )

    @property
    def _initializes(self) -> bool:
        """True if the chief runs more than the initializers of variables in a new cluster."""
        has_more = self._checkpoint_filename_with_path or self._scaffold.initializes
        return self._is_chief and bool(has_more)

    @property
    def _restores(self) -> bool:
        """True if variables may be restored from a checkpoint."""
        return bool(self._checkpoint_dir or self._checkpoint_filename_with_path)


def creates_sessions(creator: Any) -> bool:
    """Whether a class of the program's own creates the sessions, in place of the runtime."""
    create = creator.create_session
    return getattr(create, "__func__", None) is not SessionCreator.create_session


@set_module("troupe.train")
class ChiefSessionCreator(SessionCreator):
    """Creates sessions of the chief, which initializes or restores the variables.

    Args:
        scaffold: Initializes the variables; by default a new one.
        master: A node of a cluster, "troupe://host:port"; "" for this process.
        config: The options of the session.
        checkpoint_dir: The folder of checkpoints, whose latest one is restored.
        checkpoint_filename_with_path: The checkpoint that is restored, where the folder has none.
    """

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


@set_module("troupe.train")
class WorkerSessionCreator(SessionCreator):
    """Creates sessions of a worker, which waits for the chief.

    Args:
        scaffold: Initializes the variables; by default a new one.
        master: A node of a cluster, "troupe://host:port"; "" for this process.
        config: The options of the session.
        max_wait_secs: How long it waits for the chief, in seconds.
    """

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
