#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace runners_left_on_a_cluster {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";
const ResourceName input{"", "input"};

/// A client with a queue of int64 scalars on the parameter server.
struct QueueClient {
  QueueClient(
      sim::Cluster& cluster, const std::string& master, const std::string& name = "numbers",
      int64_t capacity = 2, const std::string& container = "", const SessionOptions& options = {})
      : session(cluster.session(master, options)), b(session.graph()) {
    queue = b.on(ps).op(
        "FIFOQueueV2", {},
        {{"component_types", DTypes{DType::int64}},
         {"shapes", Shapes{Shape()}},
         {"capacity", capacity},
         {"container", container},
         {"shared_name", name}});
    close = b.op("QueueCloseV2", {queue});
    cancel = b.op("QueueCloseV2", {queue}, {{"cancel_pending_enqueues", true}});
    dequeue = b.op("QueueDequeueV2", {queue}, {{"component_types", DTypes{DType::int64}}});
  }

  /// What so many dequeues give, up to the first that fails.
  std::string take(int count, std::chrono::milliseconds timeout = 5000ms) const {
    auto consumer = session;
    std::string text;
    for (int i = 0; i < count; ++i) {
      auto taken = consumer.run({}, {dequeue}, {}, {.timeout = timeout});
      if (i > 0) text += " ";
      if (!taken) return text + to_string(taken.status().code());
      text += std::to_string((*taken)[0].value<int64_t>());
    }
    return text;
  }
  Status run(const Value& target) { return session.run({}, {}, {target}).status(); }

  sim::Session session;
  const Builder& b;
  Value queue, close, cancel, dequeue;
};

/// Its runner puts the numbers from 0 to a limit into the queue; the count is on its master.
struct Producer : QueueClient {
  explicit Producer(
      sim::Cluster& cluster, const std::string& master = worker0, int64_t limit = 1'000'000,
      const std::string& container = "")
      : QueueClient(cluster, master, "numbers", 2, container) {
    auto here = b.on(master);
    auto count = here.named(master == worker0 ? "count" : "count_1")
                     .op("VariableV2", {}, {{"dtype", DType::int64}, {"shape", Shape()}});
    set = here.op("Assign", {count, here.constant<int64_t>(0)});
    auto next = here.op("CountUpTo", {count}, {{"limit", limit}});
    enqueue = b.op("QueueEnqueueV2", {queue, next});
  }

  RunnerSpec spec(const std::string& container = "") const {
    return {
        .container = container,
        .enqueue_ops = {enqueue.name()},
        .close_op = close.name(),
        .cancel_op = cancel.name()};
  }
  /// Sets the count, and leaves the runner.
  Status leave(const std::string& name = "input") {
    if (auto status = run(set); !status.ok()) return status;
    return session.start_runner(name, spec());
  }

  Value set, enqueue;
};

struct RunnerFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{9}};

  Status control(
      RunnerAction action, const ResourceName& name = input, const std::string& through = worker1) {
    return cluster.control_runner(through, name, action);
  }
  std::vector<ListedRunner> runners() { return cluster.list_runners(worker1, 2s)->runners; }
  /// "running, 3 steps, 0 failures, Ok, Ok": of the only one.
  std::string listed() {
    auto found = runners();
    if (found.size() != 1) return std::to_string(found.size()) + " runners";
    const auto& runner = found[0];
    return std::string(to_string(runner.state)) + ", " + std::to_string(runner.steps) + " steps, " +
           std::to_string(runner.failures) + " failures, " + to_string(runner.last_error.code()) +
           ", " + to_string(runner.status.code());
  }
  std::string code(const Status& status) { return to_string(status.code()); }
};

}  // namespace
}  // namespace runners_left_on_a_cluster

BOOST_FIXTURE_TEST_SUITE(runners_left_on_a_cluster, runners_left_on_a_cluster::RunnerFixture)

BOOST_AUTO_TEST_CASE(a_runner_goes_on_after_its_client_is_gone) {
  {
    Producer producer(cluster);
    BOOST_TEST(producer.leave().ok());
    BOOST_TEST(producer.session.close().ok());
  }
  QueueClient consumer(cluster, worker1);
  BOOST_TEST(consumer.take(5) == "0 1 2 3 4");
  cluster.run_for(1s);
  BOOST_TEST(listed() == "running, 7 steps, 0 failures, Ok, Ok");
  BOOST_TEST(runners()[0].task == worker0);
  auto resources = cluster.list_resources(worker1, 1s)->resources;
  BOOST_TEST(std::ranges::any_of(resources, [](const ListedResource& resource) {
    return resource.name == input && resource.kind == "runner";
  }));
}

BOOST_AUTO_TEST_CASE(a_runner_that_is_resumed_counts_on_where_it_was) {
  Producer producer(cluster);
  BOOST_TEST(producer.leave().ok());
  cluster.run_for(1s);  // the queue is full, and a step waits with the number 2
  BOOST_TEST(control(RunnerAction::pause).ok());
  BOOST_TEST(control(RunnerAction::pause).ok());
  BOOST_TEST(listed() == "paused, 2 steps, 0 failures, Ok, Ok");
  QueueClient consumer(cluster, worker1);
  BOOST_TEST(consumer.take(4, 500ms) == "0 1 2 DeadlineExceeded");
  BOOST_TEST(listed() == "paused, 3 steps, 0 failures, Ok, Ok");
  BOOST_TEST(control(RunnerAction::resume).ok());
  BOOST_TEST(control(RunnerAction::resume).ok());
  BOOST_TEST(consumer.take(3) == "3 4 5");
}

BOOST_AUTO_TEST_CASE(a_runner_that_is_stopped_closes_its_queue_and_leaves_nothing) {
  Producer producer(cluster);
  BOOST_TEST(producer.leave().ok());
  cluster.run_for(1s);
  BOOST_TEST(control(RunnerAction::stop).ok());
  BOOST_TEST(runners().empty());
  QueueClient consumer(cluster, worker1);
  BOOST_TEST(consumer.take(3) == "0 1 OutOfRange");
  for (auto action : {RunnerAction::stop, RunnerAction::pause, RunnerAction::resume})
    BOOST_TEST(code(control(action)) == "NotFound");
  BOOST_TEST(producer.session.close().ok());
  BOOST_TEST(consumer.session.close().ok());
  BOOST_TEST(cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(the_end_of_its_input_closes_the_queue_behind_the_last_element) {
  Producer producer(cluster, worker0, /*limit=*/5);
  BOOST_TEST(producer.leave().ok());
  QueueClient consumer(cluster, worker1);
  BOOST_TEST(consumer.take(6) == "0 1 2 3 4 OutOfRange");
  BOOST_TEST(listed() == "ended, 5 steps, 0 failures, Ok, Ok");
  BOOST_TEST(code(control(RunnerAction::resume)) == "FailedPrecondition");
  BOOST_TEST(control(RunnerAction::stop).ok());
  BOOST_TEST(runners().empty());
}

BOOST_AUTO_TEST_CASE(an_error_of_a_step_ends_the_runner_and_is_listed) {
  Producer producer(cluster);
  BOOST_TEST(producer.session.start_runner("input", producer.spec()).ok());  // of no count
  QueueClient consumer(cluster, worker1);
  BOOST_TEST(consumer.take(1) == "OutOfRange");
  BOOST_TEST(listed() == "ended, 0 steps, 1 failures, FailedPrecondition, FailedPrecondition");
  BOOST_TEST(runners()[0].status.message().find("uninitialized value count") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_reset_of_its_container_stops_a_runner_and_no_other_does) {
  Producer producer(cluster, worker0, 1'000'000, "of_the_queue");
  BOOST_TEST(producer.run(producer.set).ok());
  BOOST_TEST(producer.session.start_runner("input", producer.spec("of_the_runner")).ok());
  QueueClient consumer(cluster, worker1, "numbers", 2, "of_the_queue");
  BOOST_TEST(cluster.reset(worker0, {"of_others"}, 1s).ok());
  BOOST_TEST(consumer.take(3) == "0 1 2");
  BOOST_TEST(cluster.reset(worker1, {"of_the_runner"}, 1s).ok());
  BOOST_TEST(runners().empty());
  QueueClient next(cluster, worker1, "numbers", 2, "of_the_queue");
  BOOST_TEST(next.take(3, 500ms) == "3 4 DeadlineExceeded");
}

BOOST_AUTO_TEST_CASE(a_reset_of_what_its_steps_use_ends_a_runner) {
  Producer producer(cluster, worker0, 1'000'000, "of_the_queue");
  BOOST_TEST(producer.leave().ok());
  cluster.run_for(1s);
  BOOST_TEST(cluster.reset(worker1, {"of_the_queue"}, 1s).ok());
  cluster.run_for(1s);
  auto found = runners();
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(to_string(found[0].state) == "ended");
  BOOST_TEST(!found[0].status.ok());
}

BOOST_AUTO_TEST_CASE(a_reset_ends_a_runner_whether_its_step_or_its_session_is_the_first_to_hear) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    sim::Cluster each({{"ps", 1}, {"worker", 2}}, sim::Seed{seed});
    Producer producer(each, worker0, 1'000'000, "of_the_queue");
    BOOST_TEST(producer.leave().ok());
    each.run_for(1s);
    BOOST_TEST(each.reset(worker1, {"of_the_queue"}, 1s).ok());
    each.run_for(1s);
    auto found = each.list_runners(worker1, 2s);
    BOOST_TEST_REQUIRE(found.ok());
    BOOST_TEST_REQUIRE(found->runners.size() == 1u);
    BOOST_TEST(to_string(found->runners[0].state) == "ended", "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(a_runner_whose_queue_is_lost_tries_again_until_it_is_back) {
  Producer producer(cluster);
  BOOST_TEST(producer.leave().ok());
  cluster.run_for(1s);
  cluster.crash(ps);
  cluster.run_for(20s);
  auto found = cluster.list_runners(worker1, 2s);
  BOOST_TEST(found->missing.size() == 1u);
  BOOST_TEST_REQUIRE(found->runners.size() == 1u);
  BOOST_TEST(to_string(found->runners[0].state) == "running");
  BOOST_TEST(code(found->runners[0].last_error) == "Unavailable");
  BOOST_TEST(found->runners[0].failures > 4u);
  BOOST_TEST(found->runners[0].failures < 15u);  // ever less often
  cluster.restart(ps);
  QueueClient consumer(cluster, worker1);
  auto first = consumer.take(1, 20'000ms);
  auto number = std::stoll(first);  // which the steps that failed have passed
  BOOST_TEST(number > 2);
  BOOST_TEST(consumer.take(1) == std::to_string(number + 1));
}

BOOST_AUTO_TEST_CASE(a_runner_is_gone_with_its_node_and_its_name_is_free) {
  Producer producer(cluster);
  BOOST_TEST(producer.leave().ok());
  cluster.crash(worker0);
  cluster.run_for(3s);
  BOOST_TEST(runners().empty());
  BOOST_TEST(code(control(RunnerAction::pause)) == "Unavailable");
  Producer other(cluster, worker1);
  BOOST_TEST(other.leave().ok());
  cluster.restart(worker0);
  cluster.run_for(3s);
  BOOST_TEST(runners().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_name_stands_for_one_runner_of_the_cluster) {
  Producer producer(cluster), other(cluster, worker1);
  BOOST_TEST(producer.leave().ok());
  BOOST_TEST(code(producer.leave()) == "AlreadyExists");
  BOOST_TEST(code(other.leave()) == "AlreadyExists");
  BOOST_TEST(code(other.leave("count")) == "AlreadyExists");  // a variable
  BOOST_TEST(other.session.start_runner("input", other.spec("elsewhere")).ok());
  BOOST_TEST(runners().size() == 2u);
  BOOST_TEST(control(RunnerAction::stop, {"elsewhere", "input"}).ok());
  BOOST_TEST(control(RunnerAction::stop).ok());
  BOOST_TEST(other.leave().ok());  // at once
}

BOOST_AUTO_TEST_CASE(a_runner_of_wrong_words_is_refused) {
  Producer producer(cluster);
  auto refused = [&](const std::string& name, RunnerSpec spec) {
    return code(producer.session.start_runner(name, spec));
  };
  auto spec = producer.spec();
  BOOST_TEST(refused("", spec) == "InvalidArgument");
  BOOST_TEST(refused("two words", spec) == "InvalidArgument");
  BOOST_TEST(refused("_mine", spec) == "InvalidArgument");
  BOOST_TEST(refused("input", {.enqueue_ops = {}}) == "InvalidArgument");
  BOOST_TEST(refused("input", {.enqueue_ops = {"no_such"}}) == "NotFound");
  auto wrong = spec;
  wrong.close_op = "no_such";
  BOOST_TEST(refused("input", wrong) == "NotFound");
  wrong = spec;
  wrong.container = "two words";
  BOOST_TEST(refused("input", wrong) == "InvalidArgument");
  wrong = spec;
  wrong.enqueue_ops.assign(RunnerSpec::enqueue_ops_max + 1, producer.enqueue.name());
  BOOST_TEST(refused("input", wrong) == "InvalidArgument");
  QueueClient isolated(cluster, worker0, "numbers", 2, "", {.isolate_state = true});
  RunnerSpec closing{.enqueue_ops = {isolated.close.name()}};
  BOOST_TEST(code(isolated.session.start_runner("input", closing)) == "InvalidArgument");
  BOOST_TEST(runners().empty());
  BOOST_TEST(producer.session.close().ok());
  BOOST_TEST(isolated.session.close().ok());
  BOOST_TEST(cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_task_has_a_bounded_number_of_runners) {
  Producer producer(cluster);
  BOOST_TEST(producer.run(producer.set).ok());
  int count = 0;
  auto leave = [&] {
    return producer.session.start_runner("input_" + std::to_string(count), producer.spec());
  };
  while (leave().ok() && count < 100) ++count;
  BOOST_TEST(count == 64);
  BOOST_TEST(code(leave()) == "ResourceExhausted");
  BOOST_TEST(control(RunnerAction::stop, {"", "input_7"}).ok());
  BOOST_TEST(leave().ok());
}

BOOST_AUTO_TEST_CASE(three_steps_at_once_move_each_element_once_however_often_it_is_paused) {
  QueueClient from(cluster, worker0, "from", 100), to(cluster, worker0, "numbers", 2);
  std::set<int64_t> sent, arrived;
  auto value = from.b.placeholder(DType::int64, {});
  auto put = from.b.op("QueueEnqueueV2", {from.queue, value});
  for (int64_t i = 0; i < 30; ++i) {
    sent.insert(i);
    BOOST_TEST(from.session.run({{value, Tensor::scalar(i)}}, {}, {put}).ok());
  }
  auto source = to.b.on(ps).op(
      "FIFOQueueV2", {},
      {{"component_types", DTypes{DType::int64}},
       {"shapes", Shapes{Shape()}},
       {"capacity", int64_t{100}},
       {"shared_name", "from"}});
  auto next = to.b.op("QueueDequeueV2", {source}, {{"component_types", DTypes{DType::int64}}});
  auto move = to.b.op("QueueEnqueueV2", {to.queue, next}).name();
  RunnerSpec spec{.enqueue_ops = {move, move, move}, .close_op = to.close.name()};
  BOOST_TEST(to.session.start_runner("input", spec).ok());
  QueueClient consumer(cluster, worker1);
  for (int i = 0; i < 28; ++i) {
    auto action = i % 4 == 1 ? RunnerAction::pause : RunnerAction::resume;
    BOOST_TEST(control(action).ok());
    if (i % 4 != 1) arrived.insert(std::stoll(consumer.take(1)));
  }
  BOOST_TEST(from.run(from.close).ok());
  for (auto taken = consumer.take(1); taken != "OutOfRange"; taken = consumer.take(1)) {
    BOOST_TEST_REQUIRE(taken != "DeadlineExceeded");
    BOOST_TEST(arrived.insert(std::stoll(taken)).second, taken << " came twice");
  }
  BOOST_TEST(arrived == sent, boost::test_tools::per_element());
  BOOST_TEST(listed() == "ended, 30 steps, 0 failures, Ok, Ok");
}

BOOST_AUTO_TEST_SUITE_END()
