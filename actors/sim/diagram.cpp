#include "troupe/actors/sim/diagram.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::sim {
namespace {

constexpr size_t time_width = 14;
constexpr size_t lane_width = 22;

/// "ps/0" for "/job:ps/task:0".
std::string short_name(const std::string& task) {
  auto name = DeviceName::parse(task);
  if (!name || !name->job || !name->task) return task;
  return *name->job + "/" + std::to_string(*name->task);
}

std::string time_text(Time time) {
  char text[40];
  std::snprintf(text, sizeof text, "%12.1f  ", static_cast<double>(time.count()) / 1000);
  return text;
}

using Lanes = std::vector<std::string>;

Lanes lanes_of(const std::vector<DrawnMessage>& messages) {
  std::set<std::string> names;
  for (const auto& message : messages) names.insert({message.from, message.to});
  return {names.begin(), names.end()};
}

size_t middle_of(const Lanes& lanes, const std::string& task) {
  auto lane = static_cast<size_t>(std::ranges::find(lanes, task) - lanes.begin());
  return time_width + 1 + lane * lane_width;
}

std::string header(const Lanes& lanes) {
  std::string line = "     time/us";
  for (const auto& task : lanes) {
    line.resize(std::max(line.size() + 1, middle_of(lanes, task) - 1), ' ');
    line += short_name(task);
  }
  return line;
}

std::string draw(const Lanes& lanes, const DrawnMessage& message) {
  std::string line = time_text(message.time);
  line.resize(middle_of(lanes, lanes.back()) + 1, ' ');
  for (const auto& task : lanes) line[middle_of(lanes, task)] = '|';
  auto from = middle_of(lanes, message.from), to = middle_of(lanes, message.to);
  auto left = std::min(from, to) + 1, right = std::max(from, to);  // where the arrow is drawn
  std::fill(
      line.begin() + static_cast<int64_t>(left), line.begin() + static_cast<int64_t>(right), '-');
  auto name = message.what.substr(0, right - left - 4);
  line.replace(left + (right - left - name.size()) / 2, name.size(), name);
  if (from < to) line[right - 1] = message.lost ? 'x' : '>';
  else line[left] = message.lost ? 'x' : '<';
  return message.lost ? line + "  (lost)" : line;
}

std::string draw(const Fault& fault) {
  auto cpp = fault.to_cpp();
  auto verb = cpp.substr(cpp.find(").") + 2);
  return time_text(fault.time) + "* " + verb.substr(0, verb.size() - 1);
}

}  // namespace

std::string draw_diagram(
    const std::vector<DrawnMessage>& messages, const std::vector<Fault>& faults) {
  auto lanes = lanes_of(messages);
  auto text = header(lanes) + "\n";
  auto fault = faults.begin();
  if (!messages.empty())
    fault = std::ranges::lower_bound(faults, messages.front().time, {}, &Fault::time);
  for (const auto& message : messages) {
    for (; fault != faults.end() && fault->time <= message.time; ++fault)
      text += draw(*fault) + "\n";
    text += draw(lanes, message) + "\n";
  }
  for (; fault != faults.end(); ++fault) text += draw(*fault) + "\n";
  return text;
}

}  // namespace troupe::sim
