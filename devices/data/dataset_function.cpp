#include "troupe/devices/data/dataset_function.hpp"

#include <algorithm>
#include <atomic>

#include "troupe/devices/data/iteration.hpp"
#include "troupe/devices/resources/session_kernels.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/graph/passes/inline_functions.hpp"

namespace troupe::data {
namespace {

/// One call of a function: a step whose feeds are the arguments.
class FunctionStep final : public StepPort {
 public:
  FunctionStep(
      Device& device, Element first, std::shared_ptr<const Tensors> rest, size_t result_count,
      AtOutOfRange at_out_of_range, ElementSource::Done done)
      : device_(device),
        first_(std::move(first)),
        rest_(std::move(rest)),
        results_(result_count),
        at_out_of_range_(at_out_of_range),
        done_(std::move(done)) {}

  // Each argument is asked for once.
  Tensor feed(int index) override {
    auto at = static_cast<size_t>(index);
    return at < first_.size() ? std::move(first_[at]) : (*rest_)[at - first_.size()];
  }
  void fetch(int index, Tensor value) override {
    results_[static_cast<size_t>(index)] = std::move(value);
  }

  Status send(const EdgeKey&, Tensor) override { return internal(only_one_device); }
  std::optional<Result<Tensor>> try_receive(const EdgeKey&) override {
    return Result<Tensor>(internal(only_one_device));
  }
  void receive(const EdgeKey&, Arrived arrived) override { arrived(internal(only_one_device)); }
  void fail(const Status&) override {}
  void post(std::function<void()> work) override { device_.enqueue(std::move(work)); }

  /// The step has ended. Either this or call_returned() is the later of the two, and answers.
  void ended(Status status) {
    status_ = std::move(status);
    if (met_.exchange(true, std::memory_order_acq_rel)) done_(answer());
  }
  bool has_ended() const { return met_.load(std::memory_order_relaxed); }
  /// The answer, if the step has ended.
  std::optional<Pulled> call_returned() {
    if (met_.exchange(true, std::memory_order_acq_rel)) return answer();
    return {};
  }

 private:
  static constexpr const char* only_one_device = "a function of a dataset is on one device";

  Pulled answer() {
    if (status_.ok()) return std::optional<Element>(std::move(results_));
    if (status_.code() != Code::out_of_range) return status_;
    if (at_out_of_range_ == AtOutOfRange::ends) return end_of_sequence();
    return invalid_argument("Function invocation produced OutOfRangeError: " + status_.message())
        .at(status_.where());
  }

  Device& device_;
  Element first_;
  std::shared_ptr<const Tensors> rest_;
  Element results_;
  AtOutOfRange at_out_of_range_;
  ElementSource::Done done_;
  Status status_;
  std::atomic<bool> met_ = false;
};

/// Adds a _Retval for each result, and returns the names of what a call must run.
Result<std::vector<std::string>> add_results(const FunctionDef& def, Graph& body) {
  std::vector<std::string> targets;
  for (const auto& node : body.nodes())
    if (node.op->is_stateful() && node.op->name() != transfer::arg) targets.push_back(node.name);
  for (size_t i = 0; i < def.results.size(); ++i) {
    auto name = "_result_" + std::to_string(i);
    auto added = body.add(
        {.name = name,
         .op = transfer::retval,
         .device = "",
         .inputs = {def.results[i].output},
         .attrs = {{"T", def.results[i].dtype}, {"index", static_cast<int64_t>(i)}}});
    if (!added) return added.status();
    targets.push_back(name);
  }
  return targets;
}

/// The nodes that a call of the function runs, without calls of others, on that device.
Result<std::vector<NodeDef>> nodes_of(
    const FunctionDef& def, const Graph& graph, const std::string& device) {
  auto body = make_body(def, {}, graph.shared_catalog(), graph.shared_library());
  if (!body) return body.status();
  auto targets = add_results(def, *body);
  if (!targets) return targets.status();
  StepSignature signature{.feeds = {}, .fetches = {}, .targets = *std::move(targets)};
  auto step = prune(*body, signature);
  if (!step) return step.status();
  auto inlined = inline_functions(*body, signature, *step);
  if (!inlined) return inlined.status();
  const auto& flat = *inlined ? *(*inlined)->graph : *body;
  const auto& needed = *inlined ? (*inlined)->step : *step;
  std::vector<NodeDef> nodes;
  for (auto id : needed.nodes) {
    const auto& node = flat.node(id);
    if (resource_of(node))
      return invalid_argument(
                 "a function of a dataset cannot name a resource: its handle must be an argument")
          .at({.node = node.name, .op = node.op->name()});
    nodes.push_back(flat.def_of(id));
    nodes.back().device = device;
  }
  return nodes;
}

bool has_seed(const Node& node) {
  return SessionKernels::keeps(node) &&
         (node.attr<int64_t>("seed") != 0 || node.attr<int64_t>("seed2") != 0);
}

std::string list(const DTypes& dtypes) {
  std::string text;
  for (auto dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(to_string(dtype));
  return "(" + text + ")";
}

}  // namespace

Result<SharedFunction> DatasetFunction::compile(
    const FunctionRef& function, const Node& node, const Graph& graph, Device& device) {
  auto found = graph.library().find(function.name());
  if (!found) return found.status();
  const auto& def = (*found)->def;
  auto nodes = nodes_of(def, graph, node.device);
  if (!nodes) return nodes.status();
  if (device.kernels().contains(fusion::op)) fuse_elementwise(*nodes);
  auto flat = std::make_shared<Graph>(graph.shared_catalog(), graph.shared_library());
  for (auto& each : *nodes)
    if (auto id = flat->add(std::move(each)); !id) return id.status();
  if (auto status = flat->check_loops(); !status.ok()) return status;
  auto plan = Plan::compile(flat, device, {});
  if (!plan) return plan.status();
  auto compiled = std::make_shared<DatasetFunction>();
  compiled->has_seeds_ = std::ranges::any_of(flat->nodes(), has_seed);
  compiled->name_ = def.name;
  for (const auto& argument : def.arguments) compiled->argument_dtypes_.push_back(argument.dtype);
  for (const auto& result : def.results) compiled->result_dtypes_.push_back(result.dtype);
  compiled->plan_ = *std::move(plan);
  return SharedFunction(std::move(compiled));
}

Status DatasetFunction::check_arguments(const DTypes& first, const DTypes& rest) const {
  auto given = first;
  given.insert(given.end(), rest.begin(), rest.end());
  if (given == argument_dtypes_) return {};
  return invalid_argument(
      "function '" + name_ + "' takes " + list(argument_dtypes_) + ", but is called with " +
      list(given));
}

Status DatasetFunction::check_results(const DTypes& dtypes) const {
  if (dtypes == result_dtypes_) return {};
  return invalid_argument(
      "function '" + name_ + "' returns " + list(result_dtypes_) + ", but " + list(dtypes) +
      " are expected");
}

Result<std::shared_ptr<const Plan>> DatasetFunction::plan_of(Iteration& iteration) const {
  if (!has_seeds_) return plan_;
  struct OwnPlan {
    Result<std::shared_ptr<const Plan>> plan;
  };
  auto compile = [&] { return Plan::compile(plan_->shared_graph(), plan_->device(), {}); };
  return iteration
      .state_of<OwnPlan>(plan_, [&] { return std::make_shared<OwnPlan>(OwnPlan{compile()}); })
      ->plan;
}

std::optional<Pulled> DatasetFunction::call(
    Element first, const std::shared_ptr<const Tensors>& rest, AtOutOfRange at_out_of_range,
    Iteration& iteration, ElementSource::Done done) const {
  auto plan = plan_of(iteration);
  if (!plan) return plan.status();
  auto step = std::make_shared<FunctionStep>(
      plan_->device(), std::move(first), rest, result_dtypes_.size(), at_out_of_range,
      std::move(done));
  auto execution =
      troupe::start(*plan, step, [step](Status status) { step->ended(std::move(status)); });
  // Nobody is answered before call_returned(), so the iteration is still there.
  if (!step->has_ended()) iteration.add_call(execution);
  return step->call_returned();
}

}  // namespace troupe::data
