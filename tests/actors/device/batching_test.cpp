#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/gradients.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace batching_cases {
namespace {

const std::string worker0 = "/job:worker/task:0", worker1 = "/job:worker/task:1";

struct Limits {
  int64_t rows = 4, timeout_micros = 10'000, batches = 10;
  std::vector<int64_t> allowed = {};
};

Attrs batch_attrs(const Limits& limits) {
  return {
      {"num_batch_threads", 1},
      {"max_batch_size", limits.rows},
      {"max_enqueued_batches", limits.batches},
      {"batch_timeout_micros", limits.timeout_micros},
      {"allowed_batch_sizes", limits.allowed},
      {"shared_name", "rows"}};
}

/// Steps that give rows to a batch on worker 0, which is multiplied by ten and taken apart again.
struct BatchClient {
  BatchClient(sim::Cluster& cluster, const std::string& master, const Limits& limits = {})
      : session(cluster.session(master)),
        b(session.graph()),
        on_worker(b.on(worker0)),
        rows(b.placeholder(DType::float32, {Shape::unknown})) {
    auto attrs = batch_attrs(limits);
    attrs["grad_timeout_micros"] = 10'000;
    batch = on_worker.op("Batch", {rows}, attrs);
    auto ten = on_worker.op("Mul", {batch, on_worker.constant(10.0F)});
    result = on_worker.op(
        "Unbatch", {ten, batch.output(1), batch.output(2)},
        {{"timeout_micros", 50'000}, {"shared_name", "result"}});
    auto times_ten = b.function(
        "times_ten", {{"x", DType::float32, {Shape::unknown}}},
        [](const Builder& body, const Values& in) { return Values{in[0] * 10.0}; });
    auto function_attrs = batch_attrs(limits);
    function_attrs.insert(
        {{"f", times_ten},
         {"Tin", DTypes{DType::float32}},
         {"Tcaptured", DTypes()},
         {"Tout", DTypes{DType::float32}}});
    function_attrs["shared_name"] = std::string("calls");
    called = on_worker.op("BatchFunction", {rows}, function_attrs);
    lone = on_worker.op(
        "Unbatch",
        {on_worker.constant(Tensor::of<float>({0}, {})),
         on_worker.constant(Tensor::of<int64_t>({0, 3}, {})),
         on_worker.constant(Tensor::scalar<int64_t>(7))},
        {{"timeout_micros", 20'000}, {"shared_name", "lone"}});
  }

  sim::Call run(const std::vector<float>& values, const Value& fetch, RunOptions options = {}) {
    auto tensor = Tensor::of<float>({std::ssize(values)}, std::span<const float>(values));
    return session.start({{rows, tensor}}, {fetch}, {}, options);
  }

  sim::Session session;
  const Builder& b;
  Builder on_worker;
  Value rows, batch, result, called, lone;
};

struct BatchingFixture {
  sim::Cluster cluster{{{"worker", 2}}, sim::Seed{5}};

  std::string result(const sim::Call& call) {
    cluster.run_until(call.done(), 5s);
    if (!call.is_done()) return "waits";
    if (!call.status().ok())
      return std::string(to_string(call.status().code())) + ": " + call.status().message();
    return call.values()[0].to_string();
  }
};

bool starts(const std::string& text, const std::string& start) {
  BOOST_TEST_INFO(text);
  return text.starts_with(start);
}

}  // namespace
}  // namespace batching_cases

using namespace batching_cases;

BOOST_FIXTURE_TEST_SUITE(batching, BatchingFixture)

BOOST_AUTO_TEST_CASE(steps_of_two_sessions_share_a_batch_and_get_their_own_rows) {
  BatchClient one(cluster, worker0, {.timeout_micros = 3'600'000'000});
  BatchClient two(cluster, worker1, {.timeout_micros = 3'600'000'000});
  for (bool is_function : {false, true}) {
    auto first = one.run({1}, is_function ? one.called : one.result);
    cluster.run_for(100ms);
    BOOST_TEST(!first.is_done());
    auto second = two.run({2, 3, 4}, is_function ? two.called : two.result);
    BOOST_TEST(result(first) == "float32[1] [10]");
    BOOST_TEST(result(second) == "float32[3] [20 30 40]");
  }
}

BOOST_AUTO_TEST_CASE(a_batch_that_is_not_full_is_processed_when_its_time_is_up) {
  BatchClient client(cluster, worker0, {.timeout_micros = 1'000'000});
  for (const auto& fetch : {client.result, client.called}) {
    auto step = client.run({1, 2}, fetch);
    cluster.run_for(500ms);
    BOOST_TEST(!step.is_done());
    cluster.run_for(1s);
    BOOST_TEST(step.is_done());
    BOOST_TEST(result(step) == "float32[2] [10 20]");
  }
}

BOOST_AUTO_TEST_CASE(rows_of_a_step_that_ends_leave_their_batch) {
  BatchClient client(cluster, worker0, {.rows = 6, .timeout_micros = 2'000'000});
  auto gone = client.run({1, 2}, client.result, {.timeout = 100ms});
  BOOST_TEST(starts(result(gone), "DeadlineExceeded"));
  auto next = client.run({3, 4, 5, 6}, client.result);
  cluster.run_for(500ms);
  BOOST_TEST(!next.is_done());  // with the rows that have left it, the batch would be full
  BOOST_TEST(result(next) == "float32[4] [30 40 50 60]");
}

BOOST_AUTO_TEST_CASE(a_step_with_too_many_rows_and_one_that_finds_too_many_batches_fail) {
  BatchClient client(cluster, worker0, {.rows = 2, .timeout_micros = 1'000'000, .batches = 1});
  BOOST_TEST(starts(result(client.run({1, 2, 3}, client.result)), "InvalidArgument"));
  auto first = client.run({1}, client.result);
  cluster.run_for(10ms);
  BOOST_TEST(starts(result(client.run({2, 3}, client.result)), "Unavailable"));
  BOOST_TEST(result(first) == "float32[1] [10]");
}

BOOST_AUTO_TEST_CASE(batches_are_padded_to_an_allowed_size) {
  BatchClient client(cluster, worker0, {.rows = 4, .timeout_micros = 1000, .allowed = {1, 4}});
  BOOST_TEST(result(client.run({5, 6}, client.batch)) == "float32[4] [5 6 5 5]");
  BOOST_TEST(result(client.run({5, 6}, client.batch.output(1))) == "int64[1,3] [2 0 2]");
  BOOST_TEST(result(client.run({5}, client.batch)) == "float32[1] [5]");
  BatchClient wrong(cluster, worker1, {.rows = 4, .allowed = {2, 3}});
  BOOST_TEST(starts(result(wrong.run({5}, wrong.batch)), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(a_step_whose_rows_do_not_come_fails_in_time) {
  BatchClient client(cluster, worker0);
  auto step = client.run({}, client.lone);
  cluster.run_for(10ms);
  BOOST_TEST(!step.is_done());
  BOOST_TEST(starts(result(step), "DeadlineExceeded: Batched data did not arrive"));
}

BOOST_AUTO_TEST_CASE(the_gradient_gathers_the_gradients_of_all_steps) {
  BatchClient client(cluster, worker0, {.rows = 3, .timeout_micros = 3'600'000'000});
  const auto& b = client.b;
  auto loss = b.reduce_sum(b.square(client.result));
  auto gradient = gradients(b, {loss}, {client.rows});
  BOOST_REQUIRE(gradient.ok());
  auto first = client.run({1}, (*gradient)[0]), second = client.run({2, 3}, (*gradient)[0]);
  BOOST_TEST(result(first) == "float32[1] [200]");
  BOOST_TEST(result(second) == "float32[2] [400 600]");
}

BOOST_AUTO_TEST_SUITE_END()
