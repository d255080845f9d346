#include <cstddef>
#include <cstdint>
#include <memory>

#include "troupe/tests/fuzz/memory_node.hpp"

namespace {

/// Made at the first input, as an actor system costs more than a thousand inputs, and never
/// destroyed, as it cannot end once main() has returned.
troupe::testing::MemoryNode& node() {
  static auto* node = std::make_unique<troupe::testing::MemoryNode>(2).release();
  return *node;
}

}  // namespace

/// Has a node receive the input from a peer that has connected to it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  node().accept();
  if (node().receive({data, size}).ok()) (void)node().output();
  node().end();
  return 0;
}
