#pragma once

#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <future>
#include <map>
#include <mutex>

#include "troupe/actors/device/device_actor.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/actors/world/background_thread.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

using namespace std::chrono_literals;

/// A world of one process, whose connections, and what runs in the background, can be delayed or
/// refused.
class TestWorld final : public World {
 public:
  explicit TestWorld(caf::actor_system& system) : system_(system) {}

  void serve(const Address& address, caf::strong_actor_ptr task) {
    std::lock_guard lock(mutex_);
    tasks_[address] = std::move(task);
  }
  void hold() {
    std::lock_guard lock(mutex_);
    holds_ = true;
  }
  void release() {
    std::vector<std::function<void()>> held;
    {
      std::lock_guard lock(mutex_);
      holds_ = false;
      held.swap(held_);
    }
    for (auto& answer : held) answer();
  }
  std::chrono::milliseconds last_timeout() {
    std::lock_guard lock(mutex_);
    return last_timeout_;
  }

  void run_in_background(std::function<void()> work) override {
    std::lock_guard lock(mutex_);
    if (holds_) held_.push_back(std::move(work));
    else background_.run(std::move(work));
  }
  bool takes_long(size_t nodes) override { return all_takes_long || World::takes_long(nodes); }
  std::atomic<bool> all_takes_long = false;
  caf::actor_system& system() override { return system_; }
  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done) override {
    std::function<void()> answer;
    {
      std::lock_guard lock(mutex_);
      last_timeout_ = timeout;
      auto found = tasks_.find(address);
      answer = [done, address, task = found == tasks_.end() ? nullptr : found->second] {
        if (task) done(task);
        else done(unavailable("nobody at " + address.to_string()));
      };
      if (holds_) return held_.push_back(std::move(answer));
    }
    answer();
  }
  void probe(const Address& address, std::chrono::milliseconds, Probed done) override {
    std::unique_lock lock(mutex_);
    auto is_served = tasks_.contains(address);
    lock.unlock();
    if (is_served) done(uint64_t{0});
    else done(not_found("nobody at " + address.to_string()));
  }
  uint64_t random() override { return ++random_; }

 private:
  caf::actor_system& system_;
  std::mutex mutex_;
  std::map<Address, caf::strong_actor_ptr> tasks_;
  std::vector<std::function<void()>> held_;
  bool holds_ = false;
  BackgroundThread background_;
  std::chrono::milliseconds last_timeout_{0};
  std::atomic<uint64_t> random_{0};
};

struct TestConfig : caf::actor_system_config {
  explicit TestConfig(size_t threads = 1) {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", threads);
  }
};

/// The cluster {"a": 1 task, "b": 1 task}. Task a runs; task b is spawned or replaced by a fake by
/// the test. The test sends as `self`, also in place of a session.
struct NodesFixture {
  static constexpr const char* a_task = "/job:a/task:0";
  static constexpr const char* b_task = "/job:b/task:0";
  static constexpr const char* b_device = "/job:b/task:0/device:CPU:0";

  const std::chrono::milliseconds connect_timeout = stretched(5000ms);
  std::vector<std::shared_ptr<Device>> devices;
  TestConfig config;  // whose threads run the actors
  caf::actor_system system{config};
  std::shared_ptr<TestWorld> world = std::make_shared<TestWorld>(system);
  std::shared_ptr<const OpCatalog> catalog = op_catalog();
  ClusterSpec cluster = *ClusterSpec::make({{"a", {"a:1"}}, {"b", {"b:1"}}});
  std::vector<TaskActor> tasks;
  TaskActor a = spawn("a");
  caf::scoped_actor self{system};

  explicit NodesFixture(size_t threads = 1) : config(threads) {}
  ~NodesFixture() {
    world->release();
    for (auto& task : tasks) caf::anon_send_exit(task, caf::exit_reason::user_shutdown);
    tasks.clear();
    a = nullptr;
  }

  TaskActor spawn(const std::string& job) {
    devices.push_back(make_cpu_device({.threads = 1}));
    auto task = spawn_task({.config = {cluster, job, 0},
                            .devices = {devices.back()},
                            .catalog = catalog,
                            .world = world,
                            .connect_timeout = connect_timeout})
                    .actor;
    world->serve({job, 1}, caf::actor_cast<caf::strong_actor_ptr>(task));
    tasks.push_back(task);
    return task;
  }

  /// Sends a request and waits for the answer; without one the test fails.
  template <class... Answer, class Actor, class Message>
  std::tuple<Answer...> ask(const Actor& actor, Message message) {
    std::tuple<Answer...> answers;
    self->request(actor, test_timeout, std::move(message))
        .receive(
            [&](Answer&... values) { answers = std::tuple(std::move(values)...); },
            [&](caf::error& error) { BOOST_FAIL(self->system().render(error)); });
    return answers;
  }

  /// Waits for the next message of that type.
  template <class Message>
  Message next() {
    std::optional<Message> received;
    self->receive(
        [&](Message& message) { received = std::move(message); },
        caf::after(test_timeout) >> [] { BOOST_FAIL("the message did not come"); });
    return *received;
  }

  template <class Actor>
  void wait_for_end(const Actor& actor) {
    self->monitor(actor);
    (void)next<caf::down_msg>();
  }

  DeviceActor device_of(const TaskActor& task, const std::string& job) {
    auto [status, description] = ask<Status, TaskDescription>(
        task, FindTask{.job = job, .task = 0, .timeout = connect_timeout});
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    return caf::actor_cast<DeviceActor>(description.devices.at(0).actor);
  }
};

}  // namespace troupe::testing
