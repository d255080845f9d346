#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/graph/op.hpp"
#include "troupe/tests/devices/reference/recorded_call.hpp"
#include "troupe/tests/fuzz/calls/draw.hpp"

namespace troupe::fuzz {

/// A node of an op, and what its inputs are: valid or not.
struct Call {
  struct Input {
    Tensor value;  // of a variable: its initial value; unset: none
    /// Where the input is a handle or a reference: the call, without inputs, that makes it.
    std::vector<Call> maker = {};
  };
  std::string op;
  Attrs attrs = {};
  std::vector<Input> inputs = {};

  std::string to_string() const;
};

/// Draws calls of all ops of the catalog, each a function of its seed: recorded and written ones
/// with some attributes, shapes, dtypes and elements changed, and such as the definition of the op
/// allows.
class CallSource {
 public:
  /// `only`: of that op; empty: of all.
  CallSource(const OpCatalog& catalog, const std::string& only);

  /// Whether the catalog has such an op.
  bool empty() const { return ops_.empty(); }
  Call draw(uint64_t seed) const;

 private:
  using Seeds = std::vector<Call>;
  Call of_definition(Draw& draw, const Op& op) const;
  Call::Input handle_for(Draw& draw, DType dtype, bool is_reference) const;

  std::vector<const Op*> ops_;
  std::vector<const Op*> handle_ops_;  // that make handles, not references
  std::map<std::string, Seeds> recorded_;
};

/// Makes one change of any kind.
void mutate(Draw& draw, const Op& op, const std::vector<Call>& others, Call& call);

/// A value that an attribute of that rule may have, or may not.
AttrValue draw_attr(Draw& draw, const AttrRule& rule);

}  // namespace troupe::fuzz
