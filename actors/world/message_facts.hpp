#pragma once

#include <cstdint>
#include <string>

#include <caf/all.hpp>

#include "troupe/graph/status.hpp"

namespace troupe {

/// What a simulated network knows of a message without keeping it.
struct MessageFacts {
  caf::rtti_pair type;  // of its first element; CAF's number, or the C++ type where it has none
  bool is_reply = false;
  bool is_heartbeat = false;
  bool is_of_step = false;  // one of the messages that steps and plans are made of
  Code code = Code::ok;     // of the Status that it has
  uint32_t edges = 0;       // of a Deliver
  uint64_t session = 0;
  uint64_t step = 0;
  uint64_t bytes = 0;  // about what it takes on a wire
};

MessageFacts facts_of(const caf::mailbox_element& message);

/// "StartStep", "StepDone Unavailable", "Deliver 2 edges", "reply Status".
std::string describe(const MessageFacts& facts, const caf::actor_system& system);

}  // namespace troupe
