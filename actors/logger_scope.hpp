#pragma once

#include <caf/all.hpp>

namespace troupe {

/// Around what makes an actor system, or runs its actors, on a thread that may outlive it. In such
/// a thread CAF keeps a reference to the system's logger, and the system's destructor waits for
/// the last of these; the end of the scope gives up that of this thread.
struct LoggerScope {
  LoggerScope() = default;
  ~LoggerScope() { caf::logger::set_current_actor_system(nullptr); }
  LoggerScope(const LoggerScope&) = delete;
};

}  // namespace troupe
