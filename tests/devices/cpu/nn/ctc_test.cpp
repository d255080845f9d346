#include <cmath>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

/// Two sequences of three classes, of which the last is the blank.
struct CtcGraph {
  Builder b;
  GraphRunner runner;
  Value x = b.placeholder(DType::float64, {4, 2, 3});
  Value loss;

  CtcGraph() {
    auto indices = b.constant(Tensor::of<int64_t>({3, 2}, {0, 0, 0, 1, 1, 0}));
    auto losses = b.op("CTCLoss", {x, indices, b.ints({0, 1, 0}), b.ints({4, 3})});
    loss = b.reduce_sum(losses * b.constant(Tensor::of<double>({2}, {1, -2.5})));
  }

  static Tensor activations(size_t changed, double change) {
    std::vector<double> values(24);
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i * i));
    values[changed] += change;
    return Tensor::of<double>({4, 2, 3}, std::span<const double>(values));
  }
  double run(const Tensor& activations) {
    auto got = runner.run(b, {{x, activations}}, {loss});
    BOOST_REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    return (*got)[0].value<double>();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(ctc)

BOOST_AUTO_TEST_CASE(the_gradient_of_the_loss_is_that_of_central_differences) {
  CtcGraph g;
  auto made = gradients(g.b, {g.loss}, {g.x});
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().to_string());
  auto got = g.runner.run(g.b, {{g.x, CtcGraph::activations(0, 0)}}, {(*made)[0]});
  BOOST_REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  for (size_t i = 0; i < 24; ++i) {
    constexpr double step = 1e-5;
    auto more = g.run(CtcGraph::activations(i, step));
    auto less = g.run(CtcGraph::activations(i, -step));
    BOOST_TEST(std::abs((*got)[0].values<double>()[i] - (more - less) / (2 * step)) < 1e-7);
  }
}

BOOST_AUTO_TEST_CASE(the_loss_has_no_second_derivative) {
  CtcGraph g;
  auto first = gradients(g.b, {g.loss}, {g.x});
  BOOST_REQUIRE(first.ok());
  auto second = gradients(g.b, {g.b.reduce_sum((*first)[0])}, {g.x});
  BOOST_TEST(!second.ok());
  BOOST_TEST(second.status().message().find("second ones") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_search_whose_width_bounds_nothing_ends_at_a_limit) {
  Builder b;
  GraphRunner runner;
  auto equal = b.constant(Tensor::of<float>({24, 1, 3}, std::vector<float>(72)));
  auto search = b.op(
      "CTCBeamSearchDecoder", {equal, b.ints({24})},
      {{"beam_width", int64_t{1} << 62}, {"top_paths", 1}, {"merge_repeated", false}});
  auto got = runner.run(b, {}, {search});
  BOOST_TEST(got.status().to_string().find("more than 65,536 candidates") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
