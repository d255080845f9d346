#pragma once

#include <cmath>
#include <initializer_list>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/operand.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {

/// A graph, and a device that keeps its variables. Expected values are those that TensorFlow
/// computes.
struct Model {
  Builder b;
  GraphRunner runner;

  Value floats(const Shape& shape, const std::vector<float>& values) const {
    return b.constant(Tensor::of<float>(shape, values));
  }
  Value ints(const Shape& shape, const std::vector<int32_t>& values) const {
    return b.constant(Tensor::of<int32_t>(shape, values));
  }
  /// As many values as the shape has elements, from the first to the last in equal steps.
  Value linspace(const Shape& shape, double first, double last) const {
    auto count = static_cast<double>(shape.elements());
    std::vector<float> values;
    for (double i = 0; i < count; ++i)
      values.push_back(static_cast<float>(first + i * (last - first) / (count - 1)));
    return floats(shape, values);
  }

  void initialize() { run(b.initializer()); }
  void run(const Value& target, const std::vector<Feed>& feeds = {}) {
    BOOST_REQUIRE_EQUAL(runner.run(b, feeds, {}, {target}).status().to_string(), "Ok");
  }
  Tensor fetch(const Value& value, const std::vector<Feed>& feeds = {}) {
    auto answer = runner.run(b, feeds, {value});
    BOOST_REQUIRE_EQUAL(answer.status().to_string(), "Ok");
    return (*answer)[0];
  }
  void check(
      const Value& value, const std::vector<double>& expected, const std::vector<Feed>& feeds = {},
      double tolerance = 2e-6) {
    auto tensor = fetch(value, feeds);
    BOOST_REQUIRE(tensor.dtype() == DType::float32);
    auto actual = tensor.values<float>();
    BOOST_REQUIRE_EQUAL(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      BOOST_CHECK_SMALL(actual[i] - expected[i], tolerance * std::max(1.0, std::abs(expected[i])));
  }
};

}  // namespace troupe::testing
