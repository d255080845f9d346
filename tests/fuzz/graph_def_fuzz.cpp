#include <cstddef>
#include <cstdint>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/fuzz/graph_def_check.hpp"

/// Imports the input as a GraphDef.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto catalog = troupe::op_catalog();
  troupe::testing::check_graph_def(catalog, {reinterpret_cast<const char*>(data), size});
  return 0;
}
