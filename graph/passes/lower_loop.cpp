#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/passes/lowered_nodes.hpp"

namespace troupe {
namespace {

/// The argument whose value a result of the function is, unchanged; -1: none.
int argument_of(const FunctionDef& function, std::string output) {
  for (size_t hops = 0; hops <= function.nodes.size(); ++hops) {
    auto name = output.substr(0, output.rfind(':'));
    for (size_t i = 0; i < function.arguments.size(); ++i)
      if (function.arguments[i].name == name) return static_cast<int>(i);
    auto node = std::ranges::find(function.nodes, name, &NodeDef::name);
    if (node == function.nodes.end() || node->op != "Identity") return -1;
    output = node->inputs[0];
  }
  return -1;
}

class LoopLowering {
 public:
  LoopLowering(const NodeDef& node, const std::vector<FunctionArgument>& inputs, const Graph& graph)
      : node_(node),
        inputs_(inputs),
        graph_(graph),
        is_for_(node.op == "For"),
        first_(is_for_ ? 3 : 0),
        lowered_(node, inputs) {}

  Result<LoweredNode> run() {
    auto body = graph_.library().find(node_.attrs.at("body").get<FunctionRef>()->name());
    if (!body) return body.status();
    body_ = *body;
    if (auto status = infer(); !status.ok()) return status;
    if (is_for_) begin_for();
    for (size_t i = first_; i < inputs_.size(); ++i)
      if (auto status = begin_variable(i); !status.ok()) return status;
    if (merged_.empty()) begin_hidden("_turn", lowered_.constant("_turn", zero()), Shape());
    auto condition = is_for_ ? for_condition() : while_condition();
    if (!condition) return condition.status();
    lowered_.add("goes_on", loops::loop_cond, {*std::move(condition)});
    add_body();
    return lowered_.end(exits_[0].substr(0, exits_[0].rfind(':')));
  }

 private:
  static Tensor zero() { return Tensor::scalar<int64_t>(0); }

  Status infer() {
    for (size_t i = first_; i < inputs_.size(); ++i) {
      dtypes_.push_back(inputs_[i].dtype);
      shapes_.push_back(inputs_[i].shape);
    }
    auto shapes = functional::loop_shapes(
        [this](const FunctionRef& body, DTypes dtypes, Shapes known) {
          if (is_for_) {
            dtypes.insert(dtypes.begin(), DType::int32);
            known.insert(known.begin(), Shape());
          }
          return infer_call(body, dtypes, known, graph_.shared_catalog(), graph_.shared_library());
        },
        *node_.attrs.at("body").get<FunctionRef>(), dtypes_, shapes_);
    if (shapes) shapes_ = *std::move(shapes);
    return shapes.status();
  }

  std::string enter(const std::string& name, const std::string& value, bool is_constant) {
    Attrs attrs = {{"frame_name", "while"}, {"is_constant", is_constant}};
    auto given = node_.attrs.find("parallel_iterations");
    if (given != node_.attrs.end()) attrs.insert(*given);
    return lowered_.add("enter_" + name, loops::enter, {value}, std::move(attrs));
  }

  /// A variable that no function sees.
  void begin_hidden(const std::string& name, const std::string& initial, const Shape& shape) {
    begin_cycle(name, initial, shape);
    exits_.push_back("exit_" + name + ":0");
  }

  void begin_cycle(const std::string& name, const std::string& initial, const Shape& shape) {
    merged_.push_back(lowered_.add(
        "merge_" + name, loops::merge, {enter(name, initial, false), "next_" + name + ":0"},
        {{loops::shape_attr, shape}}));
    names_.push_back(name);
  }

  Status begin_variable(size_t index) {
    auto name = std::to_string(index - first_);
    const auto& result = body_->def.results[index - first_].output;
    if (inputs_[index].dtype != DType::resource) {
      begin_cycle(name, lowered_.input(index), shapes_[index - first_]);
      arguments_.push_back(merged_.back());
      in_body_.push_back("switch_" + name + ":1");
      exits_.push_back("exit_" + name + ":0");
      lowered_.result(exits_.back(), inputs_[index].dtype);
      return {};
    }
    auto own = static_cast<int>(index - first_ + (is_for_ ? 1 : 0));
    if (argument_of(body_->def, result) != own)
      return unimplemented(
          "the body '" + body_->def.name + "' of a loop gives another resource for '" +
          body_->def.arguments[static_cast<size_t>(own)].name +
          "' than it was given; a loop hands resources on unchanged");
    arguments_.push_back(enter(name, lowered_.input(index), true));
    in_body_.push_back(arguments_.back());
    lowered_.result(lowered_.input(index), DType::resource);
    return {};
  }

  std::string first_merge() const { return merged_[0].substr(0, merged_[0].rfind(':')); }

  Result<std::string> while_condition() {
    const auto& function = *node_.attrs.at("cond").get<FunctionRef>();
    auto outputs =
        infer_call(function, dtypes_, shapes_, graph_.shared_catalog(), graph_.shared_library());
    if (!outputs) return outputs.status();
    auto inputs = arguments_;
    inputs.push_back("^" + first_merge());
    lowered_.call("cond", function, outputs->dtypes, std::move(inputs));
    auto test = lowered_.truth(
        "condition", {.name = "cond", .dtype = outputs->dtypes[0], .shape = outputs->shapes[0]},
        first_merge());
    if (!(*graph_.library().find(function.name()))->is_stateful) return test;
    return lowered_.add("condition_done", "Identity", {test, "^cond"});
  }

  /// How many iterations there are, which the first, hidden variable counts.
  void begin_for() {
    auto wide = [this](const char* name, size_t input) {
      return lowered_.add(
          name, "Cast", {lowered_.input(input)}, {{"SrcT", DType::int32}, {"DstT", DType::int64}});
    };
    auto start = wide("start", 0), limit = wide("limit", 1), delta = wide("delta", 2);
    auto none = lowered_.constant("none", zero());
    auto one = lowered_.constant("one", Tensor::scalar<int64_t>(1));
    auto way = lowered_.add("way", "Sub", {limit, start});
    auto ahead = lowered_.add(
        "is_ahead", "GreaterEqual", {lowered_.add("direction", "Mul", {way, delta}), none});
    auto moves = lowered_.add("moves", "NotEqual", {delta, none});
    auto valid = lowered_.add(
        "is_valid", "LogicalAnd",
        {ahead, lowered_.add(
                    "ends", "LogicalOr", {moves, lowered_.add("is_there", "Equal", {way, none})})});
    auto text =
        lowered_.constant("text", Tensor::scalar<std::string>("Invalid start/limit/delta: "));
    lowered_.add(
        "check", "Assert", {valid, text, lowered_.input(0), lowered_.input(1), lowered_.input(2)});
    auto step = lowered_.add("step", "SelectV2", {moves, delta, one});
    auto floor = lowered_.add("floor", "FloorDiv", {lowered_.add("back", "Neg", {way}), step});
    auto count = lowered_.add("count", "Neg", {floor, "^check"});
    count_ = enter("count", count, true);
    start_ = enter("start", start, true);
    delta_ = enter("delta", delta, true);
    begin_hidden("_turn", none, Shape());
  }

  Result<std::string> for_condition() {
    return lowered_.add("condition", "Less", {merged_[0], count_});
  }

  void add_body() {
    for (size_t i = 0; i < names_.size(); ++i) {
      lowered_.add("switch_" + names_[i], "Switch", {merged_[i], "goes_on:0"});
      lowered_.add("exit_" + names_[i], loops::exit, {"switch_" + names_[i] + ":0"});
    }
    lowered_.add("pivot", "Identity", {"switch_" + names_[0] + ":1"});
    auto inputs = in_body_;
    auto results = dtypes_;
    if (is_for_) {
      auto turn = lowered_.add("distance", "Mul", {"pivot:0", delta_});
      inputs.insert(
          inputs.begin(), lowered_.add(
                              "index", "Cast", {lowered_.add("position", "AddV2", {start_, turn})},
                              {{"SrcT", DType::int64}, {"DstT", DType::int32}}));
    }
    inputs.push_back("^pivot");
    lowered_.call("body", *node_.attrs.at("body").get<FunctionRef>(), results, std::move(inputs));
    for (const auto& name : names_) {
      auto next = "body:" + name;
      if (name == "_turn")
        next = lowered_.add(
            "turn", "AddV2",
            {"pivot:0", lowered_.constant("turn/one", Tensor::scalar<int64_t>(1), "pivot")});
      std::vector<std::string> ended = {std::move(next)};
      if (body_->is_stateful) ended.push_back("^body");
      lowered_.add("next_" + name, loops::next_iteration, std::move(ended));
    }
  }

  const NodeDef& node_;
  const std::vector<FunctionArgument>& inputs_;
  const Graph& graph_;
  const bool is_for_;
  const size_t first_;  // the input that is the first variable
  LoweredNodes lowered_;
  const Function* body_ = nullptr;
  DTypes dtypes_;                       // of the variables
  Shapes shapes_;                       // in all iterations
  std::vector<std::string> names_;      // of the variables that go round
  std::vector<std::string> merged_;     // these, as the condition has them
  std::vector<std::string> exits_;      // these, after the loop
  std::vector<std::string> arguments_;  // all variables, as the condition has them
  std::vector<std::string> in_body_;    // and as the body does
  std::string count_, start_, delta_;   // of a For, in the loop
};

}  // namespace

Result<LoweredNode> lower_loop(
    const NodeDef& node, const std::vector<FunctionArgument>& inputs, const Graph& graph) {
  return LoopLowering(node, inputs, graph).run();
}

}  // namespace troupe
