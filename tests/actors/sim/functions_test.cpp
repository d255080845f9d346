#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/actors/sim/session.hpp"
#include "troupe/tests/actors/function_model.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

struct FunctionCluster {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{11}};
  sim::Session session = cluster.session("/job:worker/task:1");

  float number(const std::vector<Feed>& feeds, const Value& fetch) {
    auto values = session.run(feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functions_of_a_cluster, FunctionCluster)

BOOST_AUTO_TEST_CASE(a_function_spans_tasks_and_its_gradient_updates_a_variable) {
  FunctionModel model(session.graph());
  BOOST_TEST_REQUIRE(session.graph().status().ok(), session.graph().status().to_string());
  BOOST_TEST(session.run({}, {}, {model.initialize}).ok());
  std::vector<Feed> at_1 = {{model.x, Tensor::scalar(1.0f)}},
                    at_2 = {{model.x, Tensor::scalar(2.0f)}};
  BOOST_TEST(number(at_1, model.loss) == 36.0f);
  BOOST_TEST(number(at_2, model.first) == 12.0f);
  BOOST_TEST(number(at_2, model.gradient) == 48.0f);  // 8 w x
  BOOST_TEST(number({{model.first, Tensor::scalar(5.0f)}}, model.loss) == 30.0f);
  BOOST_TEST(session.run(at_1, {}, {model.train}).ok());
  BOOST_TEST(number({}, model.weight) == 3.0f - 24.0f);

  // Functions that are added later are sent with the nodes that call them.
  auto& b = session.graph();
  auto more = b.function("more", {{"x", DType::float32}}, [&](const Builder& in, const Values& xs) {
    return Values{in.call(model.layer, {xs[0], xs[0]})[0]};
  });
  BOOST_TEST(number(at_2, b.call(more, {model.x})[0]) == 8.0f);
}

BOOST_AUTO_TEST_CASE(an_error_of_a_body_names_its_node_in_the_call_and_the_device) {
  auto& b = session.graph();
  auto f = b.function("f", {{"x", DType::float32}}, [](const Builder& in, const Values& xs) {
    auto sizes = in.on("/job:ps/task:0").constant(Tensor::of<int32_t>({1}, {7}));
    return Values{in.on("/job:ps/task:0").named("shaped").reshape(xs[0], sizes)};
  });
  auto x = b.placeholder(DType::float32);
  auto y = b.named("call").call(f, {x})[0];
  auto status = session.run({{x, Tensor::scalar(1.0f)}}, {y}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "call/shaped");
  BOOST_TEST(status.where().device == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_SUITE_END()
