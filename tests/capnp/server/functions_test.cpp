#include <boost/test/unit_test.hpp>

#include "troupe/tests/actors/function_model.hpp"
#include "troupe/tests/capnp/servers.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A parameter server, a worker, and a session of a client of the worker.
struct FunctionServers {
  ClusterSpec cluster = cluster_of({{"ps", 1}, {"worker", 1}});
  std::unique_ptr<Server> ps = start("ps");
  std::unique_ptr<Server> worker = start("worker");
  std::unique_ptr<Client> client = connect(*worker);
  std::unique_ptr<Session> session = open(*client);
  Builder b;

  std::unique_ptr<Server> start(const std::string& job) const {
    auto server = make_server(cluster, job, 0);
    BOOST_REQUIRE(server->start().ok());
    return server;
  }
  Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) {
    auto status = session->extend(b);
    if (!status.ok()) return status;
    return session->run(feeds, fetches);
  }
  float number(const std::vector<Feed>& feeds, const Value& fetch) {
    auto values = run(feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functions_of_clients, FunctionServers)

BOOST_AUTO_TEST_CASE(a_function_spans_nodes_and_its_gradient_updates_a_variable) {
  FunctionModel model(b);
  BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
  BOOST_TEST(session->extend(b).ok());
  BOOST_TEST(session->run({}, {}, {model.initialize}).ok());
  std::vector<Feed> at_1 = {{model.x, Tensor::scalar(1.0f)}};
  BOOST_TEST(number(at_1, model.loss) == 36.0f);
  BOOST_TEST(number({{model.x, Tensor::scalar(2.0f)}}, model.loss) == 72.0f);
  BOOST_TEST(session->run(at_1, {}, {model.train}).ok());
  BOOST_TEST(number({}, model.weight) == 3.0f - 24.0f);

  auto more = b.function("more", {{"x", DType::float32}}, [&](const Builder& in, const Values& xs) {
    return Values{in.call(model.layer, {xs[0], xs[0]})[0]};
  });
  BOOST_TEST(number(at_1, b.call(more, {model.x})[0]) == 2.0f);

  auto run = session->partial_run_setup({model.x, model.first}, {model.first, model.loss});
  BOOST_TEST_REQUIRE(run.ok(), run.status().to_string());
  auto part = (*run)->run({{model.first, Tensor::scalar(1.0f)}}, {model.loss});
  BOOST_TEST_REQUIRE(part.ok(), part.status().to_string());
  BOOST_TEST((*part)[0].value<float>() == -42.0f);
}

BOOST_AUTO_TEST_CASE(an_error_of_a_body_comes_with_its_place) {
  auto f = b.function("f", {{"x", DType::float32}}, [](const Builder& in, const Values& xs) {
    auto there = in.on("/job:ps/task:0");
    auto sizes = there.constant(Tensor::of<int32_t>({1}, {7}));
    return Values{there.named("shaped").reshape(xs[0], sizes)};
  });
  auto x = b.placeholder(DType::float32);
  auto y = b.named("call").call(f, {x})[0];
  auto status = run({{x, Tensor::scalar(1.0f)}}, {y}).status();
  BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
  BOOST_TEST(status.where().node == "call/shaped");
  BOOST_TEST(status.where().device == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(functions_are_sent_without_nodes_and_only_once) {
  b.function("f", {{"x", DType::float32}}, [](const Builder& in, const Values& xs) {
    return Values{in.neg(xs[0])};
  });
  BOOST_TEST(session->extend(b).ok());
  auto call = b.call(FunctionRef("f"), {b.constant(2.0f)})[0];
  BOOST_TEST(number({}, call) == -2.0f);
}

BOOST_AUTO_TEST_CASE(a_session_takes_no_functions_of_another_graph) {
  b.constant(1.0f);
  BOOST_TEST(session->extend(b).ok());
  Builder other;
  other.function("g", {}, [](const Builder&, const Values&) { return Values{}; });
  auto status = session->extend(other);
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().starts_with("the session has another graph"));
}

BOOST_AUTO_TEST_SUITE_END()
