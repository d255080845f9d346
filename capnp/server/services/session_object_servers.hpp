#pragma once

#include <kj/memory.h>

#include "troupe/capnp/server/services/session_handle.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

/// A callable or partial run that a session actor holds, by its id. The destructor releases it.
struct SessionObject {
  SessionObject(SharedSessionHandle handle, CallId id) : handle(std::move(handle)), id(id) {}
  ~SessionObject() { handle->tell_soon(Release{id}); }
  KJ_DISALLOW_COPY(SessionObject);

  const SharedSessionHandle handle;
  const CallId id;
};

/// The capability of a callable or a partial run. When the client drops it, it ends.
rpc::Callable::Client make_callable_server(kj::Own<SessionObject> callable);
rpc::PartialRun::Client make_partial_run_server(kj::Own<SessionObject> partial_run);

}  // namespace troupe
