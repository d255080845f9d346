"""Steps that asyncio tasks await."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from troupe import _native
from troupe._src.messages.config import NO_STEP_OPTIONS, RunOptions
from troupe._src.session.fetch import FetchPlan, plan_fetches, to_feeds
from troupe._src.types import errors

if TYPE_CHECKING:
    from troupe._src.session.base_session import BaseSession


class AsyncSteps:
    """The pending steps of one session in one event loop.

    The extension makes a file descriptor readable when steps have ended; the loop watches it.
    """

    def __init__(self, session: BaseSession, loop: asyncio.AbstractEventLoop) -> None:
        self._session = session
        self._loop = loop
        self._native = _native.Completions(session._ready())
        self._tokens = itertools.count(1)
        self._pending: Dict[int, Tuple[asyncio.Future[Any], FetchPlan]] = {}

    async def run(
        self, fetches: Any, feed_dict: Optional[Dict[Any, Any]], options: Optional[RunOptions]
    ) -> Any:
        plan = plan_fetches(self._session.graph, fetches)
        self._session._ready()
        feeds = to_feeds(self._session.graph, feed_dict)
        step_options = options._for_step() if options else NO_STEP_OPTIONS
        token = next(self._tokens)
        future: asyncio.Future[Any] = self._loop.create_future()
        if not self._pending:
            self._loop.add_reader(self._native.descriptor, self._complete)
        self._pending[token] = (future, plan)
        try:
            self._native.start(token, feeds, plan.names, plan.targets, step_options)
            return await future
        except asyncio.CancelledError:
            self._native.cancel(token)
            raise
        finally:
            self._pending.pop(token, None)
            if not self._pending:
                self._loop.remove_reader(self._native.descriptor)

    def _complete(self) -> None:
        for token, values, error in self._native.take():
            future, plan = self._pending.get(token, (None, None))
            if future is None or plan is None or future.done():
                continue
            if error is None:
                future.set_result(plan.results(values))
            elif isinstance(error, errors.OpError):
                future.set_exception(self._session._located(error))
            else:
                future.set_exception(error)


def async_steps_of(session: BaseSession) -> AsyncSteps:
    """The pending steps of the running event loop."""
    loop = asyncio.get_running_loop()
    with session._lock:
        steps = session._async_steps.get(loop)
    if steps is None:
        steps = AsyncSteps(session, loop)
        with session._lock:
            session._async_steps[loop] = steps
    assert isinstance(steps, AsyncSteps)
    return steps
