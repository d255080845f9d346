#include "troupe/actors/local/local_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace local_cluster {
namespace {

const char* ps = "/job:ps/task:0";
const char* worker1 = "/job:worker/task:1";

/// A parameter server, two workers, and a session on the first worker.
struct LocalClusterFixture {
  LocalCluster cluster{{{"ps", 1}, {"worker", 2}}, {.threads = 1}};
  Builder b;
  std::unique_ptr<Session> session = open();

  std::unique_ptr<Session> open(int worker = 0) {
    auto opened = cluster.session("worker", worker);
    BOOST_REQUIRE(opened.ok());
    return *std::move(opened);
  }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets = {}, const RunOptions& options = {}) {
    auto extended = session->extend(b);
    if (!extended.ok()) return extended;
    return session->run(feeds, fetches, targets, options);
  }

  float number(const std::vector<Feed>& feeds, const Ref& fetch) {
    auto values = run(feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  }
};

}  // namespace
}  // namespace local_cluster

BOOST_FIXTURE_TEST_SUITE(local_cluster, local_cluster::LocalClusterFixture)

BOOST_AUTO_TEST_CASE(a_constant_is_fetched) { BOOST_TEST(number({}, b.constant(3.0f)) == 3.0f); }

BOOST_AUTO_TEST_CASE(a_cluster_ends_before_the_thread_that_made_and_used_it) {
  std::promise<void> end_thread;
  std::promise<std::pair<std::unique_ptr<LocalCluster>, std::unique_ptr<Session>>> made;
  std::thread thread([this, &made, ended = end_thread.get_future()] {
    auto other = std::make_unique<LocalCluster>(std::map<std::string, int>{{"worker", 1}});
    auto opened = *other->session("worker", 0);
    auto three = b.constant(3.0f);
    CHECK(opened->extend(b).ok() && opened->run({}, {three}).ok());
    made.set_value({std::move(other), std::move(opened)});
    ended.wait();
  });
  auto [other, opened] = made.get_future().get();
  opened.reset();
  auto ending = std::async(std::launch::async, [&other] { other.reset(); });
  auto has_ended = ending.wait_for(testing::test_timeout) == std::future_status::ready;
  end_thread.set_value();
  thread.join();
  BOOST_TEST(has_ended);
}

BOOST_AUTO_TEST_CASE(a_step_crosses_tasks_there_and_back) {
  auto x = b.placeholder(DType::float32, {});
  auto y = b.on(ps).mul(x, b.constant(2.0f));
  auto z = b.on(worker1).add(y, b.constant(1.0f));
  auto back = b.on("/job:worker/task:0").sub(z, y);
  BOOST_TEST(number({{x, Tensor::scalar(5.0f)}}, z) == 11.0f);
  BOOST_TEST(number({{x, Tensor::scalar(5.0f)}}, back) == 1.0f);
  BOOST_TEST(number({{x, Tensor::scalar(7.0f)}}, z) == 15.0f);
}

BOOST_AUTO_TEST_CASE(control_edges_cross_tasks) {
  auto v = b.on(ps).variable("v", b.constant(1.0f));
  BOOST_REQUIRE(run({}, {}, {v.initializer}).ok());
  auto bump = v.assign_add(b.on(ps).constant(1.0f));
  auto after = b.on(worker1).after({bump}).identity(b.constant(9.0f));
  BOOST_TEST(number({}, after) == 9.0f);
  BOOST_TEST(number({}, v) == 2.0f);
}

BOOST_AUTO_TEST_CASE(variables_outlive_sessions_and_are_seen_through_other_masters) {
  auto v = b.on(ps).variable("v", b.constant(1.0f));
  auto bump = v.assign_add(b.on(ps).constant(1.0f));
  BOOST_REQUIRE(run({}, {}, {v.initializer}).ok());
  BOOST_REQUIRE(run({}, {}, {bump}).ok());
  BOOST_REQUIRE(session->close().ok());
  session = open(1);
  BOOST_TEST(number({}, v) == 2.0f);
}

BOOST_AUTO_TEST_CASE(an_uninitialized_variable_is_named) {
  auto v = b.on(ps).variable("weights", b.constant(1.0f));
  auto values = run({}, {v});
  BOOST_REQUIRE(!values.ok());
  BOOST_TEST((values.status().code() == Code::failed_precondition));
  BOOST_TEST(values.status().message().find("weights") != std::string::npos);
  BOOST_TEST(values.status().where().task == ps);
  BOOST_TEST(values.status().where().device == std::string(ps) + "/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(equal_names_in_different_containers_are_different_variables) {
  auto here = b.on(ps).variable("v", b.constant(1.0f));
  auto there = b.on(ps).container("my_problem_1").scope("other").variable("v", b.constant(5.0f));
  BOOST_REQUIRE(run({}, {}, {b.initializer()}).ok());
  BOOST_TEST(number({}, here) == 1.0f);
  BOOST_TEST(number({}, there) == 5.0f);
}

BOOST_AUTO_TEST_CASE(an_error_names_node_op_device_and_task_and_the_session_goes_on) {
  auto x = b.placeholder(DType::float32);
  auto y = b.on(worker1).named("sum").add(x, b.constant(Tensor::of<float>({2}, {1, 2})));
  auto values = run({{x, Tensor::of<float>({3}, {1, 2, 3})}}, {y});
  BOOST_REQUIRE(!values.ok());
  BOOST_TEST((values.status().code() == Code::invalid_argument));
  BOOST_TEST(values.status().where().node == "sum");
  BOOST_TEST(values.status().where().op == "AddV2");
  BOOST_TEST(values.status().where().task == worker1);
  BOOST_TEST(run({{x, Tensor::of<float>({2}, {1, 2})}}, {y}).ok());
}

BOOST_AUTO_TEST_CASE(an_error_on_one_task_ends_the_step_on_tasks_that_wait_for_it) {
  auto v = b.on(ps).variable("v", b.constant(1.0f));
  auto waits = b.on(worker1).mul(v, b.constant(2.0f));
  auto values = run({}, {waits});
  BOOST_REQUIRE(!values.ok());
  BOOST_TEST((values.status().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(feeds_and_fetches_are_checked) {
  auto x = b.named("x").placeholder(DType::float32, {2});
  auto y = b.neg(x);
  auto fails = [&](const std::vector<Feed>& feeds, const std::vector<Ref>& fetches, Code code,
                   const std::string& word) {
    auto values = run(feeds, fetches);
    BOOST_REQUIRE(!values.ok());
    BOOST_TEST((values.status().code() == code), values.status().to_string());
    BOOST_TEST(
        values.status().message().find(word) != std::string::npos, values.status().to_string());
  };
  fails({}, {y}, Code::invalid_argument, "x");
  fails({{x, Tensor::scalar(1)}}, {y}, Code::invalid_argument, "float32");
  fails({{x, Tensor::of<float>({3}, {1, 2, 3})}}, {y}, Code::invalid_argument, "[2]");
  fails({}, {"nothing:0"}, Code::not_found, "nothing");
  fails({}, {"Neg:3"}, Code::invalid_argument, "Neg:3");
  fails({{"nothing:0", Tensor::scalar(1.0f)}}, {y}, Code::not_found, "nothing");
  auto fed = Tensor::of<float>({2}, {1, 2});
  auto same = run({{x, fed}}, {x, y});
  BOOST_REQUIRE(same.ok());
  BOOST_TEST(equal((*same)[0], fed));
}

BOOST_AUTO_TEST_CASE(a_constraint_to_an_unknown_task_or_device_is_refused) {
  auto nowhere = b.on("/job:worker/task:7").constant(1.0f);
  auto gpu = b.on("/job:ps/task:0/device:GPU:0").neg(b.constant(1.0f));
  auto first = run({}, {nowhere});
  BOOST_TEST(first.status().message().find("7") != std::string::npos);
  BOOST_TEST((first.status().code() == Code::invalid_argument));
  auto second = run({}, {gpu});
  BOOST_TEST((second.status().code() == Code::invalid_argument));
  BOOST_TEST(second.status().message().find("GPU") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_session_says_why_the_gpu_that_the_options_name_cannot_be_used) {
  LocalCluster none({{"worker", 1}}, {.threads = 1, .gpu = GpuOptions{.cards = {63}}});
  auto refused = none.session("worker");
  BOOST_TEST((refused.status().code() == Code::invalid_argument));
  BOOST_TEST(refused.status().message().find("there is no GPU") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cluster_takes_the_gpus_that_there_are) {
  LocalCluster any({{"worker", 1}}, {.threads = 1, .gpu = GpuOptions{.memory_limit = 1 << 28}});
  auto opened = any.session("worker");
  BOOST_TEST_REQUIRE(opened.ok(), opened.status().to_string());
  auto three = b.add(b.constant(1.0f), b.constant(2.0f));
  BOOST_REQUIRE((*opened)->extend(b).ok());
  auto values = (*opened)->run({}, {three});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].value<float>() == 3.0f);
}

BOOST_AUTO_TEST_CASE(steps_of_several_threads_run_at_once) {
  auto v = b.on(ps).variable("v", b.constant(0.0f));
  auto bump = v.assign_add(b.on(ps).constant(1.0f));
  BOOST_REQUIRE(run({}, {}, {v.initializer}).ok());
  BOOST_REQUIRE(session->extend(b).ok());
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int step = 0; step < 100; ++step)
        if (!session->run({}, {}, {bump}).ok()) ++failed;
    });
  for (auto& thread : threads) thread.join();
  BOOST_TEST(failed == 0);
  BOOST_TEST(number({}, v) == 400.0f);
}

BOOST_AUTO_TEST_CASE(gradients_train_over_tasks) {
  auto w = b.on(ps).variable("w", b.constant(0.0f));
  auto x = b.placeholder(DType::float32, {});
  auto worker = b.on(worker1);
  auto loss = worker.square(worker.sub(worker.mul(w, x), b.constant(6.0f)));
  auto slopes = gradients(worker, {loss}, {w.value()});
  BOOST_TEST(!slopes.ok());  // another read is not the one that the loss used
  auto read = w.value();
  auto loss2 = worker.square(worker.sub(worker.mul(read, x), b.constant(6.0f)));
  slopes = gradients(worker, {loss2}, {read});
  BOOST_TEST_REQUIRE(slopes.ok(), slopes.status().to_string());
}

BOOST_AUTO_TEST_CASE(an_extension_that_fails_leaves_the_graph_as_it_was) {
  (void)number({}, b.constant(1.0f));
  Graph bad(b.graph().shared_catalog());
  for (const auto& node : b.graph().nodes()) BOOST_REQUIRE(bad.add(b.graph().def_of(node.id)).ok());
  BOOST_REQUIRE(bad.add({.name = "_hidden", .op = "NoOp"}).ok());
  BOOST_TEST((session->extend(bad).code() == Code::invalid_argument));
  BOOST_TEST(number({}, b.constant(2.0f)) == 2.0f);
}

BOOST_AUTO_TEST_CASE(a_graph_that_shrank_is_refused) {
  (void)number({}, b.constant(1.0f));
  BOOST_TEST((session->extend(Builder()).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_closed_session_refuses_calls) {
  auto one = b.constant(1.0f);
  (void)number({}, one);
  BOOST_TEST(session->close().ok());
  BOOST_TEST(session->close().ok());
  BOOST_TEST((run({}, {one}).status().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(a_cluster_may_end_while_a_step_runs_and_its_tensors_outlive_it) {
  Tensor kept;
  for (int round = 0; round < 20; ++round) {
    auto own = std::make_unique<LocalCluster>(std::map<std::string, int>{{"worker", 2}});
    Builder graph;
    auto x = graph.placeholder(DType::float32, {Shape::unknown, Shape::unknown});
    auto y = graph.on(worker1).matmul(graph.on(worker1).matmul(x, x), x);
    auto opened = own->session("worker");
    BOOST_REQUIRE(opened.ok());
    auto square = *Tensor::allocate(DType::float32, {200, 200});
    std::memset(square.mutable_raw(), 0, square.bytes());
    BOOST_REQUIRE((*opened)->extend(graph).ok());
    auto values = (*opened)->run({{x, square}}, {y});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    kept = (*values)[0];
    std::thread runs([&] {
      while ((*opened)->run({{x, square}}, {y}).ok()) {
      }
    });
    (void)(*opened)->close();  // its step goes on in the background
    runs.join();
    opened->reset();
    own.reset();
    BOOST_TEST(kept.data<float>()[0] == 0.0f);
  }
}

BOOST_AUTO_TEST_SUITE_END()
