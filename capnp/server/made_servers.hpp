#pragma once

#include <kj/memory.h>

#include "troupe/capnp/server/session_line.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

/// Something that a call had the session make; it ends with this.
struct Made {
  Made(SharedLine line, CallId id) : line(std::move(line)), id(id) {}
  ~Made() { line->tell_soon(Release{id}); }
  KJ_DISALLOW_COPY(Made);

  const SharedLine line;
  const CallId id;
};

/// A callable, or a partial run, as a client's capability. Dropped by its client, it ends.
rpc::Callable::Client make_callable_server(kj::Own<Made> callable);
rpc::PartialRun::Client make_partial_run_server(kj::Own<Made> partial_run);

}  // namespace troupe
