#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/actors/sim/random.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace queue_cases {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

Attrs queue_attrs(const std::string& shared_name, int64_t capacity) {
  return {
      {"component_types", DTypes{DType::int64}},
      {"shapes", Shapes{Shape()}},
      {"capacity", capacity},
      {"shared_name", shared_name}};
}

/// A client with a queue of int64 scalars on the parameter server.
struct QueueClient {
  QueueClient(
      sim::Cluster& cluster, const std::string& master, const std::string& shared_name = "examples",
      int64_t capacity = 4)
      : session(cluster.session(master)),
        b(session.graph()),
        on_ps(b.on(ps)),
        queue(on_ps.op("FIFOQueueV2", {}, queue_attrs(shared_name, capacity))),
        value(b.placeholder(DType::int64, {})),
        rows(b.placeholder(DType::int64, {Shape::unknown})),
        count(b.placeholder(DType::int32, {})),
        enqueue(b.op("QueueEnqueueV2", {queue, value})),
        enqueue_many(b.op("QueueEnqueueManyV2", {queue, rows})),
        dequeue(b.op("QueueDequeueV2", {queue}, types)),
        dequeue_many(b.op("QueueDequeueManyV2", {queue, count}, types)),
        dequeue_up_to(b.op("QueueDequeueUpToV2", {queue, count}, types)),
        size(b.op("QueueSizeV2", {queue})),
        close(b.op("QueueCloseV2", {queue})),
        is_closed(b.op("QueueIsClosedV2", {queue})) {}

  sim::Call put(int64_t element, const RunOptions& options = {}) {
    return session.start({{value, Tensor::scalar(element)}}, {}, {enqueue}, options);
  }
  sim::Call put_many(const std::vector<int64_t>& elements, const RunOptions& options = {}) {
    auto tensor = Tensor::of<int64_t>({std::ssize(elements)}, std::span(elements));
    return session.start({{rows, tensor}}, {}, {enqueue_many}, options);
  }
  sim::Call take(const RunOptions& options = {}) {
    return session.start({}, {dequeue}, {}, options);
  }
  sim::Call take_many(int32_t n, const RunOptions& options = {}) {
    return session.start({{count, Tensor::scalar(n)}}, {dequeue_many}, {}, options);
  }
  std::string depth() {
    auto values = session.run({}, {size});
    return values ? values->at(0).to_string() : values.status().to_string();
  }

  Attrs types = {{"component_types", DTypes{DType::int64}}};
  sim::Session session;
  const Builder& b;
  Builder on_ps;
  Value queue, value, rows, count, enqueue, enqueue_many, dequeue, dequeue_many, dequeue_up_to,
      size, close, is_closed;
};

std::string result(sim::Cluster& cluster, const sim::Call& call) {
  cluster.run_until(call.done(), 5s);
  if (!call.is_done()) return "waits";
  if (!call.status().ok())
    return std::string(to_string(call.status().code())) + ": " + call.status().message();
  return call.values().empty() ? "ok" : call.values()[0].to_string();
}

struct SimulatedQueuesFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{3}};
  std::string result(const sim::Call& call) { return queue_cases::result(cluster, call); }
};

}  // namespace
}  // namespace queue_cases

using namespace queue_cases;

BOOST_FIXTURE_TEST_SUITE(queues, SimulatedQueuesFixture)

BOOST_AUTO_TEST_CASE(a_producer_and_a_consumer_on_other_tasks_share_a_queue_by_name) {
  QueueClient producer(cluster, worker0), consumer(cluster, worker1);
  auto waiting = consumer.take();
  BOOST_TEST(result(waiting) == "waits");
  BOOST_TEST(result(producer.put(7)) == "ok");
  BOOST_TEST(result(waiting) == "int64[] [7]");
  BOOST_TEST(result(producer.put_many({1, 2, 3, 4})) == "ok");
  auto full = producer.put(5);
  BOOST_TEST(result(full) == "waits");
  BOOST_TEST(result(consumer.take_many(5)) == "int64[5] [1 2 3 4 5]");
  BOOST_TEST(result(full) == "ok");
}

BOOST_AUTO_TEST_CASE(a_queue_outlives_the_sessions_that_fill_it) {
  {
    QueueClient producer(cluster, worker0);
    BOOST_TEST(result(producer.put_many({1, 2})) == "ok");
    BOOST_TEST(producer.session.close().ok());
  }
  QueueClient consumer(cluster, worker1);
  BOOST_TEST(result(consumer.take_many(2)) == "int64[2] [1 2]");
  BOOST_TEST(result(consumer.session.start({}, {}, {consumer.close})) == "ok");
  BOOST_TEST(result(consumer.session.start({}, {consumer.is_closed})) == "bool[] [1]");
}

BOOST_AUTO_TEST_CASE(a_queue_without_a_name_is_of_one_session_and_ends_with_it) {
  {
    QueueClient one(cluster, worker0, ""), other(cluster, worker1, "");
    BOOST_TEST(result(one.put(1)) == "ok");
    BOOST_TEST(one.depth() == "int32[] [1]");
    BOOST_TEST(other.depth() == "int32[] [0]");
    BOOST_TEST(one.session.close().ok());
    BOOST_TEST(other.session.close().ok());
  }
  cluster.run_for(1s);
  BOOST_TEST(cluster.list_resources(worker0, 1s)->resources.empty());
  BOOST_TEST(cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_queue_declared_otherwise_is_an_error) {
  QueueClient one(cluster, worker0);
  BOOST_TEST(one.depth() == "int32[] [0]");
  QueueClient other(cluster, worker1, "examples", /*capacity=*/7);
  BOOST_TEST(
      other.depth().find(
          "InvalidArgument: Shared queue 'examples' has capacity 4 but requested capacity was 7") ==
      0u);
}

// -- who goes away

BOOST_AUTO_TEST_CASE(a_client_that_is_gone_leaves_its_element_to_the_next) {
  QueueClient lost(cluster, worker1), next(cluster, worker0);
  auto first = lost.take_many(3);
  BOOST_TEST(result(next.put_many({1, 2})) == "ok");
  auto second = next.take_many(3);
  BOOST_TEST(result(second) == "waits");
  cluster.crash(worker1);
  cluster.run_for(5s);
  BOOST_TEST(result(next.put(3)) == "ok");
  BOOST_TEST(result(second) == "int64[3] [1 2 3]");
}

BOOST_AUTO_TEST_CASE(a_producer_that_is_gone_does_not_block_the_next) {
  QueueClient lost(cluster, worker1, "examples", 1), next(cluster, worker0, "examples", 1);
  BOOST_TEST(result(next.put(1)) == "ok");
  auto first = lost.put(2);
  BOOST_TEST(result(first) == "waits");
  auto second = next.put(3);
  cluster.crash(worker1);
  cluster.run_for(5s);
  BOOST_TEST(result(next.take_many(2)) == "int64[2] [1 3]");
  BOOST_TEST(result(second) == "ok");
}

BOOST_AUTO_TEST_CASE(the_loss_of_the_task_that_holds_a_queue_ends_the_steps_that_wait_for_it) {
  QueueClient client(cluster, worker0);
  auto waiting = client.take();
  BOOST_TEST(result(waiting) == "waits");
  cluster.crash(ps);
  BOOST_TEST(result(waiting).find("Unavailable: lost /job:ps/task:0") == 0u);
  cluster.restart(ps);
  QueueClient after(cluster, worker1);
  BOOST_TEST(after.depth() == "int32[] [0]");
}

BOOST_AUTO_TEST_CASE(a_cancelled_dequeue_puts_back_what_it_had_in_order) {
  QueueClient client(cluster, worker0), other(cluster, worker1);
  auto waiting = client.take_many(6);
  BOOST_TEST(result(other.put_many({1, 2, 3, 4, 5})) == "ok");
  client.session.cancel(waiting);
  BOOST_TEST(result(waiting) == "Cancelled: the caller cancelled the step");
  BOOST_TEST(result(other.take_many(5)) == "int64[5] [1 2 3 4 5]");
}

BOOST_AUTO_TEST_CASE(a_reset_of_the_container_ends_what_waits) {
  QueueClient client(cluster, worker0);
  auto waiting = client.take();
  BOOST_TEST(result(waiting) == "waits");
  BOOST_TEST(cluster.reset(worker1, {""}, 1s).ok());
  BOOST_TEST(result(waiting).find("Aborted: ") == 0u);
  QueueClient after(cluster, worker1);
  BOOST_TEST(result(after.put(1)) == "ok");
  BOOST_TEST(result(after.take()) == "int64[] [1]");
}

// A step that takes an element and then waits for another device loses it to nobody.
BOOST_AUTO_TEST_CASE(what_a_step_took_is_put_back_when_a_task_that_it_needs_is_lost) {
  QueueClient client(cluster, worker0), other(cluster, worker0);
  BOOST_TEST(result(other.put(1)) == "ok");
  // The second queue is empty: the step waits with the first one's element.
  auto second = client.on_ps.op("FIFOQueueV2", {}, queue_attrs("labels", 4));
  auto label = client.b.op("QueueDequeueV2", {second}, client.types);
  auto sum = client.b.on(worker1).op("AddV2", {client.dequeue, label});
  auto step = client.session.start({}, {sum});
  BOOST_TEST(result(step) == "waits");
  BOOST_TEST(other.depth() == "int32[] [0]");
  cluster.crash(worker1);
  BOOST_TEST(result(step).find("Unavailable: lost /job:worker/task:1") == 0u);
  BOOST_TEST(other.depth() == "int32[] [1]");
}

// -- what is seen

BOOST_AUTO_TEST_CASE(a_step_that_timed_out_tells_what_its_queue_is_like) {
  QueueClient client(cluster, worker0);
  auto step = client.take({.timeout = 300ms});
  BOOST_TEST(
      result(step) ==
      "DeadlineExceeded: the step was not done within its timeout; it waits for "
      "/job:ps/task:0/device:CPU:0");
  BOOST_REQUIRE(step.status().notes().size() == 1u);
  auto note = step.status().notes()[0];
  BOOST_TEST(
      note.find("(QueueDequeueV2) on /job:ps/task:0/device:CPU:0 has waited ") !=
      std::string::npos);
  BOOST_TEST(
      note.find(
          " ms for an element of its queue: FIFOQueue 'examples' has 0 of 4 elements; 0 enqueues "
          "and 1 dequeue wait") != std::string::npos,
      note);
  BOOST_TEST(result(client.put(1)) == "ok");
  BOOST_TEST(client.depth() == "int32[] [1]");  // the dequeue does not wait any more
}

BOOST_AUTO_TEST_CASE(the_list_of_resources_has_the_depth_of_queues_and_what_waits_for_them) {
  QueueClient client(cluster, worker0);
  BOOST_TEST(result(client.put_many({1, 2, 3})) == "ok");
  auto producer = client.put_many({4, 5, 6});
  BOOST_TEST(result(producer) == "waits");
  auto list = cluster.list_resources(worker1, 1s)->resources;
  BOOST_REQUIRE(list.size() == 1u);
  BOOST_TEST(list[0].kind == "queue");
  BOOST_TEST(list[0].name.name == "examples");
  BOOST_TEST((list[0].dtype == DType::int64));
  BOOST_TEST((list[0].shape == Shape{4}));
  BOOST_TEST(list[0].bytes == 32u);
  const auto& [capacity, enqueues, dequeues] = list[0].queue.value();
  BOOST_TEST((capacity == 4 && enqueues.elements == 4 && enqueues.per_second > 0));
  BOOST_TEST((enqueues.idle && enqueues.waiting == 1 && dequeues == QueueTraffic{}));
  BOOST_TEST(enqueues.waiters.at(0).node.find(" of a session at " + worker0) != std::string::npos);
  BOOST_TEST(list[0].device == ps + "/device:CPU:0");
}

// -- random faults

namespace {

/// Clients that enqueue numbers and dequeue, some of whose tasks fail or whose steps are cancelled
/// or time out. The task of the queue goes on.
class RandomTraffic {
 public:
  explicit RandomTraffic(uint64_t seed)
      : cluster_({{"ps", 1}, {"worker", 2}}, sim::Seed{seed}), random_(sim::Seed{seed}, "queue") {}

  void run() {
    for (int round = 0; round < 40; ++round) {
      for (size_t i = 0; i < workers_.size(); ++i) act(i);
      if (random_.chance(0.1)) disturb();
      cluster_.run_for(std::chrono::milliseconds(random_.between(1, 200)));
      take_answers();
    }
    cluster_.end_all_faults();
    cluster_.run_for(20s);
    take_answers();
    for (auto& [name, client] : clients_)
      for (auto& call : calls_)
        if (call.client == name) client->session.cancel(call.call);
    cluster_.run_for(5s);
    take_answers();
    BOOST_TEST(calls_.empty());
    drain();
  }

 private:
  struct OpenCall {
    sim::Call call;
    std::string client;
    std::vector<int64_t> put;
    int32_t taken = 0;
    sim::Time began;
  };

  RunOptions draw_timeout() {
    if (random_.chance(0.5)) return {};
    return {.timeout = std::chrono::milliseconds(random_.between(1, 300))};
  }

  void act(size_t i) {
    const auto& name = workers_[i];
    if (!cluster_.is_running(name)) return;
    auto& client = clients_[name];
    if (!client || processes_[name] != cluster_.process_number(name)) {
      client = std::make_unique<QueueClient>(cluster_, name);
      processes_[name] = cluster_.process_number(name);
    }
    auto options = draw_timeout();
    if (i == 0) {  // one producer, so that the order is known
      std::vector<int64_t> put;
      for (auto count = random_.between(1, 6); count > 0; --count) put.push_back(next_++);
      auto call = put.size() == 1 ? client->put(put[0], options) : client->put_many(put, options);
      calls_.push_back({.call = call, .client = name, .put = put, .began = cluster_.now()});
    } else {
      auto count = static_cast<int32_t>(random_.between(1, 6));
      auto call = count == 1 ? client->take(options) : client->take_many(count, options);
      calls_.push_back(
          {.call = call, .client = name, .put = {}, .taken = count, .began = cluster_.now()});
    }
    if (random_.chance(0.1)) client->session.cancel(calls_.back().call);
  }

  void disturb() {
    const auto& task = workers_[random_.below(workers_.size())];
    disturbed_[task] = cluster_.now();
    if (cluster_.process_number(task) == 0) return cluster_.restart(task);
    if (!cluster_.is_running(task)) return cluster_.thaw(task);
    switch (random_.below(3)) {
      case 0: return cluster_.crash(task);
      case 1: return cluster_.freeze(task);
      default: return cluster_.break_link(task, ps);
    }
  }

  void take_answers() {
    for (const auto& call : calls_)
      if (call.call.is_done()) check(call);
    std::erase_if(calls_, [](const OpenCall& call) { return call.call.is_done(); });
  }

  void check(const OpenCall& call) {
    auto ok = call.call.status().ok();
    if (call.taken == 0) {
      if (ok) acknowledged_.insert(call.put.begin(), call.put.end());
      return;
    }
    if (!ok) return;
    auto values = call.call.values().at(0).values<int64_t>();
    for (auto value : values) take(value);
    // The queue may not have heard that they were taken: then they come once more.
    if (disturbed_[call.client] >= call.began) doubtful_.insert(values.begin(), values.end());
    BOOST_TEST(std::ranges::is_sorted(values));
  }

  void take(int64_t value) {
    BOOST_TEST(value < next_);
    auto comes_again = doubtful_.erase(value) > 0;
    BOOST_TEST((taken_.insert(value).second || comes_again), value << " came out twice");
  }

  /// All that was put in for sure has come out, or is still in.
  void drain() {
    QueueClient last(cluster_, ps);
    cluster_.run_until(last.session.start({}, {}, {last.close}).done());
    auto rest =
        last.session.run({{last.count, Tensor::scalar<int32_t>(1'000'000)}}, {last.dequeue_up_to});
    if (rest) {
      auto values = rest->at(0).values<int64_t>();
      BOOST_TEST(std::ranges::is_sorted(values));
      for (auto value : values) take(value);
    }
    auto lost = std::ranges::count_if(
        acknowledged_, [this](int64_t value) { return !taken_.contains(value); });
    BOOST_TEST(lost == 0);
  }

  sim::Cluster cluster_;
  sim::Random random_;
  const std::vector<std::string> workers_ = {worker0, worker1};
  std::map<std::string, std::unique_ptr<QueueClient>> clients_;
  std::map<std::string, int> processes_;
  std::vector<OpenCall> calls_;
  int64_t next_ = 0;
  std::set<int64_t> acknowledged_, taken_, doubtful_;
  std::map<std::string, sim::Time> disturbed_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(no_element_is_lost_or_comes_out_twice_or_out_of_order_whatever_fails) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) { RandomTraffic(seed).run(); }
  }
}

BOOST_AUTO_TEST_SUITE_END()
