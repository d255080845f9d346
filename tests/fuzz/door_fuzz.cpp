#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "troupe/graph/check.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"

namespace {

/// Made at the first input, as starting it costs more than a thousand inputs, and never ended, as
/// CAF cannot end an actor system once main() has returned.
troupe::testing::FakeNode& node() {
  static auto* node = std::make_unique<troupe::testing::FakeNode>().release();
  return *node;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  spdlog::set_level(spdlog::level::off);
  return 0;
}

/// One connection of a client that says these bytes; the door must end it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  CHECK(troupe::testing::is_ended_after(node().door->port(), {data, size}));
  return 0;
}
