"""Steps that tasks of asyncio await."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from troupe import _native, errors
from troupe._config import NO_STEP_OPTIONS, RunOptions
from troupe._fetch import Plan, plan_fetches, to_feeds

if TYPE_CHECKING:
    from troupe._session import BaseSession


class Awaiting:
    """The steps of one session that one event loop awaits."""

    def __init__(self, session: BaseSession, loop: asyncio.AbstractEventLoop) -> None:
        self._session = session
        self._loop = loop
        self._native = _native.Completions(session._ready())
        self._tokens = itertools.count(1)
        self._awaited: Dict[int, Tuple[asyncio.Future[Any], Plan]] = {}

    async def run(
        self, fetches: Any, feed_dict: Optional[Dict[Any, Any]], options: Optional[RunOptions]
    ) -> Any:
        self._session._ready()
        plan = plan_fetches(self._session.graph, fetches)
        feeds = to_feeds(self._session.graph, feed_dict)
        step_options = options._for_step() if options else NO_STEP_OPTIONS
        token = next(self._tokens)
        future: asyncio.Future[Any] = self._loop.create_future()
        if not self._awaited:
            self._loop.add_reader(self._native.descriptor, self._take)
        self._awaited[token] = (future, plan)
        try:
            self._native.start(token, feeds, plan.names, plan.targets, step_options)
            return await future
        except asyncio.CancelledError:
            self._native.cancel(token)
            raise
        finally:
            self._awaited.pop(token, None)
            if not self._awaited:
                self._loop.remove_reader(self._native.descriptor)

    def _take(self) -> None:
        for token, values, error in self._native.take():
            future, plan = self._awaited.get(token, (None, None))
            if future is None or plan is None or future.done():
                continue
            if error is None:
                future.set_result(plan.answer(values))
            elif isinstance(error, errors.OpError):
                future.set_exception(self._session._located(error))
            else:
                future.set_exception(error)


def awaiting_of(session: BaseSession) -> Awaiting:
    """The one of the running event loop."""
    loop = asyncio.get_running_loop()
    with session._lock:
        awaiting = session._awaiting.get(loop)
    if awaiting is None:
        awaiting = Awaiting(session, loop)
        with session._lock:
            session._awaiting[loop] = awaiting
    assert isinstance(awaiting, Awaiting)
    return awaiting
