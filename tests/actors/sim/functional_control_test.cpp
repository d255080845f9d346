#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/gradients.hpp"

using namespace troupe;

// Branches and loops of functions whose nodes are on several tasks.

namespace distributed_functions {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker = "/job:worker/task:1";

struct FunctionsFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{5}};
  sim::Session session = cluster.session("/job:worker/task:0");
  const Builder& graph = session.graph();
  std::vector<FunctionArgument> two = {{"n", DType::float32}, {"x", DType::float32}};
  FunctionRef is_left = graph.function("is_left", two, [](const Builder& f, const Values& in) {
    return Values{f.op("Greater", {in[0], f.constant(0.0f)})};
  });
  FunctionRef twice = graph.function("twice", two, [](const Builder& f, const Values& in) {
    return Values{f.on(worker).mul(in[1], f.on(worker).constant(2.0f))};
  });
  FunctionRef less = graph.function("less", two, [](const Builder& f, const Values& in) {
    return Values{f.on(ps).sub(in[1], in[0])};
  });

  Value choose(const Builder& on, const Value& predicate, const Value& n, const Value& x) {
    return on.op(
        "If", {predicate, n, x},
        {{"Tout", DTypes{DType::float32}}, {"then_branch", twice}, {"else_branch", less}});
  }
  /// (n, x) while n > 0: x is doubled on a worker while n > 2, then n is subtracted on the ps.
  Value loop(const Value& n, const Value& x) {
    auto body = graph.function("body", two, [&](const Builder& f, const Values& in) {
      auto is_large = f.op("Greater", {in[0], f.constant(2.0f)});
      return Values{f.on(ps).sub(in[0], f.constant(1.0f)), choose(f, is_large, in[0], in[1])};
    });
    return graph.op("While", {n, x}, {{"cond", is_left}, {"body", body}}).output(1);
  }
  float run(const Value& fetch, const std::vector<Feed>& feeds) {
    auto values = session.run(feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return values->at(0).value<float>();
  }
};

}  // namespace
}  // namespace distributed_functions

BOOST_FIXTURE_TEST_SUITE(distributed_functions_and_control, distributed_functions::FunctionsFixture)

BOOST_AUTO_TEST_CASE(an_if_runs_on_the_tasks_of_the_function_that_is_chosen) {
  auto predicate = graph.placeholder(DType::boolean, {});
  auto n = graph.placeholder(DType::float32, {}), x = graph.placeholder(DType::float32, {});
  auto y = choose(graph, predicate, n, x);
  auto dx = gradients(graph, {y}, {x});
  BOOST_TEST_REQUIRE(dx.ok(), dx.status().to_string());
  auto feeds = [&](bool value) -> std::vector<Feed> {
    return {
        {predicate, Tensor::scalar(value)}, {n, Tensor::scalar(1.0f)}, {x, Tensor::scalar(5.0f)}};
  };
  BOOST_TEST(run(y, feeds(true)) == 10.0f);
  BOOST_TEST(run(y, feeds(false)) == 4.0f);
  BOOST_TEST(run((*dx)[0], feeds(true)) == 2.0f);
  BOOST_TEST(run((*dx)[0], feeds(false)) == 1.0f);
}

BOOST_AUTO_TEST_CASE(a_while_with_an_if_goes_round_on_all_its_tasks) {
  auto n = graph.placeholder(DType::float32, {}), x = graph.placeholder(DType::float32, {});
  auto y = loop(n, x);
  auto dx = gradients(graph, {y}, {x});
  BOOST_TEST_REQUIRE(dx.ok(), dx.status().to_string());
  std::vector<Feed> feeds = {{n, Tensor::scalar(5.0f)}, {x, Tensor::scalar(1.0f)}};
  BOOST_TEST(run(y, feeds) == 5.0f);  // 8 - 2 - 1
  BOOST_TEST(run((*dx)[0], feeds) == 8.0f);
}

BOOST_AUTO_TEST_SUITE_END()
