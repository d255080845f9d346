#include "troupe/graph/draw/device_starts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

using Time = std::chrono::nanoseconds;

/// The number of the edge in a node's name.
std::string_view edge_of(const NodeRun& run, std::string_view prefix) {
  std::string_view name = run.node;
  return name.starts_with(prefix) ? name.substr(prefix.size()) : "";
}

/// The devices that read one clock, and when the step may have begun on the first of them.
struct Clock {
  Time first{0};
  Time last = Time::max();
};

/// A device's clock, and how much later than on the first of that clock the step began there.
struct Reading {
  size_t clock;
  Time later;
};

class ClockAligner {
 public:
  explicit ClockAligner(const RunMetadata& metadata) : metadata_(metadata) {
    find_clocks();
    for (size_t i = 0; i < readings_.size(); ++i) {
      const auto& run = metadata.devices[i];
      auto& clock = clocks_[readings_[i].clock];
      auto last = std::max(Time(0), run.end - run.duration) - readings_[i].later;
      clock.first = std::max(clock.first, -readings_[i].later);
      clock.last = std::min(clock.last, last);
      if (metadata.clock.empty() || run.clock != metadata.clock) continue;
      clock.first = clock.last = run.started - metadata.launched - readings_[i].later;
    }
  }

  /// False where they contradict each other.
  bool align(const std::vector<TensorTransfer>& transfers) {
    // Narrowing one clock may allow to narrow others, so this repeats until nothing changes.
    bool has_narrowed = true;
    for (size_t round = 0; has_narrowed && round <= clocks_.size(); ++round) {
      has_narrowed = false;
      for (const auto& tensor : transfers) has_narrowed |= narrow(tensor);
    }
    return !has_narrowed && std::ranges::none_of(clocks_, [](const Clock& clock) {
      return clock.first > clock.last;
    });
  }

  /// The midpoints satisfy all constraints, as both ends of the intervals do.
  DeviceStart start_of(size_t device) const {
    const auto& [first, last] = clocks_[readings_[device].clock];
    return {(first + last) / 2 + readings_[device].later, (last - first) / 2};
  }

 private:
  void find_clocks() {
    std::map<std::string, std::pair<size_t, Time>> known;  // the clock, and its first start
    for (const auto& run : metadata_.devices) {
      auto place = std::pair(clocks_.size(), run.started);
      if (!run.clock.empty()) place = known.emplace(run.clock, place).first->second;
      if (place.first == clocks_.size()) clocks_.emplace_back();
      readings_.push_back({place.first, run.clock.empty() ? Time(0) : run.started - place.second});
    }
  }

  /// Narrows both clocks to what the transfer allows; true if it changed them.
  bool narrow(const TensorTransfer& tensor) {
    const auto& sender = readings_[tensor.from];
    const auto& receiver = readings_[tensor.to];
    if (sender.clock == receiver.clock) return false;
    auto& from = clocks_[sender.clock];
    auto& to = clocks_[receiver.clock];
    // A transfer takes at least 1 ns.
    auto lead = sender.later + tensor.send->begin - receiver.later - tensor.recv->end + Time(1);
    auto first = std::max(to.first, from.first + lead), last = std::min(from.last, to.last - lead);
    bool has_narrowed = first != to.first || last != from.last;
    to.first = first;
    from.last = last;
    return has_narrowed;
  }

  const RunMetadata& metadata_;
  std::vector<Clock> clocks_;
  std::vector<Reading> readings_;  // by device
};

}  // namespace

std::vector<TensorTransfer> tensor_transfers_of(const RunMetadata& metadata) {
  std::map<std::string_view, std::pair<size_t, const NodeRun*>> sends;
  const auto& devices = metadata.devices;
  for (size_t i = 0; i < devices.size(); ++i)
    for (const auto& run : devices[i].nodes)
      if (run.op == transfer::send) sends[edge_of(run, transfer::send_prefix)] = {i, &run};
  std::vector<TensorTransfer> transfers;
  for (size_t i = 0; i < devices.size(); ++i)
    for (const auto& run : devices[i].nodes) {
      if (run.op != transfer::recv) continue;
      auto found = sends.find(edge_of(run, transfer::recv_prefix));
      if (found == sends.end()) continue;
      auto [from, send] = found->second;
      if (devices[from].device == run.peer && send->peer == devices[i].device)
        transfers.push_back({from, i, send, &run});
    }
  return transfers;
}

std::vector<DeviceStart> device_starts(
    const RunMetadata& metadata, const std::vector<TensorTransfer>& transfers) {
  ClockAligner aligner(metadata);
  std::vector<DeviceStart> starts;
  if (!aligner.align(transfers)) return starts;
  for (size_t i = 0; i < metadata.devices.size(); ++i) starts.push_back(aligner.start_of(i));
  return starts;
}

}  // namespace troupe
