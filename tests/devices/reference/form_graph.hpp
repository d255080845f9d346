#pragma once

#include <string>
#include <vector>

#include "troupe/tests/devices/reference/recorded_call.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {

/// The op on references that does what the call's op does on handles; empty if it is not on them.
std::string form_of(const RecordedCall& call);

/// A call on handles as one on references, and on handles, each to variables of its own.
struct FormGraph {
  Builder b;
  std::vector<Feed> feeds;
  std::vector<Ref> initializers;
  Value node;  // that was added last

  /// Returns the node, if it has recorded outputs, and then what the variables are read by.
  std::vector<Ref> add(const RecordedCall& call, bool is_reference);

 private:
  Value add_variable(
      const std::string& where, const Tensor& value, bool is_reference, std::vector<Ref>& reads);
};

}  // namespace troupe::testing
