#pragma once

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {

/// All outputs of an op on those tensors, which are fed through placeholders of unknown shape: so
/// the kernel alone sees, and checks, their shapes.
inline Result<Tensors> run_op(
    const std::string& name, const Tensors& inputs, const Attrs& attrs = {}) {
  Builder b;
  Values values;
  std::vector<Feed> feeds;
  for (const auto& input : inputs) {
    values.push_back(b.placeholder(input.dtype()));
    feeds.push_back({values.back(), input});
  }
  auto node = b.op(name, values, attrs);
  if (!b.status().ok()) return b.status();
  std::vector<Ref> fetches;
  for (size_t i = 0; i < b.graph().node(node.output().node).output_dtypes.size(); ++i)
    fetches.push_back(node.output(static_cast<int>(i)));
  return run_graph(b, feeds, fetches, {node});
}

/// "float32[2] [1 2]", the outputs separated by "; ", or the error with its code.
inline std::string show(const Result<Tensors>& outputs) {
  if (!outputs)
    return std::string(to_string(outputs.status().code())) + ": " + outputs.status().message();
  std::string text;
  for (const auto& output : *outputs)
    text += (text.empty() ? "" : "; ") + output.to_string(/*most=*/64);
  // The sign of a NaN has no meaning.
  for (size_t at; (at = text.find("-nan")) != std::string::npos;) text.erase(at, 1);
  return text;
}
inline std::string show(const std::string& name, const Tensors& inputs, const Attrs& attrs = {}) {
  return show(run_op(name, inputs, attrs));
}

/// A vector or, with a shape, a tensor of any rank.
template <class T = float>
Tensor vec(std::initializer_list<std::type_identity_t<T>> values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, values);
}
template <class T = float>
Tensor vec(const Shape& shape, std::initializer_list<std::type_identity_t<T>> values) {
  return Tensor::of<T>(shape, values);
}

/// Numbers that differ from their neighbours, between -1 and 1.
template <class T>
Tensor varied(const Shape& shape) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.elements(); ++i)
    values.push_back(static_cast<T>(static_cast<double>((i * 7919) % 2003 - 1001) / 1001));
  return Tensor::of<T>(shape, std::span<const T>(values));
}

inline bool starts_with(const std::string& text, const std::string& start) {
  if (text.starts_with(start)) return true;
  BOOST_TEST_MESSAGE("\"" << text << "\" does not start with \"" << start << "\"");
  return false;
}

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace troupe::testing
