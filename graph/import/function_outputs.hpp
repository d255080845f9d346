#pragma once

#include <troupe_proto/graph.pb.h>

#include <map>
#include <string>

#include "troupe/graph/function.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// In a function TensorFlow names a value by the declared output: "node:product:0", or by the
/// argument alone. These translate to and from "node:0".

/// Names the values of one function in our way.
class FunctionInputNames {
 public:
  /// `functions`: those that nodes may call by their names.
  FunctionInputNames(
      const OpCatalog& catalog, const proto::FunctionDef& function,
      const std::map<std::string, const proto::FunctionDef*, std::less<>>& functions);

  /// InvalidArgument where the function has no such value; `nodes` are translated already.
  Result<std::string> translate(
      const std::string& input, const std::map<std::string, const NodeDef*>& nodes) const;

 private:
  Result<int64_t> offset_of(
      const proto::NodeDef& message, const NodeDef& node, const std::string& output) const;

  const OpCatalog& catalog_;
  const std::map<std::string, const proto::FunctionDef*, std::less<>>& functions_;
  std::map<std::string, const proto::NodeDef*> messages_;
  std::map<std::string, int> arguments_;
};

/// TensorFlow's name of a value in the body of a function.
std::string function_output_name(const Graph& body, Output output);

}  // namespace troupe
