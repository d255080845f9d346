#include "troupe/graph/draw/explanation_table.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

namespace troupe {
namespace {

using Time = std::chrono::nanoseconds;
using Rows = std::vector<std::vector<std::string>>;

std::string time_text(Time time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", static_cast<double>(time.count()) / 1000);
  return text;
}

std::string measured_text(Time time, bool is_measured) {
  return is_measured ? time_text(time) : "-";
}

/// The rows with their columns below each other.
std::string align(const Rows& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text += row.back() + "\n";
  }
  return text;
}

Rows device_rows(const StepExplanation& explanation) {
  Rows rows{
      {"device", "nodes", "predicted", "measured", "peak bytes", "measured peak", "bytes in",
       "bytes out"}};
  for (const auto& device : explanation.devices) {
    uint64_t in = 0, out = 0;
    for (const auto& transfer : explanation.transfers) {
      if (transfer.to == device.device) in += transfer.bytes;
      if (transfer.from == device.device) out += transfer.bytes;
    }
    rows.push_back(
        {device.device, std::to_string(device.nodes), time_text(device.predicted),
         measured_text(device.measured, device.measured.count() > 0),
         std::to_string(device.predicted_peak),
         device.measured_peak > 0 ? std::to_string(device.measured_peak) : "-", std::to_string(in),
         std::to_string(out)});
  }
  return rows;
}

Rows transfer_rows(const StepExplanation& explanation) {
  Rows rows{{"tensor", "from", "to", "bytes", "predicted", "link"}};
  for (const auto& transfer : explanation.transfers)
    rows.push_back(
        {transfer.tensor, transfer.from, transfer.to, std::to_string(transfer.bytes),
         time_text(transfer.predicted), transfer.is_link_measured ? "measured" : "assumed"});
  return rows;
}

Rows node_rows(const StepExplanation& explanation) {
  Rows rows{{"node", "op", "device", "begin", "predicted", "measured", "bytes", "why"}};
  for (const auto& node : explanation.nodes) {
    auto why = node.why;
    for (const auto& other : node.alternatives)
      why += (other == node.alternatives.front() ? "; possible, too: " : ", ") + other;
    rows.push_back(
        {node.node, node.op, node.device, time_text(node.begin), time_text(node.predicted),
         measured_text(node.measured, node.measured_steps > 0), std::to_string(node.bytes), why});
  }
  return rows;
}

}  // namespace

std::string to_table(const StepExplanation& explanation) {
  auto text = "placement: " + (explanation.placement.empty() ? "default" : explanation.placement) +
              "; predicted: " + time_text(explanation.predicted) + "\n\n" +
              align(device_rows(explanation));
  if (!explanation.transfers.empty()) text += "\n" + align(transfer_rows(explanation));
  return text + "\n" + align(node_rows(explanation));
}

std::string to_json(const StepExplanation& explanation) {
  using nlohmann::ordered_json;
  ordered_json devices = ordered_json::array(), nodes = devices, transfers = devices;
  for (const auto& device : explanation.devices)
    devices.push_back(
        {{"device", device.device},
         {"nodes", device.nodes},
         {"predicted_ns", device.predicted.count()},
         {"measured_ns", device.measured.count()},
         {"predicted_peak_bytes", device.predicted_peak},
         {"measured_peak_bytes", device.measured_peak}});
  for (const auto& node : explanation.nodes)
    nodes.push_back(
        {{"node", node.node},
         {"op", node.op},
         {"device", node.device},
         {"inputs", node.inputs},
         {"why", node.why},
         {"alternatives", node.alternatives},
         {"begin_ns", node.begin.count()},
         {"predicted_ns", node.predicted.count()},
         {"measured_ns", node.measured.count()},
         {"measured_steps", node.measured_steps},
         {"bytes", node.bytes}});
  for (const auto& transfer : explanation.transfers)
    transfers.push_back(
        {{"tensor", transfer.tensor},
         {"from", transfer.from},
         {"to", transfer.to},
         {"bytes", transfer.bytes},
         {"predicted_ns", transfer.predicted.count()},
         {"is_link_measured", transfer.is_link_measured}});
  ordered_json json{
      {"placement", explanation.placement.empty() ? "default" : explanation.placement},
      {"predicted_ns", explanation.predicted.count()},
      {"devices", devices},
      {"transfers", transfers},
      {"nodes", nodes}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace troupe
