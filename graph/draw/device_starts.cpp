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

/// When the step may have begun on a device.
struct Span {
  Time first{0};
  Time last{0};
};

/// Raises or lowers the ends of the spans that a tensor contradicts; true where it had to.
bool narrow(const Crossing& crossing, std::vector<Span>& spans) {
  auto& from = spans[crossing.from];
  auto& to = spans[crossing.to];
  auto lead = crossing.send->begin - crossing.recv->end + Time(1);  // no tensor takes no time
  auto first = std::max(to.first, from.first + lead), last = std::min(from.last, to.last - lead);
  bool has_narrowed = first != to.first || last != from.last;
  to.first = first;
  from.last = last;
  return has_narrowed;
}

}  // namespace

std::vector<Crossing> crossings_of(const RunMetadata& metadata) {
  std::map<std::string_view, std::pair<size_t, const NodeRun*>> sends;
  const auto& devices = metadata.devices;
  for (size_t i = 0; i < devices.size(); ++i)
    for (const auto& run : devices[i].nodes)
      if (run.op == transfer::send) sends[edge_of(run, transfer::send_prefix)] = {i, &run};
  std::vector<Crossing> crossings;
  for (size_t i = 0; i < devices.size(); ++i)
    for (const auto& run : devices[i].nodes) {
      if (run.op != transfer::recv) continue;
      auto found = sends.find(edge_of(run, transfer::recv_prefix));
      if (found == sends.end()) continue;
      auto [from, send] = found->second;
      if (devices[from].device == run.peer && send->peer == devices[i].device)
        crossings.push_back({from, i, send, &run});
    }
  return crossings;
}

std::vector<DeviceStart> device_starts(
    const RunMetadata& metadata, const std::vector<Crossing>& crossings) {
  std::vector<Span> spans;
  for (const auto& run : metadata.devices)
    spans.push_back({Time(0), std::max(Time(0), run.end - run.duration)});
  // What one tensor tells of two devices may tell of a third by another tensor.
  bool has_narrowed = true;
  for (size_t round = 0; has_narrowed && round <= spans.size(); ++round) {
    has_narrowed = false;
    for (const auto& crossing : crossings) has_narrowed |= narrow(crossing, spans);
  }
  if (has_narrowed || std::ranges::any_of(spans, [](auto& span) { return span.first > span.last; }))
    return {};
  // The middles keep each tensor's order, as both ends of the spans do.
  std::vector<DeviceStart> starts;
  for (const auto& span : spans)
    starts.push_back({(span.first + span.last) / 2, (span.last - span.first) / 2});
  return starts;
}

}  // namespace troupe
