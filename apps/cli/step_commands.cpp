#include <algorithm>
#include <cstdio>
#include <set>

#include "troupe/apps/cli/command.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/draw/explanation_table.hpp"
#include "troupe/graph/import/import_graph.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/support/file.hpp"

namespace troupe::cli {
namespace {

/// What `graph` and `trace` are told.
struct StepChoice {
  std::string file;  // a GraphDef
  std::vector<std::string> feeds, fetches;
  std::string placement;
  uint64_t session = 0;
  std::string output;
  bool table = false;
  int scope_depth = 0;
};

/// Writes to the file, or to standard output where there is no name.
int write(const std::string& output, const std::string& text) {
  if (output.empty() || output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  auto status = write_file(output, text);
  return status.ok() ? 0 : fail(status);
}

Result<RunMetadata> next_step(const Options& options, const StepChoice& choice, RunOptions asked) {
  auto client = connect(options);
  if (!client) return client.status();
  asked.timeout = options.timeout();
  return (*client)->trace_next_step(choice.session, asked);
}

// -- graph

/// The graph of a file in protobuf's binary or text form.
Result<Graph> read_graph(const std::string& file) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.status();
  if (!is_graph_def(*bytes)) {
    auto parsed = graph_def_from_text(*bytes);
    if (!parsed) return parsed.status();
    bytes = *std::move(parsed);
  }
  Graph graph(op_catalog());
  auto imported = import_graph_def(graph, *bytes);
  if (!imported) return imported.status();
  return graph;
}

/// The nodes that no other one uses.
Refs sinks_of(const Graph& graph) {
  std::set<NodeId> used;
  for (const auto& node : graph.nodes()) {
    for (auto input : node.inputs) used.insert(input.node);
    used.insert(node.control_inputs.begin(), node.control_inputs.end());
  }
  Refs sinks;
  for (const auto& node : graph.nodes())
    if (!used.contains(node.id)) sinks.emplace_back(node.name);
  return sinks;
}

Result<StepExplanation> explain_file(const Options& options, const StepChoice& choice) {
  auto graph = read_graph(choice.file);
  if (!graph) return graph.status();
  auto client = connect(options);
  if (!client) return client.status();
  auto session =
      (*client)->session({.operation_timeout = options.timeout(), .placement = choice.placement});
  if (!session) return session.status();
  if (auto status = (*session)->extend(*graph); !status.ok()) return status;
  Refs feeds(choice.feeds.begin(), choice.feeds.end());
  Refs fetches(choice.fetches.begin(), choice.fetches.end());
  return (*session)->explain(feeds, fetches, fetches.empty() ? sinks_of(*graph) : Refs());
}

Json json_of(const RunMetadata& metadata) {
  Json devices = Json::array();
  for (const auto& run : metadata.devices) {
    Json nodes = Json::array();
    for (const auto& node : run.graph)
      nodes.push_back({{"node", node.name}, {"op", node.op}, {"inputs", node.inputs}});
    devices.push_back({{"device", run.device}, {"nodes", nodes}});
  }
  return {{"devices", devices}};
}

int run_graph(const Options& options, const StepChoice& choice) {
  DotOptions drawing{.scope_depth = choice.scope_depth};
  if (choice.file.empty()) {
    if (choice.table || !choice.fetches.empty() || !choice.feeds.empty() ||
        !choice.placement.empty())
      return fail(invalid_argument("--fetch, --feed, --placement and --table are for a FILE"));
    auto step = next_step(options, choice, {.trace = Trace::none, .output_partition_graphs = true});
    if (!step) return fail(step.status());
    if (options.json) return write(choice.output, json_of(*step).dump() + "\n");
    auto dot = to_dot(*step, drawing);
    return dot ? write(choice.output, *dot) : fail(dot.status());
  }
  auto explanation = explain_file(options, choice);
  if (!explanation) return fail(explanation.status());
  if (options.json) return write(choice.output, to_json(*explanation) + "\n");
  if (choice.table) return write(choice.output, to_table(*explanation));
  return write(choice.output, to_dot(*explanation, drawing));
}

void add_graph(CLI::App& app, const Options& options, Run& run) {
  auto* graph = app.add_subcommand("graph", "Draws a placed graph for Graphviz");
  auto choice = std::make_shared<StepChoice>();
  graph->add_option("FILE", choice->file, "a GraphDef to place, in binary or text form");
  graph->add_option("--fetch", choice->fetches, "what a step of it fetches (all that nobody uses)");
  graph->add_option("--feed", choice->feeds, "what a step of it is fed");
  graph->add_option("--placement", choice->placement, "cost: over all tasks, by predicted time");
  graph->add_flag("--table", choice->table, "why each node is where it is, and what it costs");
  graph->add_option("--session", choice->session, "the next step of this session (any)");
  graph->add_option("--scope-depth", choice->scope_depth, "scopes that deep are one box (0: none)")
      ->check(CLI::NonNegativeNumber.description(""));
  graph->add_option("--output,-o", choice->output, "a file (standard output)");
  graph->footer(
      "Without a FILE it draws the next step that a session of the node starts, of whatever\n"
      "client; explain shows the numbers of sessions whose steps run.\n\n"
      "Examples:\n"
      "  troupe graph model.pb --fetch loss:0 | dot -Tsvg > model.svg\n"
      "  troupe graph model.pb --placement cost --table\n"
      "  troupe --timeout 60 graph -o step.dot");
  graph->callback([&, choice] { run = [&, choice] { return run_graph(options, *choice); }; });
}

// -- trace

int run_trace(const Options& options, const StepChoice& choice) {
  auto step = next_step(options, choice, {.trace = Trace::full});
  if (!step) return fail(step.status());
  auto trace = to_chrome_trace(*step);
  if (choice.output.empty() || choice.output == "-") return write(choice.output, trace);
  if (auto code = write(choice.output, trace); code != 0) return code;
  size_t nodes = 0;
  for (const auto& run : step->devices) nodes += run.nodes.size();
  if (options.json)
    print({{"file", choice.output}, {"devices", step->devices.size()}, {"nodes", nodes}});
  else
    std::printf(
        "%s: %zu nodes on %zu devices; ui.perfetto.dev opens it\n", choice.output.c_str(), nodes,
        step->devices.size());
  return 0;
}

void add_trace(CLI::App& app, const Options& options, Run& run) {
  auto* trace = app.add_subcommand("trace", "Records a step for ui.perfetto.dev");
  auto choice = std::make_shared<StepChoice>();
  trace->add_option("--session", choice->session, "the next step of this session (any)");
  trace->add_option("--output,-o", choice->output, "a file (standard output, which gets JSON)");
  trace->footer(
      "Records the next step that a session of the node starts, of whatever client.\n\n"
      "Example: troupe --timeout 60 trace -o step.json");
  trace->callback([&, choice] { run = [&, choice] { return run_trace(options, *choice); }; });
}

}  // namespace

void add_step_commands(CLI::App& app, const Options& options, Run& run) {
  add_graph(app, options, run);
  add_trace(app, options, run);
}

}  // namespace troupe::cli
