#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/optimize/optimize.hpp"

namespace troupe::testing {

/// A step whose nodes are on the device of their constraint "/job:b", or else on one of job a; and
/// what one pass makes of it.
struct PassFixture {
  Builder b;
  std::string pass;
  EvaluateNode evaluate;

  explicit PassFixture(std::string name) : pass(std::move(name)) {}

  std::shared_ptr<const PlacedStep> run(const StepSignature& signature) {
    BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
    auto step = prune(b.graph(), signature);
    BOOST_TEST_REQUIRE(step.ok(), step.status().to_string());
    std::map<NodeId, DeviceName> devices;
    for (auto id : step->nodes) {
      auto is_b = b.graph().node(id).device.starts_with("/job:b");
      auto type = b.graph().node(id).device.ends_with("GPU:0") ? "GPU" : "CPU";
      devices[id] = DeviceName{is_b ? "b" : "a", 0, type, 0};
    }
    OptimizeOptions options{.disabled = optimization_passes(), .evaluate = evaluate};
    std::erase(options.disabled, pass);
    return optimize(b.graph(), *step, devices, options);
  }

  /// The nodes that the step has after the pass, in their order: "y = Neg(x:0, ^init)".
  std::vector<std::string> nodes(const StepSignature& signature) {
    auto optimized = run(signature);
    if (!optimized) return {"unchanged"};
    std::vector<std::string> lines;
    for (auto id : optimized->step.nodes) {
      auto def = optimized->graph->def_of(id);
      std::string line = def.name + " = " + def.op + "(";
      for (size_t i = 0; i < def.inputs.size(); ++i) line += (i > 0 ? ", " : "") + def.inputs[i];
      lines.push_back(line + ")");
    }
    return lines;
  }

  /// After the pass, for a step of those fetches.
  std::vector<std::string> nodes_for(const Values& fetches, const Values& feeds = {}) {
    StepSignature signature;
    for (const auto& fetch : fetches) signature.fetches.push_back(fetch.name());
    for (const auto& feed : feeds) signature.feeds.push_back(feed.name());
    return nodes(signature);
  }

  bool changes(const Values& fetches, const Values& feeds = {}) {
    return nodes_for(fetches, feeds) != std::vector<std::string>{"unchanged"};
  }
};

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace troupe::testing
