#pragma once

#include <mutex>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/devices/step_trace.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/graph/passes/fuse_rows.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

inline std::shared_ptr<const OpCatalog> fused_catalog() {
  static const auto made = op_catalog();
  return made;
}

/// A partition of element-wise nodes and reductions, which is run with and without fusing them.
struct FusedProgram {
  std::vector<NodeDef> nodes;
  Tensors feeds;

  std::string feed(Tensor value) {
    auto index = static_cast<int64_t>(feeds.size());
    auto name = "x" + std::to_string(index);
    nodes.push_back(
        {.name = name,
         .op = transfer::arg,
         .attrs = {{"T", value.dtype()}, {"index", index}, {"shape", Shape::unknown_rank()}}});
    feeds.push_back(std::move(value));
    return name + ":0";
  }
  std::string add(const std::string& op, std::vector<std::string> inputs, std::string name = "") {
    if (name.empty()) name = "n" + std::to_string(nodes.size());
    auto attrs = fusion::attrs_of_part(op, feeds.at(0).dtype());
    nodes.push_back({.name = name, .op = op, .inputs = std::move(inputs), .attrs = attrs});
    return name + ":0";
  }
  /// A reduction over constant axes.
  std::string reduce(
      const std::string& op, const std::string& input, std::vector<int32_t> axes,
      bool keeps_dims = true) {
    auto number = std::to_string(nodes.size());
    auto count = std::ssize(axes);
    auto value = Tensor::of<int32_t>({count}, std::span<const int32_t>(axes));
    nodes.push_back(
        {.name = "axes" + number,
         .op = "Const",
         .attrs = {{"dtype", DType::int32}, {"value", std::move(value)}}});
    auto attrs = fusion::attrs_of_part(op, feeds.at(0).dtype());
    attrs.emplace("Tidx", DType::int32);
    attrs.emplace("keep_dims", keeps_dims);
    nodes.push_back(
        {.name = "r" + number, .op = op, .inputs = {input, "axes" + number}, .attrs = attrs});
    return "r" + number + ":0";
  }
  void fetch(const std::string& input, int64_t index = 0) {
    nodes.push_back(
        {.name = "fetch" + std::to_string(index),
         .op = transfer::retval,
         .inputs = {input},
         .attrs = {{"T", feeds.at(0).dtype()}, {"index", index}}});
  }

  /// Feeds, which it gives away, and fetches, which several threads bring.
  struct Port final : StepPort {
    Tensors feeds;
    std::mutex mutex;
    std::map<int, Tensor> answers;
    Device* device = nullptr;
    Tensor feed(int index) override { return std::move(feeds[static_cast<size_t>(index)]); }
    void fetch(int index, Tensor value) override {
      std::lock_guard lock(mutex);
      answers[index] = std::move(value);
    }
    Status send(const EdgeKey&, Tensor) override { return internal("there is nobody else"); }
    std::optional<Result<Tensor>> try_receive(const EdgeKey&) override { return {}; }
    void receive(const EdgeKey&, Arrived) override { CHECK(false); }
    void fail(const Status&) override {}
    void post(std::function<void()> work) override { device->enqueue(std::move(work)); }
  };

  /// The fetches, or the error; `copies`: a copy of each feed, which a kernel may write over.
  Result<Tensors> run(
      bool fuses, const std::shared_ptr<Device>& device, bool copies = false,
      const std::shared_ptr<StepTrace>& trace = nullptr) const {
    auto defs = nodes;
    if (fuses) fuse_elementwise(defs);
    if (fuses && device->kernels().contains(fusion::rows_op)) fuse_rows(defs);
    auto graph = std::make_shared<Graph>(fused_catalog());
    for (auto& def : defs)
      if (auto added = graph->add(std::move(def)); !added) return added.status();
    auto plan = Plan::compile(graph, *device, {});
    if (!plan) return plan.status();
    auto port = std::make_shared<Port>();
    port->device = device.get();
    for (const auto& feed : feeds) {
      port->feeds.push_back(feed);
      if (!copies) continue;
      port->feeds.back() = *Tensor::allocate(feed.dtype(), feed.shape(), device->allocator());
      std::memcpy(port->feeds.back().mutable_raw(), feed.raw(), feed.bytes());
    }
    Waiting<Status> done;
    auto execution = start(*plan, port, done.callback(), trace);
    if (auto status = done.wait(); !status.ok()) return status;
    if (trace) run_of = trace->take(**plan);
    auto count = [&](const char* op) {
      return std::ranges::count_if(
          graph->nodes(), [op](const auto& node) { return node.op->name() == op; });
    };
    fused_count = count(fusion::op);
    rows_count = count(fusion::rows_op);
    Tensors answers;
    for (auto& [index, answer] : port->answers) answers.push_back(std::move(answer));
    return answers;
  }

  mutable DeviceRun run_of;
  mutable int64_t fused_count = 0, rows_count = 0;  // of nodes in the last run
};

}  // namespace troupe::testing
