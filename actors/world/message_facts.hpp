#pragma once

#include <cstdint>
#include <string>

#include <caf/all.hpp>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What links need to know of a message to order it, and what simulated networks record of it.
struct MessageFacts {
  caf::rtti_pair type;  // of the first element: CAF's number, or the C++ type if it has none
  bool is_reply = false;
  bool is_heartbeat = false;
  bool may_pass = false;  // the order among messages of its step does not matter to it
  Code code = Code::ok;   // of the Status in it
  uint32_t edges = 0;     // of a Deliver
  bool may_arrive_in_part = false;
  uint64_t session = 0;
  uint64_t step = 0;
  uint64_t bytes = 0;  // estimated size on a wire
};

MessageFacts facts_of(const caf::mailbox_element& message);

/// "StartStep", "StepDone Unavailable", "Deliver 2 edges", "reply Status".
std::string describe(const MessageFacts& facts, const caf::actor_system& system);

}  // namespace troupe
