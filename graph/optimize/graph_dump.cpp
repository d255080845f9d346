#include "troupe/graph/optimize/graph_dump.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/support/file.hpp"

namespace troupe {
namespace {

std::string dump_line(const NodeDef& node) {
  auto line = node.name + " = " + node.op + "(";
  for (size_t i = 0; i < node.inputs.size(); ++i) line += (i > 0 ? ", " : "") + node.inputs[i];
  line += ")";
  for (const auto& [name, value] : node.attrs) line += " " + name + "=" + value.to_string();
  if (!node.device.empty()) line += " @" + node.device;
  return line + "\n";
}

/// A name of a device has slashes and colons.
std::string file_name_of(std::string_view stage) {
  std::string name(stage);
  std::ranges::replace(name, '/', '_');
  std::ranges::replace(name, ':', '_');
  return name;
}

/// The nodes as a graph of their own, with placeholders for those that are fed and not among them.
Result<Graph> drawn_graph(const Graph& graph, const std::vector<NodeDef>& nodes) {
  std::set<std::string_view> names;
  for (const auto& node : nodes) names.insert(node.name);
  Graph drawn(graph.shared_catalog(), graph.shared_library());
  auto make_available = [&](std::string& input) -> Status {
    auto name = input.substr(0, input.rfind(':'));
    if (names.contains(name)) return {};
    auto fed = graph.find_output(input);
    if (!fed) return fed.status();
    input = fed->index == 0 ? name : "_feed/" + std::to_string(fed->index) + "/" + name;
    if (drawn.contains(input)) return {};
    return drawn
        .add(
            {.name = input,
             .op = "Placeholder",
             .device = "",
             .inputs = {},
             .attrs = {{"dtype", graph.dtype_of(*fed)}, {"shape", graph.shape_of(*fed)}}})
        .status();
  };
  for (auto def : nodes) {
    std::erase_if(def.inputs, [&](const std::string& input) {
      return input.starts_with('^') && !names.contains(input.substr(1));
    });
    for (auto& input : def.inputs)
      if (!input.starts_with('^'))
        if (auto status = make_available(input); !status.ok()) return status;
    if (auto added = drawn.add(std::move(def)); !added) return added.status();
  }
  return drawn;
}

}  // namespace

std::string to_text(const std::vector<NodeDef>& nodes) {
  std::string text;
  for (const auto& node : nodes) text += dump_line(node);
  return text;
}

Status GraphDump::write(
    std::string_view stage, const Graph& graph, const std::vector<NodeId>& nodes,
    const std::map<NodeId, DeviceName>& devices) {
  if (!is_on()) return {};
  std::vector<NodeDef> defs;
  for (auto id : nodes) {
    defs.push_back(graph.def_of(id));
    if (auto found = devices.find(id); found != devices.end())
      defs.back().device = found->second.to_string();
  }
  return write(stage, graph, defs);
}

Status GraphDump::write(
    std::string_view stage, const Graph& graph, const std::vector<NodeDef>& nodes) {
  if (!is_on()) return {};
  auto number = std::to_string(number_++);
  auto path = folder_ / ("plan-" + std::to_string(plan_) + "." + (number.size() < 2 ? "0" : "") +
                         number + "." + file_name_of(stage));
  if (auto status = write_file(path.string() + ".txt", to_text(nodes)); !status.ok()) return status;
  auto drawn = drawn_graph(graph, nodes);
  if (!drawn) return drawn.status();
  return write_file(path.string() + ".dot", to_dot(*drawn));
}

}  // namespace troupe
