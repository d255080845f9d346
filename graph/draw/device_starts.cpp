#include "troupe/graph/draw/device_starts.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

using Time = std::chrono::nanoseconds;

/// The number of the edge in a node's name.
std::string_view edge_of(const NodeRun& run, std::string_view prefix) {
  std::string_view name = run.node;
  return name.starts_with(prefix) ? name.substr(prefix.size()) : "";
}

/// The times at which the step may have begun on a device.
struct Interval {
  Time first{0};
  Time last{0};
};

/// Narrows the intervals of both devices to what the transfer allows; true if it changed them.
bool narrow(const TensorTransfer& tensor, std::vector<Interval>& intervals) {
  auto& from = intervals[tensor.from];
  auto& to = intervals[tensor.to];
  auto lead = tensor.send->begin - tensor.recv->end + Time(1);  // a transfer takes at least 1 ns
  auto first = std::max(to.first, from.first + lead), last = std::min(from.last, to.last - lead);
  bool has_narrowed = first != to.first || last != from.last;
  to.first = first;
  from.last = last;
  return has_narrowed;
}

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
  std::vector<Interval> intervals;
  for (const auto& run : metadata.devices)
    intervals.push_back({Time(0), std::max(Time(0), run.end - run.duration)});
  // Narrowing one device may allow to narrow others, so this repeats until nothing changes.
  bool has_narrowed = true;
  for (size_t round = 0; has_narrowed && round <= intervals.size(); ++round) {
    has_narrowed = false;
    for (const auto& tensor : transfers) has_narrowed |= narrow(tensor, intervals);
  }
  if (has_narrowed ||
      std::ranges::any_of(intervals, [](auto& interval) { return interval.first > interval.last; }))
    return {};
  // The midpoints satisfy all constraints, as both ends of the intervals do.
  std::vector<DeviceStart> starts;
  for (const auto& interval : intervals)
    starts.push_back({(interval.first + interval.last) / 2, (interval.last - interval.first) / 2});
  return starts;
}

}  // namespace troupe
