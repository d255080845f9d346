#include "troupe/tests/devices/check_gradient.hpp"

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

/// The sum of all outputs, each element times a weight of its own, as a function of the inputs.
struct TestGraph {
  Builder b;
  Values inputs;
  std::vector<Feed> feeds;
  Value total;

  TestGraph(const GradientCase& c, KnownShapes known_shapes) {
    for (const auto& input : c.inputs) add_input(input, known_shapes);
    BOOST_REQUIRE(b.add_functions(c.functions).ok());
    auto node = b.op(c.op, inputs, c.attrs);
    BOOST_REQUIRE_MESSAGE(b.status().ok(), c.op << ": " << b.status().to_string());
    auto outputs = b.graph().node(node.output().node).output_dtypes.size();
    Values sums;
    for (size_t i = 0; i < outputs; ++i) {
      auto output = node.output(static_cast<int>(i));
      if (output.dtype() == DType::float64) sums.push_back(weigh(output));
    }
    total = b.add_n(sums);
  }

 private:
  void add_input(const GradientInput& input, KnownShapes known_shapes) {
    if (!input.is_variable && known_shapes == KnownShapes::constants) {
      inputs.push_back(b.constant(input.value));
      return;
    }
    const auto& shape = input.value.shape();
    auto known = known_shapes == KnownShapes::nothing ? Shape::unknown_rank()
                 : known_shapes == KnownShapes::ranks ? Shape::of_rank(shape.rank())
                                                      : shape;
    inputs.push_back(b.placeholder(input.value.dtype(), known));
    feeds.push_back({inputs.back(), input.value});
  }

  /// sum(output * (1, 2, 3, ...)), which detects misplaced values as well as wrong ones.
  Value weigh(const Value& output) {
    auto zero = b.constant<int32_t>(0), one = b.constant<int32_t>(1);
    auto flat = b.reshape(output, b.constant(Tensor::of<int32_t>({1}, {-1})));
    auto weights = b.op("Range", {zero, b.op("Size", {output}), one});
    return b.reduce_sum(flat * b.cast(weights + b.constant<int32_t>(1), DType::float64));
  }
};

/// The graph's total where element i of one input is a little more, or less.
double shifted_total(
    TestGraph& test_graph, GraphRunner& runner, size_t feed, size_t i, double shift) {
  auto feeds = test_graph.feeds;
  auto values = feeds[feed].value.values<double>();
  std::vector<double> shifted(values.begin(), values.end());
  shifted[i] += shift;
  feeds[feed].value =
      Tensor::of<double>(feeds[feed].value.shape(), std::span<const double>(shifted));
  auto total = runner.run(test_graph.b, feeds, {test_graph.total});
  BOOST_REQUIRE_MESSAGE(total.ok(), total.status().to_string());
  return (*total)[0].value<double>();
}

void check_derivative(
    const GradientCase& c, TestGraph& test_graph, GraphRunner& runner, size_t feed,
    const Tensor& derivative) {
  const auto& value = test_graph.feeds[feed].value;
  BOOST_TEST(
      (derivative.shape() == value.shape()),
      c.op << ": " << derivative.shape().to_string() << " for " << value.shape().to_string());
  if (derivative.shape() != value.shape()) return;
  constexpr double step = 1e-5;
  for (size_t i = 0; i < static_cast<size_t>(value.elements()); ++i) {
    auto difference = (shifted_total(test_graph, runner, feed, i, step) -
                       shifted_total(test_graph, runner, feed, i, -step)) /
                      (2 * step);
    auto got = derivative.values<double>()[i];
    BOOST_TEST(
        std::abs(got - difference) <= 1e-6 * std::max(1.0, std::abs(difference)),
        c.op << ", input " << feed << ", element " << i << ": " << got << " instead of "
             << difference);
  }
}

}  // namespace

bool has_derivatives(const Op& op) {
  auto* function = op.gradient().target<void (*)(Gradient&)>();
  return op.gradient() && !(function && *function == not_differentiable);
}

void check_gradient(const GradientCase& c, KnownShapes known_shapes) {
  BOOST_TEST_CONTEXT(c.op << ", known_shapes " << static_cast<int>(known_shapes)) {
    TestGraph test_graph(c, known_shapes);
    Values xs;
    std::vector<size_t> feeds;
    for (size_t i = 0; i < test_graph.feeds.size(); ++i)
      for (size_t j = 0; j < c.inputs.size(); ++j)
        if (test_graph.inputs[j].name() == test_graph.feeds[i].output.name &&
            c.inputs[j].is_variable) {
          xs.push_back(test_graph.inputs[j]);
          feeds.push_back(i);
        }
    auto derivatives = troupe::gradients(test_graph.b, {test_graph.total}, xs);
    BOOST_REQUIRE_MESSAGE(derivatives.ok(), derivatives.status().to_string());
    GraphRunner runner;
    auto values =
        runner.run(test_graph.b, test_graph.feeds, {derivatives->begin(), derivatives->end()});
    BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
    for (size_t i = 0; i < xs.size(); ++i)
      check_derivative(c, test_graph, runner, feeds[i], (*values)[i]);
  }
}

}  // namespace troupe::testing
