#include "troupe/graph/optimize/mixed_precision.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/optimize/choose_precision.hpp"

namespace troupe {
namespace {

/// Writes a step anew in which some slots are float16.
class PrecisionWriter {
 public:
  PrecisionWriter(
      const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
      const StepTypes& types, const std::vector<bool>& is_half)
      : graph_(graph),
        step_(step),
        devices_(devices),
        types_(types),
        is_half_(is_half),
        written_(std::make_shared<Graph>(graph.shared_catalog(), graph.shared_library())) {}

  Result<PlacedStep> write() {
    std::set<NodeId> known(step_.nodes.begin(), step_.nodes.end());
    for (auto feed : step_.feeds)
      if (!known.contains(feed.node))
        if (auto status = add_absent_feed(feed); !status.ok()) return status;
    for (const auto& node : types_.nodes())
      if (auto status = add(node); !status.ok()) return status;
    if (auto status = written_->check_loops(); !status.ok()) return status;
    for (const auto& [from, to] :
         {std::pair(&step_.feeds, &result_.step.feeds), {&step_.fetches, &result_.step.fetches}})
      for (auto output : *from) {
        auto found = written_->find_output(name_of(output));
        if (!found) return found.status();
        to->push_back(*found);
      }
    result_.step.is_partial = step_.is_partial;
    result_.graph = std::move(written_);
    return std::move(result_);
  }

 private:
  /// The placeholder of a feed whose node the step does not run.
  Status add_absent_feed(Output feed) {
    auto name = "_feed/" + std::to_string(feed.index) + "/" + graph_.node(feed.node).name;
    absent_feeds_[feed] = name + ":0";
    return written_
        ->add(
            {.name = name,
             .op = "Placeholder",
             .device = "",
             .inputs = {},
             .attrs = {{"dtype", graph_.dtype_of(feed)}, {"shape", graph_.shape_of(feed)}}})
        .status();
  }

  Status add(const TypedNode& node) {
    auto def = graph_.def_of(node.node->id);
    def.op = node.op->name();
    def.attrs = node.attrs;
    for (auto number : node.slots)
      if (is_half_[static_cast<size_t>(number)]) set_half(def.attrs, types_.slot(number));
    for (size_t i = 0; i < node.node->inputs.size(); ++i) {
      auto input = input_of(node, i);
      if (!input) return input.status();
      def.inputs[i] = *std::move(input);
    }
    return add_def(std::move(def), devices_.at(node.node->id));
  }

  static void set_half(Attrs& attrs, const TypeSlot& slot) {
    auto& value = attrs[slot.attr];
    if (slot.index < 0) {
      value = DType::float16;
      return;
    }
    auto dtypes = *value.get<DTypes>();
    dtypes[static_cast<size_t>(slot.index)] = DType::float16;
    value = std::move(dtypes);
  }

  Status add_def(NodeDef def, const DeviceName& device) {
    auto id = written_->add(std::move(def));
    if (!id) return id.status();
    result_.step.nodes.push_back(*id);
    result_.devices.emplace_hint(result_.devices.end(), *id, device);
    return {};
  }

  std::string name_of(Output output) const {
    auto absent = absent_feeds_.find(output);
    if (absent != absent_feeds_.end()) return absent->second;
    return graph_.node(output.node).name + ":" + std::to_string(output.index);
  }

  bool is_half(int slot) const { return slot >= 0 && is_half_[static_cast<size_t>(slot)]; }

  /// The name of the input, or of what casts it.
  Result<std::string> input_of(const TypedNode& user, size_t number) {
    auto input = user.node->inputs[number];
    auto wants_half = is_half(user.of_inputs[number]);
    if (graph_.dtype_of(input) != DType::float32 || wants_half == is_half(types_.slot_of(input)))
      return name_of(input);
    // The value of a reference is read when its user runs, so each has a cast that waits alike.
    auto is_own = graph_.is_reference(input) && !types_.is_fed(input);
    auto known = casts_.find({input, wants_half});
    if (known != casts_.end() && !is_own) return known->second;
    const auto& source = graph_.node(input.node);
    const auto* kind = wants_half ? "CastToFp16" : "CastToFp32";
    auto name =
        source.name + "-" + std::to_string(input.index) + "-" + kind + "-AutoMixedPrecision";
    if (is_own) name += "-" + std::to_string(user.node->id) + "-" + std::to_string(number);
    auto status = add_cast(name, user, input, wants_half, is_own);
    if (!status.ok()) return status;
    return casts_[{input, wants_half}] = name + ":0";
  }

  /// Where the value is made; that of a feed goes to where it is used.
  Status add_cast(
      const std::string& name, const TypedNode& user, Output input, bool to_half, bool waits) {
    const auto& source = graph_.node(input.node);
    const auto& place = types_.is_fed(input) ? *user.node : source;
    const auto& device = devices_.at(place.id);
    if (source.op->name() == "Const" && source.control_inputs.empty() && !types_.is_fed(input)) {
      auto value = to_float16(source.attr<Tensor>("value"));
      return add_def(
          {.name = name,
           .op = "Const",
           .device = place.device,
           .inputs = {},
           .attrs = {{"value", value}, {"dtype", DType::float16}}},
          device);
    }
    auto dtypes = std::pair(DType::float32, DType::float16);
    if (!to_half) std::swap(dtypes.first, dtypes.second);
    NodeDef cast{
        .name = name,
        .op = "Cast",
        .device = place.device,
        .inputs = {name_of(input)},
        .attrs = {{"SrcT", dtypes.first}, {"DstT", dtypes.second}}};
    if (waits)
      for (auto before : user.node->control_inputs)
        cast.inputs.push_back("^" + graph_.node(before).name);
    return add_def(std::move(cast), device);
  }

  /// A constant that has no control inputs is in any loop, which a cast of it would not be.
  static Tensor to_float16(const Tensor& value) {
    std::vector<float16> numbers;
    numbers.reserve(static_cast<size_t>(value.elements()));
    for (auto number : value.values<float>()) numbers.emplace_back(number);
    return Tensor::of<float16>(value.shape(), std::span<const float16>(numbers));
  }

  const Graph& graph_;
  const PrunedStep& step_;
  const std::map<NodeId, DeviceName>& devices_;
  const StepTypes& types_;
  const std::vector<bool>& is_half_;
  std::shared_ptr<Graph> written_;
  PlacedStep result_;
  std::map<Output, std::string> absent_feeds_;                 // their names
  std::map<std::pair<Output, bool>, std::string> casts_ = {};  // by value, and whether to float16
};

}  // namespace

std::shared_ptr<const PlacedStep> mix_precision(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
    const PrecisionLists& lists) {
  auto is_on_gpu = [](const auto& entry) { return entry.second.type == "GPU"; };
  if (std::ranges::none_of(devices, is_on_gpu)) return nullptr;
  StepTypes types(graph, step);
  auto is_half = choose_precision(types, step, devices, lists);
  if (std::ranges::none_of(is_half, [](bool is) { return is; })) return nullptr;
  auto mixed = PrecisionWriter(graph, step, devices, types, is_half).write();
  return mixed ? std::make_shared<const PlacedStep>(*std::move(mixed)) : nullptr;
}

}  // namespace troupe
