#pragma once

#include <chrono>
#include <vector>

#include "troupe/actors/client_messages.hpp"

// What the fake node answers: a value in each field, so that a test sees what is lost on the way.

namespace troupe::testing {

inline Status full_error() {
  return Status(
      Code::out_of_range, "the cup is full",
      {.node = "cup",
       .op = "Pour",
       .device = "/job:ps/task:1/device:CPU:0",
       .task = "/job:ps/task:1"});
}

inline RunMetadata full_metadata() {
  DeviceRun run{
      .device = "/job:ps/task:1/device:CPU:0",
      .begin = std::chrono::nanoseconds(1),
      .end = std::chrono::nanoseconds(22),
      .duration = std::chrono::nanoseconds(20),
      .clock = "host",
      .started = std::chrono::nanoseconds(123),
      .memory_peak = 4096,
      .nodes =
          {{.node = "_send/0",
            .op = "_Send",
            .ready = std::chrono::nanoseconds(2),
            .begin = std::chrono::nanoseconds(3),
            .end = std::chrono::nanoseconds(4),
            .thread = 2,
            .bytes = 400,
            .tensor = "cup:0",
            .peer = "/job:ps/task:0/device:CPU:0"}},
      .graph = {{.name = "cup", .op = "Pour", .device = "", .inputs = {"a:0"}, .attrs = {}}}};
  return {.devices = {run}, .clock = "host", .launched = std::chrono::nanoseconds(100)};
}

inline StepExplanation full_explanation() {
  using std::chrono::nanoseconds;
  return {
      .placement = "cost",
      .predicted = nanoseconds(1),
      .devices =
          {{.device = "a",
            .nodes = 2,
            .predicted = nanoseconds(3),
            .measured = nanoseconds(4),
            .predicted_peak = 5,
            .measured_peak = 6}},
      .nodes =
          {{.node = "n",
            .op = "Neg",
            .device = "a",
            .inputs = {"x:0", "^y"},
            .why = "because",
            .alternatives = {"b"},
            .begin = nanoseconds(7),
            .predicted = nanoseconds(8),
            .measured = nanoseconds(9),
            .measured_steps = 10,
            .bytes = 11}},
      .transfers = {
          {.tensor = "x:0",
           .from = "b",
           .to = "a",
           .bytes = 12,
           .predicted = nanoseconds(13),
           .is_link_measured = true}}};
}

inline Joined fake_joined() {
  return {
      .task = 4,
      .cluster = *ClusterSpec::make({{"ps", {"a:1"}}, {"worker", {{3, "b:1"}}}}),
      .membership = {.version = 9, .joined = *ClusterSpec::make({{"worker", {{4, "c:1"}}}})},
      .directory_job = "ps",
      .directory_task = 0};
}

inline std::vector<WaitingStep> fake_waiting_steps() {
  return {
      {.session = 3,
       .step = 4,
       .age = std::chrono::milliseconds(1500),
       .waits =
           {{.device = "/job:ps/task:0/device:CPU:0",
             .node = "total",
             .op = "Sum",
             .what = "'x:0' from /job:worker/task:1/device:CPU:0",
             .peer = "/job:worker/task:1",
             .age = std::chrono::milliseconds(1400)}},
       .runner = "c/input"}};
}

inline RunnerList fake_runners() {
  return {
      .runners =
          {{.name = {"c", "input"},
            .task = "/job:ps/task:0",
            .state = RunnerState::ended,
            .age = std::chrono::milliseconds(1500),
            .steps = 7,
            .failures = 2,
            .last_error = full_error(),
            .status = aborted("it was reset")}},
      .missing = {unavailable("/job:ps/task:1 is away")}};
}

inline DeviceList fake_devices() {
  DeviceList list;
  list.devices.push_back(
      {.name = "/job:ps/task:0/device:CPU:0",
       .attributes = {.type = "CPU", .index = 0, .memory_limit = 1024, .description = "four"},
       .incarnation = 77});
  list.missing.push_back(unavailable("/job:ps/task:1 is away"));
  return list;
}

inline QueueUse fake_queue_use() {
  QueueUse use{.capacity = 7};
  use.enqueues = {
      .elements = 30,
      .per_second = 2.5,
      .idle = std::chrono::milliseconds(40),
      .waiting = 2,
      .waiters = {{"'put' of step 3", std::chrono::milliseconds(900)}}};
  use.dequeues.waiting = 1;
  return use;
}

inline ResourceList fake_resources() {
  return {
      .resources =
          {{.name = {"c", "w"},
            .kind = "variable",
            .dtype = DType::float32,
            .shape = {2, 3},
            .bytes = 24,
            .device = "/job:ps/task:0/device:CPU:0",
            .idle = std::chrono::milliseconds(1500)},
           {.name = {"", "examples"},
            .kind = "queue",
            .dtype = DType::string,
            .shape = {5},
            .bytes = 300,
            .device = "/job:ps/task:0/device:CPU:0",
            .queue = fake_queue_use()}},
      .missing = {unavailable("/job:ps/task:1 is away")}};
}

inline SessionList fake_sessions() {
  return {
      .sessions =
          {{.id = 3,
            .task = "/job:ps/task:0",
            .client = "train.py (process 7) of ann@host",
            .runner = "c/input",
            .age = std::chrono::milliseconds(1500),
            .nodes = 12,
            .running_steps = 2,
            .steps = 30}},
      .missing = {unavailable("/job:ps/task:1 is away")}};
}

}  // namespace troupe::testing
