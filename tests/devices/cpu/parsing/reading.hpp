#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "troupe/devices/resources/queue/queue.hpp"
#include "troupe/devices/resources/reader/reader.hpp"
#include "troupe/devices/step_resources.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

/// A reader and the queue of its work units, and launches of single kernels on them, which may
/// wait.
class Reading {
 public:
  explicit Reading(const std::string& op, const Attrs& attrs = {}) {
    auto node = b_.op(op, {}, attrs);
    BOOST_TEST_REQUIRE(b_.status().ok(), b_.status().to_string());
    const auto& handle = b_.graph().node(node.output().node);
    auto kinds = make_resource_kind_catalog();
    auto made = (*kinds.find(op))->make(handle);
    error = made.status().to_string();
    if (made) reader = std::static_pointer_cast<ReaderResource>(*made);
    is_reference_ = !op.ends_with("V2");
  }

  /// A launch that has been started.
  struct Started {
    struct Canceller final : WaitCanceller {
      void on_cancel(std::function<void()> end) override { cancel = std::move(end); }
      std::function<void()> cancel;
    };

    Tensors inputs, outputs;
    StepResources resources;
    Canceller canceller;
    std::unique_ptr<Launch> launch;
    Waiting<Status> done;

    std::string end() {
      auto status = done.wait();
      return status.ok() ? show(outputs) : show(Result<Tensors>(status));
    }
    void cancel() const { canceller.cancel(); }
    /// Tells the step of the launch, which has ended, that it fails; end_step() is to follow.
    void fail_step(const Status& status) { resources.fail(status); }
    /// Ends the step of the launch, which has ended.
    void end_step(const Status& status) { resources.take_end_hooks().call(status); }
  };

  std::unique_ptr<Started> start(const std::string& op, Tensors more = {}) {
    auto started = std::make_unique<Started>();
    auto reads = op.starts_with("ReaderRead");
    started->inputs = {Tensor::scalar(ResourceHandle{"", "r", reader})};
    if (reads) started->inputs.push_back(Tensor::scalar(ResourceHandle{"", "q", queue}));
    for (auto& input : more) started->inputs.push_back(std::move(input));
    auto kernel = device_->kernels().find(is_reference_ ? op : of_handles(op))(any_node());
    started->outputs.resize(output_count(op));
    LaunchStep step{.resources = &started->resources, .canceller = &started->canceller};
    started->launch = std::make_unique<Launch>(*device_, step, started->inputs, started->outputs);
    auto done = started->done.callback();
    if (kernel->start) kernel->start(*started->launch, done);
    else done(kernel->compute(*started->launch));
    return started;
  }
  std::string operator()(const std::string& op, Tensors more = {}) {
    return start(op, std::move(more))->end();
  }
  std::string read() { return (*this)("ReaderRead"); }
  std::string counts() {
    return (*this)("ReaderNumRecordsProduced") + " " + (*this)("ReaderNumWorkUnitsCompleted");
  }

  /// Lets the device do what it has been given, and some of what follows from that.
  void let_work() const {
    for (int i = 0; i < 20; ++i) {
      Waiting<Status> done;
      device_->enqueue([answer = done.callback()] { answer(Status()); });
      BOOST_TEST(done.wait().ok());
    }
  }

  void enqueue(const std::string& work_unit) const { enqueue(Tensor::string(work_unit)); }
  void enqueue(Tensor component) const {
    queue->enqueue({{.components = {std::move(component)}}}, [](const Status&) {});
  }
  void close() const {
    queue->close(/*cancels_enqueues=*/false, [](const Status&) {});
  }

  std::shared_ptr<QueueResource> queue = std::make_shared<QueueResource>(queue_of(DType::string));
  std::shared_ptr<ReaderResource> reader;
  std::string error;

  static QueueSpec queue_of(DType dtype) { return {.name = "q", .dtypes = {dtype}, .shapes = {}}; }

 private:
  static std::string of_handles(const std::string& op) {
    return std::map<std::string, std::string>{
        {"ReaderRead", "ReaderReadV2"},
        {"ReaderReadUpTo", "ReaderReadUpToV2"},
        {"ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2"},
        {"ReaderNumWorkUnitsCompleted", "ReaderNumWorkUnitsCompletedV2"},
        {"ReaderSerializeState", "ReaderSerializeStateV2"},
        {"ReaderRestoreState", "ReaderRestoreStateV2"},
        {"ReaderReset", "ReaderResetV2"}}
        .at(op);
  }
  /// No kernel of readers asks its node for anything.
  const Node& any_node() const { return b_.graph().node(0); }
  static size_t output_count(const std::string& op) {
    if (op == "ReaderReset" || op == "ReaderRestoreState") return 0;
    return op.starts_with("ReaderRead") ? 2 : 1;
  }

  Builder b_;
  std::unique_ptr<Device> device_ = make_cpu_device({.threads = 2});
  bool is_reference_ = false;
};

}  // namespace troupe::testing
