"""A training in sessions that the runtime opens, and opens again where a task is lost."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List

from troupe import _native
from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.session.listed_cards import without_absent_cards
from troupe._src.train.hooks.hook_adapter import Training, runtime_hook
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.scaffold import SessionCreator
from troupe._src.train.session_threads import RunLocalInit


def open_training(
    creator: SessionCreator,
    hooks: List[SessionRunHook],
    training: Training,
    explain: Callable[[Any], None],
) -> Any:
    """Finalizes the graph, and has the runtime open the first session.

    Args:
        creator: Says where, and how variables get their values.
        hooks: What is called around the steps.
        training: What the monitored session and its hooks share.
        explain: Called after each step that failed; may raise the reason.

    Returns:
        The runtime's training.

    Raises:
        OpError: No session can be opened.
    """
    graph, scaffold = training.graph, creator._scaffold
    scaffold = scaffold.with_saver() if creator._restores else scaffold.with_local_init_op()
    if graph._has_imported_variables:  # which the runtime neither initializes nor restores
        scaffold.with_init_op()
    folder = creator._checkpoint_dir
    saver = None if folder is None else scaffold.saver
    if saver is not None:
        saver.build()  # hooks may have added variables
    has_unknown = graph._has_imported_variables or (saver is not None and saver._runs_named_nodes)
    is_native = saver is not None and not has_unknown
    restores_latest = creator._is_chief and saver is not None and not is_native
    initializes = creator._initializes or restores_latest
    options: Dict[str, Any] = {
        "is_chief": creator._is_chief,
        "give_up_after_ms": int(creator._max_wait_secs * 1000),
        "initialize": _Initialization(creator, training, restores_latest),
        "explain": explain,
        # Of its own initialization it cannot be told whether values were there before.
        "start": "resume" if initializes else scaffold._start,
        "initializers": {name: op._value() for name, op in graph._replaced_initializers.items()},
    }
    if initializes:
        scaffold.report_op()
    if scaffold.takes_own_local_init():
        hooks = [RunLocalInit(scaffold.local_init_op), *hooks]
    elif scaffold.local_init_op is not None:
        options["local_init"] = [graph.as_graph_element(scaffold.local_init_op).name]
    if folder is not None and saver is not None and is_native:
        options["saver"] = saver._native
        options["checkpoint_folder"] = os.fspath(folder)
    native_hooks = [runtime_hook(hook, training) for hook in hooks]
    training.target = creator._master
    target = without_absent_cards(creator._config._for_session(creator._master))
    with graph._lock, graph.control_dependencies(None), graph.device(None):
        builder = graph._builder_for("VarIsInitializedOp", "")
        graph.finalize()
        return _native.begin_training(builder, training.host, target, options, native_hooks)


class _Initialization:
    """The chief's own initialization of a new session.

    Called before the runtime restores or initializes lost variables.
    """

    def __init__(self, creator: SessionCreator, training: Training, restores_latest: bool) -> None:
        self._creator, self._training = creator, training
        self._restores_latest = restores_latest

    def __call__(self, native: Any) -> None:
        session, creator = self._training.session_of(native), self._creator
        scaffold, path = creator._scaffold, creator._checkpoint_filename_with_path
        latest = creator._checkpoint_dir and latest_checkpoint(creator._checkpoint_dir)
        if latest and self._restores_latest:
            path = latest
        elif latest or not creator._initializes:
            return
        with self._training.graph.as_default(), session.as_default():
            if len(session.run(scaffold.report_op())) == 0:
                return
            if path and scaffold.saver is not None:
                scaffold.saver.restore(session, path)
            else:
                scaffold.initialize(session)
