#include "troupe/devices/accelerator/captured_piece.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "troupe/devices/launches.hpp"

namespace troupe::accelerator {
namespace {

/// What decides whether a replay is worth its copies: the start of a kernel or of a copy, and how
/// fast the card copies.
constexpr int64_t launch_ns = 2000;
constexpr int64_t copied_bytes_per_ns = 1000;
/// A replay, as the executor counts it: where it became ready it is started.
constexpr int64_t replay_ns = 15'000;
/// The first run, whose kernels compile and measure: more than an actor's thread is used for.
constexpr int64_t first_run_ns = 10'000'000;
/// Values on the host that the work depends on, as axes, are compared in each run.
constexpr size_t host_bytes_max = 4096;
/// Captures one after the other.
constexpr int moves_max = 3;

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_on_card(const Tensor& tensor) { return tensor.memory() == MemoryKind::device; }

/// The start of what is copied per replay, in the time of the card and the host.
class CopyCost {
 public:
  void add(size_t bytes) { ns_ += launch_ns + static_cast<int64_t>(bytes) / copied_bytes_per_ns; }
  bool is_worth(int work_count) const { return ns_ < work_count * launch_ns; }

 private:
  int64_t ns_ = 0;
};

class CapturedPiece {
 public:
  CapturedPiece(std::shared_ptr<const PlanPiece> piece, CaptureParts parts)
      : piece_(std::move(piece)), parts_(std::move(parts)), id_(parts_.graphs->add_piece()) {}
  CapturedPiece(const CapturedPiece&) = delete;
  ~CapturedPiece() { parts_.graphs->forget_piece(id_); }

  Status run(Launch& launch) {
    auto key = describe_inputs(launch);
    if (!key) return run_plainly(launch);
    auto graph = parts_.graphs->find(id_, *key);
    {
      std::lock_guard lock(graph->mutex);
      if (may_replay(*graph, launch) && copy_and_replay(*graph, launch))
        return set_outputs(*graph, launch);  // CG-1
    }
    return run_plainly(launch);
  }

  /// Of the next run, to judge by the one before.
  int64_t cost_ns() const {
    if (!has_run_.load(std::memory_order_relaxed)) return first_run_ns;
    if (was_replayed_.load(std::memory_order_relaxed)) return replay_ns;
    return piece_->work_count * launch_ns;
  }

 private:
  // -- which run it is

  /// All that the work depends on but addresses; nothing where that is too much.
  static std::optional<std::string> describe_inputs(const Launch& launch) {
    std::string text;
    for (const auto& input : launch.inputs()) {
      append(text, input.dtype());
      append(text, input.memory());
      append(text, input.shape().rank());
      for (auto size : input.shape().sizes()) append(text, size);
      if (is_on_card(input)) continue;
      if (input.bytes() > host_bytes_max) return {};
      text.append(static_cast<const char*>(input.raw()), input.bytes());
    }
    return text;
  }

  /// Whether there is work for these inputs; captures it where it is time to.
  bool may_replay(CapturedGraph& graph, Launch& launch) {
    if (!graph.refusal.empty()) return false;
    auto addresses = addresses_of(launch);
    if (!std::exchange(graph.has_run, true)) {
      graph.addresses = std::move(addresses);
      graph.is_copied.resize(graph.addresses.size());
      return false;
    }
    if (graph.work && !has_moved(graph, addresses)) {
      graph.moves = 0;
      return true;
    }
    choose_copied(graph, launch, addresses);
    graph.addresses = std::move(addresses);
    auto status = ++graph.moves > moves_max
                      ? failed_precondition("its large inputs lie elsewhere in each step")
                      : capture(graph, launch);
    if (!status.ok()) refuse(graph, status);
    return status.ok();
  }

  static std::vector<const void*> addresses_of(const Launch& launch) {
    std::vector<const void*> addresses;
    for (const auto& input : launch.inputs())
      addresses.push_back(is_on_card(input) ? input.raw() : nullptr);
    return addresses;
  }

  static bool has_moved(const CapturedGraph& graph, const std::vector<const void*>& addresses) {
    for (size_t i = 0; i < addresses.size(); ++i)
      if (!graph.is_copied[i] && addresses[i] != graph.addresses[i]) return true;
    return false;
  }

  /// Copies what has moved, as far as that is worth it.
  void choose_copied(
      CapturedGraph& graph, const Launch& launch, const std::vector<const void*>& addresses) {
    CopyCost cost;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const auto& input = launch.inputs()[i];
      auto has_moved = graph.is_copied[i] || addresses[i] != graph.addresses[i];
      if (!has_moved) continue;
      auto with_it = cost;
      with_it.add(input.bytes());
      graph.is_copied[i] = with_it.is_worth(piece_->work_count);
      if (graph.is_copied[i]) cost = with_it;
    }
  }

  Status run_plainly(Launch& launch) {
    was_replayed_.store(false, std::memory_order_relaxed);
    parts_.graphs->note_plain_run();
    auto status = run_members(*piece_, launch, launch.inputs(), launch.outputs());
    has_run_.store(true, std::memory_order_relaxed);
    return status;
  }

  // -- captures

  Status capture(CapturedGraph& graph, Launch& launch) {
    auto arena = std::make_shared<CaptureArena>(
        parts_.device, parts_.pool, parts_.graphs->graph_bytes_max());
    // More than one handle of each, so that no member writes over an input.
    Tensors inputs, arguments;
    for (size_t i = 0; i < launch.inputs().size(); ++i) {
      const auto& input = launch.inputs()[i];
      auto place = graph.is_copied[i] ? Tensor::allocate(input.dtype(), input.shape(), *arena)
                                      : Result<Tensor>(input);
      if (!place) return explain(place.status(), *arena);
      inputs.push_back(*place);
      arguments.push_back(*std::move(place));
    }
    Tensors outputs(piece_->outputs.size());
    auto captured = capture_work(launch, *arena, arguments, outputs, std::move(graph.work));
    graph.work = nullptr;
    if (!captured) return explain(captured.status(), *arena);
    std::vector<CapturedGraph::Result> results;
    for (auto& output : outputs) {
      auto result = result_of(std::move(output), inputs, *arena);
      if (!result) return result.status();
      results.push_back(*std::move(result));
    }
    if (auto status = check_worth(graph, inputs, results); !status.ok()) return status;
    graph.results = std::move(results);
    graph.inputs = std::move(inputs);
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (!graph.is_copied[i]) graph.inputs[i] = Tensor();
    graph.arena = std::move(arena);
    graph.work = std::move(captured->work);
    auto bytes = std::max<uint64_t>(graph.arena->use().bytes_in_use, 1);
    parts_.graphs->note_capture(graph, bytes, captured->is_updated);
    return {};
  }

  Result<Captured> capture_work(
      Launch& launch, CaptureArena& arena, std::span<Tensor> arguments, std::span<Tensor> outputs,
      CapturedWork before) {
    if (auto status = parts_.driver->begin_capture(); !status.ok()) return status;
    auto status = without_exceptions([&] {
      CaptureArena::Scope scope(arena);
      return run_members(*piece_, launch, arguments, outputs);
    });
    auto captured = parts_.driver->end_capture(status.ok() ? std::move(before) : nullptr);
    if (!status.ok()) return status;
    return captured;
  }

  /// Where an output comes from in each replay.
  Result<CapturedGraph::Result> result_of(
      Tensor output, const Tensors& inputs, const CaptureArena& arena) {
    using From = CapturedGraph::Result::From;
    if (!output.is_set()) return CapturedGraph::Result{};
    if (!is_on_card(output))
      return CapturedGraph::Result{.from = From::kept, .tensor = std::move(output)};
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].raw() == output.raw() && inputs[i].bytes() == output.bytes())
        // Not the tensor: a variable that others hold, too, is not updated in place.
        return CapturedGraph::Result{.from = From::input, .input = i, .shape = output.shape()};
    if (arena.contains(output.raw()))
      return CapturedGraph::Result{.from = From::work, .tensor = std::move(output)};
    for (const auto& [value, constant] : piece_->constants)
      if (constant.raw() == output.raw())
        return CapturedGraph::Result{.from = From::kept, .tensor = std::move(output)};
    return failed_precondition("what it gives lies in memory that is not its own");
  }

  Status check_worth(
      const CapturedGraph& graph, const Tensors& inputs,
      const std::vector<CapturedGraph::Result>& results) {
    CopyCost cost;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (graph.is_copied[i]) cost.add(inputs[i].bytes());
    for (const auto& result : results)
      if (result.from == CapturedGraph::Result::From::work) cost.add(result.tensor.bytes());
    if (cost.is_worth(piece_->work_count)) return {};
    return failed_precondition("to copy what it takes and gives would cost more than it saves");
  }

  Status explain(const Status& status, const CaptureArena& arena) const {
    if (!arena.was_too_small()) return status;
    return failed_precondition(
        "its memory is more than the " + std::to_string(arena.use().limit_bytes >> 20) +
        " MiB that captured work may have");
  }

  void refuse(CapturedGraph& graph, const Status& why) {
    graph.refusal = why.message();
    graph.work = nullptr;
    graph.inputs.clear();
    graph.results.clear();
    graph.arena = nullptr;
    parts_.graphs->note_refusal(graph, name(), why.message());
  }

  /// "the piece of 12 nodes from 'a' to 'b'".
  std::string name() const {
    const auto& members = piece_->members;
    return "the piece of " + std::to_string(members.size()) + " nodes from '" +
           piece_->graph->node(members.front().node).name + "' to '" +
           piece_->graph->node(members.back().node).name + "'";
  }

  // -- replays

  bool copy_and_replay(CapturedGraph& graph, const Launch& launch) {
    auto& driver = *parts_.driver;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      if (!graph.is_copied[i] || graph.inputs[i].bytes() == 0) continue;
      const auto& from = launch.inputs()[i];
      driver.copy_within(graph.inputs[i].mutable_raw(), from.raw(), from.bytes());
    }
    auto status = driver.replay(graph.work);
    if (!status.ok()) refuse(graph, status);
    return status.ok();
  }

  Status set_outputs(const CapturedGraph& graph, Launch& launch) {
    was_replayed_.store(true, std::memory_order_relaxed);
    parts_.graphs->note_replay();
    for (size_t i = 0; i < graph.results.size(); ++i)
      if (auto status = set_output(launch, static_cast<int>(i), graph.results[i]); !status.ok())
        return status;
    return {};
  }

  Status set_output(Launch& launch, int index, const CapturedGraph::Result& result) {
    using From = CapturedGraph::Result::From;
    switch (result.from) {
      case From::unset: return {};
      case From::kept: launch.set(index, result.tensor); return {};
      case From::input: {
        const auto& input = launch.input(static_cast<int>(result.input));
        auto is_same = input.shape() == result.shape;
        launch.set(index, is_same ? input : input.reshaped(result.shape));
        return {};
      }
      case From::work: break;
    }
    auto copy = launch.allocate(result.tensor.dtype(), result.tensor.shape());
    if (!copy) return copy.status();
    if (copy->bytes() > 0)
      parts_.driver->copy_within(copy->mutable_raw(), result.tensor.raw(), copy->bytes());
    launch.set(index, *std::move(copy));
    return {};
  }

  const std::shared_ptr<const PlanPiece> piece_;
  const CaptureParts parts_;
  const uint64_t id_;
  std::atomic<bool> has_run_{false}, was_replayed_{false};
};

}  // namespace

Kernel make_captured_piece(std::shared_ptr<const PlanPiece> piece, CaptureParts parts) {
  auto captured = std::make_shared<CapturedPiece>(std::move(piece), std::move(parts));
  return {
      .compute = [captured](Launch& launch) { return captured->run(launch); },
      .cost_ns = [captured](const Launch&) { return captured->cost_ns(); }};
}

}  // namespace troupe::accelerator
