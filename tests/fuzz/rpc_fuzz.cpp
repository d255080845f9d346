#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "troupe/graph/support/check.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"

namespace {

/// Made at the first input, as its start costs more than a thousand inputs, and never destroyed, as
/// an actor system cannot end once main() has returned.
troupe::testing::FakeNode& node() {
  static auto* node = std::make_unique<troupe::testing::FakeNode>().release();
  return *node;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  spdlog::set_level(spdlog::level::off);
  return 0;
}

/// Sends the input over one connection, which the server must then close.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  CHECK(troupe::testing::closes_after(node().rpc_server->port(), {data, size}));
  return 0;
}
