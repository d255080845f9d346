#include "troupe/tests/soak/queue_soak.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/tests/process_usage.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/soak/random_step.hpp"
#include "troupe/tests/soak/verdict.hpp"

namespace troupe::soak {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int nodes = 4;
constexpr int producers = 8, consumers = 8;
constexpr int64_t capacity = 64;
constexpr int32_t element_numbers = 8192;  // 64 KiB
constexpr auto queue_call_time_max = 60s;
constexpr double queue_tolerance_mib = 16;  // see link_soak.cpp

/// What the clients use: each has one, whose elements are made or read on its own node.
struct QueueUse {
  explicit QueueUse(int node) {
    auto there = b.on(name_of_task(0)), here = b.on(name_of_task(node));
    auto queue = there.op(
        "FIFOQueueV2", {},
        {{"component_types", DTypes{DType::int64}},
         {"shapes", Shapes{Shape{element_numbers}}},
         {"capacity", capacity},
         {"shared_name", "soak"}});
    number = here.placeholder(DType::int64, {});
    auto element = here.fill(here.ints({element_numbers}), number);
    enqueue = there.op("QueueEnqueueV2", {queue, element});
    auto taken = there.op("QueueDequeueV2", {queue}, {{"component_types", DTypes{DType::int64}}});
    for (auto extreme : {"Min", "Max"})
      extremes.emplace_back(here.op(extreme, {taken, here.ints({0})}));
    size = there.op("QueueSizeV2", {queue});
    close = there.op("QueueCloseV2", {queue});
  }

  Builder b;
  Value number, enqueue, size, close;
  Refs extremes;  // of the numbers of an element that was taken, which are the same
};

/// A client with a session.
class QueueClient {
 public:
  QueueClient(const std::string& target, int node, Verdict& verdict) : use_(node) {
    auto client = Client::connect(target);
    auto session = client ? (*client)->session({.operation_timeout = queue_call_time_max})
                          : Result<std::unique_ptr<Session>>(client.status());
    auto status = session ? (*session)->extend(use_.b) : session.status();
    if (!status.ok()) {
      verdict.fail("opening a session: " + status.to_string());
    } else {
      client_ = *std::move(client);
      session_ = *std::move(session);
    }
  }

  bool is_open() const { return session_ != nullptr; }
  Status put(int64_t number) {
    return session_->run({{use_.number, Tensor::scalar(number)}}, {}, {use_.enqueue}).status();
  }
  /// The smallest and the largest number of an element.
  Result<Tensors> take(std::chrono::milliseconds timeout) {
    return session_->run({}, use_.extremes, {}, {.timeout = timeout});
  }
  Result<int64_t> size() {
    auto size = session_->run({}, {use_.size});
    return size ? Result<int64_t>((*size)[0].value<int32_t>()) : size.status();
  }
  Status close() { return session_->run({}, {}, {use_.close}).status(); }
  Status reset() { return client_->reset_all(queue_call_time_max); }

 private:
  QueueUse use_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Session> session_;
};

class QueueSoak {
 public:
  explicit QueueSoak(const Settings& settings) : settings_(settings), nodes_({{"worker", nodes}}) {}

  bool run() {
    auto length = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(settings_.queue_seconds / 6, 60.0)));
    auto end = Clock::now() + 6 * length;
    // The first round warms up, so at least one follows.
    for (int round = 1; (round <= 2 || Clock::now() < end) && !verdict_.has_failed(); ++round) {
      run_round(round, length);
      if (!verdict_.has_failed()) check_memory(round);
    }
    if (verdict_.has_failed())
      std::printf("FAULT (seed %lu): %s\n", settings_.seed, verdict_.fault().c_str());
    return !verdict_.has_failed();
  }

 private:
  std::unique_ptr<QueueClient> open(int node) {
    return std::make_unique<QueueClient>(nodes_.target("worker", node), node, verdict_);
  }

  /// Calls `work` with clients of all nodes in turn, each in a thread of its own.
  template <class Work>
  std::vector<std::future<void>> start(int count, Work work) {
    std::vector<std::future<void>> threads;
    for (int i = 0; i < count; ++i)
      threads.push_back(std::async(std::launch::async, [this, i, work] {
        if (auto client = open(i % nodes); client->is_open()) work(*client, i);
      }));
    return threads;
  }

  void run_round(int round, Clock::duration length) {
    put_ = 0, begun_ = 0, timed_out_ = 0, unanswered_ = 0, left_ = 0, stops_ = false;
    arrived_ = std::vector<std::atomic<uint8_t>>(numbers_max);
    auto main = open(0);
    if (!main->is_open()) return;
    auto begin = Clock::now();
    auto producing = start(producers, [this](QueueClient& client, int) { produce(client); });
    check_stall(*main);
    auto consuming =
        start(consumers, [this, round](QueueClient& client, int i) { consume(client, round, i); });
    while (Clock::now() < begin + length && begun_ < numbers_max - producers &&
           !verdict_.has_failed())
      std::this_thread::sleep_for(100ms);
    stops_ = true;
    for (auto& producer : producing) producer.wait();
    expect("closing the queue", main->close());
    for (auto& consumer : consuming) consumer.wait();
    take_left(*main);
    check_arrived();
    std::chrono::duration<double> time = Clock::now() - begin;
    std::printf(
        "queue round %d: %ld elements of 64 KiB in %.1f s, %.0f MiB/s; %ld steps timed out, %ld of "
        "them unanswered; %ld elements were left, %ld went with an answer\n",
        round, put_.load(), time.count(), static_cast<double>(put_) / 16 / time.count(),
        timed_out_.load(), unanswered_.load(), left_, missing());
    std::fflush(stdout);
    expect("resetting the containers", main->reset());
  }

  void expect(const std::string& what, const Status& status) {
    if (!status.ok()) verdict_.fail(what + ": " + status.to_string());
  }

  void produce(QueueClient& client) {
    while (!stops_ && !verdict_.has_failed()) {
      auto number = begun_++;
      if (number >= numbers_max) return;
      expect("an enqueue", client.put(number));
      ++put_;
    }
  }

  /// Until the queue is closed and empty.
  void consume(QueueClient& client, int round, int index) {
    Random random(
        {settings_.seed}, "consumer " + std::to_string(round) + " " + std::to_string(index));
    while (!verdict_.has_failed()) {
      auto is_short = random.chance(0.2);
      auto timeout = is_short ? std::chrono::milliseconds(random.between(1, 3)) : 60'000ms;
      auto taken = client.take(timeout);
      auto code = taken.status().code();
      if (code == Code::out_of_range) return;
      if (code == Code::deadline_exceeded && is_short) {
        ++timed_out_;
        unanswered_ += taken.status().message().find("has not answered") != std::string::npos;
        continue;
      }
      if (!taken) return verdict_.fail("a dequeue: " + taken.status().to_string());
      note((*taken)[0].value<int64_t>(), (*taken)[1].value<int64_t>());
    }
  }

  void note(int64_t least, int64_t most) {
    if (least != most || least < 0 || least >= begun_)
      return verdict_.fail(
          "an element has the numbers " + std::to_string(least) + " to " + std::to_string(most));
    if (arrived_[static_cast<size_t>(least)].fetch_add(1) > 0)
      verdict_.fail("element " + std::to_string(least) + " has arrived twice");
  }

  /// Without consumers, producers fill the queue, and then wait.
  void check_stall(QueueClient& client) {
    auto limit = Clock::now() + queue_call_time_max;
    while (put_ < capacity && !verdict_.has_failed()) {
      if (Clock::now() > limit) return verdict_.fail("producers do not fill the queue");
      std::this_thread::sleep_for(10ms);
    }
    std::this_thread::sleep_for(500ms);
    auto size = client.size();
    if (!size) return expect("asking for the size", size.status());
    if (*size != capacity || put_ != capacity)
      verdict_.fail(
          "the full queue has " + std::to_string(*size) + " elements, and " + std::to_string(put_) +
          " enqueues have ended");
  }

  int64_t missing() const {
    auto end = arrived_.begin() + std::min(begun_.load(), numbers_max);
    return std::count_if(arrived_.begin(), end, [](const auto& count) { return count == 0; });
  }

  /// A client that waits for a late node no longer leaves behind what its step puts back: others
  /// may have seen the end of the queue by then.
  void take_left(QueueClient& client) {
    for (auto limit = Clock::now() + 2s; missing() > 0 && Clock::now() < limit;) {
      auto taken = client.take(queue_call_time_max);
      if (taken) {
        note((*taken)[0].value<int64_t>(), (*taken)[1].value<int64_t>());
        ++left_;
      } else if (taken.status().code() != Code::out_of_range) {
        return expect("taking what is left", taken.status());
      } else {
        std::this_thread::sleep_for(50ms);
      }
    }
  }

  /// A client that waits for a late node no longer may miss the answer of a step that has
  /// succeeded.
  void check_arrived() {
    auto lost = missing();
    if (lost <= unanswered_) return;
    auto first = std::ranges::find_if(arrived_, [](const auto& count) { return count == 0; });
    verdict_.fail(
        std::to_string(lost) + " elements have not arrived, the first of them is " +
        std::to_string(first - arrived_.begin()) + "; " + std::to_string(unanswered_) +
        " steps were unanswered");
  }

  /// All clients have left, and nodes free memory a second after a reset.
  void check_memory(int round) {
    constexpr int tries = 10;
    std::string fault;
    for (int i = 0; i < (round == 1 ? 2 : tries); ++i) {
      std::this_thread::sleep_for(1500ms);
      fault = round == 1 ? remember() : fault_of_memory();
      if (round > 1 && fault.empty()) break;
    }
    std::printf("queue round %d, MiB:", round);
    for (int i = 0; i < nodes; ++i) std::printf(" %.1f", memory(i));
    std::puts("");
    std::fflush(stdout);
    if (!fault.empty()) verdict_.fail(fault);
  }

  double memory(int node) {
    return testing::usage_of(nodes_.node("worker", node).pid()).memory_mib;
  }
  std::string remember() {
    after_first_.clear();
    for (int i = 0; i < nodes; ++i) after_first_.push_back(memory(i));
    return "";
  }
  std::string fault_of_memory() {
    for (int i = 0; i < nodes; ++i) {
      auto first = after_first_[static_cast<size_t>(i)];
      if (auto now = memory(i); now > first + queue_tolerance_mib)
        return "node " + std::to_string(i) + " keeps " + std::to_string(now) +
               " MiB; after the first round it was " + std::to_string(first);
    }
    return "";
  }

  static constexpr int64_t numbers_max = 4'000'000;  // of a round

  const Settings& settings_;
  testing::NodeCluster nodes_;
  Verdict verdict_;
  std::atomic<int64_t> begun_ = 0, put_ = 0, timed_out_ = 0, unanswered_ = 0;
  int64_t left_ = 0;  // came after the consumers had seen the end
  std::atomic<bool> stops_ = false;
  std::vector<std::atomic<uint8_t>> arrived_;
  std::vector<double> after_first_;
};

}  // namespace

bool soak_queues(const Settings& settings) { return QueueSoak(settings).run(); }

}  // namespace troupe::soak
