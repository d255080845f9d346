#include "troupe/graph/optimize/choose_precision.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

using Slots = std::vector<bool>;

enum class Direction : uint8_t { before, after, both };

/// TensorFlow paints nodes: what becomes float16 is white there, and what must not is black.
class PrecisionChooser {
 public:
  PrecisionChooser(
      const StepTypes& types, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
      const PrecisionLists& lists)
      : types_(types), lists_(lists), half_(types.slots().size()), denied_(half_.size()) {
    std::set<NodeId> outside;  // a value leaves the step, or is fed
    for (const auto* outputs : {&step.feeds, &step.fetches})
      for (auto output : *outputs) outside.insert(output.node);
    for (const auto& node : types.nodes()) {
      is_fixed_.push_back(outside.contains(node.node->id));
      is_open_.push_back(devices.at(node.node->id).type == "GPU" && !is_fixed_.back());
    }
    for (const auto& slot : types.slots()) can_be_half_.push_back(can_be_half(slot));
  }

  Slots choose() {
    add_allowed();
    if (std::ranges::none_of(half_, [](bool is_half) { return is_half; })) return half_;
    if (!lists_.forces_all) add_denied();
    add_between();
    add_neighbours();
    match_iterations();
    add_casts();
    return half_;
  }

 private:
  bool can_be_half(const TypeSlot& slot) const {
    if (slot.dtype != DType::float32 || slot.attr.empty()) return false;
    const auto& op = *types_.node_of(slot).op;
    const auto& dtypes = op.find_attr(slot.attr)->allowed_dtypes;
    if (!dtypes.empty() && !std::ranges::count(dtypes, DType::float16)) return false;
    return is_open_[static_cast<size_t>(slot.node)] && has_float16_kernel(op.name(), slot.attr);
  }

  const std::string& op_of(int slot) const { return types_.node_of(types_.slot(slot)).op->name(); }
  bool is_in(const PrecisionLists::Names& list, int slot) const {
    return list.contains(op_of(slot));
  }
  bool is_allowed(int slot) const {
    return can_be_half_[static_cast<size_t>(slot)] && is_in(lists_.allow, slot);
  }

  /// Calls back with the root and with what is reached from it through slots that may be
  /// entered, which must be false for what has been visited.
  template <class MayEnter, class Callback>
  void walk(
      int root, Direction direction, const MayEnter& may_enter, const Callback& callback) const {
    std::vector<int> waiting{root};
    while (!waiting.empty()) {
      auto number = waiting.back();
      waiting.pop_back();
      if (number != root && !may_enter(number)) continue;
      callback(number);
      auto add = [&](const std::vector<int>& next) {
        for (auto other : next)
          if (other != root) waiting.push_back(other);
      };
      if (direction != Direction::after) add(types_.slot(number).before);
      if (direction != Direction::before) add(types_.slot(number).after);
    }
  }

  template <class Function>
  void for_each_slot(const Function& function) const {
    for (int number = 0; number < static_cast<int>(types_.slots().size()); ++number)
      function(number);
  }

  static auto adder(Slots& set) {
    return [&set](int number) { set[static_cast<size_t>(number)] = true; };
  }

  bool can_be_forced(int slot) const {
    const auto& op = *types_.node_of(types_.slot(slot)).op;
    auto is_reference = [](const Argument& argument) { return argument.is_ref; };
    return lists_.forces_all && op.name() != "Const" && !op.is_stateful() &&
           op.name() != "SoftmaxCrossEntropyWithLogits" &&
           std::ranges::none_of(op.inputs(), is_reference) &&
           std::ranges::none_of(op.outputs(), is_reference);
  }

  void add_allowed() {
    for_each_slot([&](int slot) {
      auto index = static_cast<size_t>(slot);
      if (can_be_half_[index] && (is_in(lists_.allow, slot) || can_be_forced(slot)))
        half_[index] = true;
    });
  }

  /// What is denied, and what follows from it up to the last op that is denied or inferred.
  void add_denied() {
    Slots leads_on(half_.size());  // to an op that is denied or inferred
    for_each_slot([&](int root) {
      if (!is_in(lists_.deny, root) && !is_in(lists_.infer, root)) return;
      auto may_enter = [&](int slot) {
        return !leads_on[static_cast<size_t>(slot)] && is_in(lists_.clear, slot);
      };
      walk(root, Direction::before, may_enter, adder(leads_on));
    });
    for_each_slot([&](int root) {
      if (denied_[static_cast<size_t>(root)] || !is_in(lists_.deny, root)) return;
      auto may_enter = [&](int slot) {
        return !denied_[static_cast<size_t>(slot)] && leads_on[static_cast<size_t>(slot)];
      };
      walk(root, Direction::after, may_enter, adder(denied_));
    });
  }

  /// What lies between two that are allowed, so that values need not be cast there and back.
  void add_between() {
    Slots follows(half_.size());
    for_each_slot([&](int root) {
      if (!is_allowed(root)) return;
      auto may_enter = [&](int slot) {
        auto index = static_cast<size_t>(slot);
        return !follows[index] && !denied_[index] && can_be_half_[index] &&
               (is_in(lists_.clear, slot) || is_in(lists_.infer, slot));
      };
      walk(root, Direction::after, may_enter, adder(follows));
    });
    Slots leads(half_.size());
    for_each_slot([&](int root) {
      if (!is_allowed(root) || leads[static_cast<size_t>(root)]) return;
      auto may_enter = [&](int slot) {
        return !leads[static_cast<size_t>(slot)] && follows[static_cast<size_t>(slot)];
      };
      walk(root, Direction::before, may_enter, [&](int slot) {
        leads[static_cast<size_t>(slot)] = half_[static_cast<size_t>(slot)] = true;
      });
    });
  }

  /// What moves numbers to or from those that were chosen.
  void add_neighbours() {
    auto chosen = half_;
    for_each_slot([&](int root) {
      if (!chosen[static_cast<size_t>(root)]) return;
      auto may_enter = [&](int slot) {
        auto index = static_cast<size_t>(slot);
        return !half_[index] && !denied_[index] && can_be_half_[index] &&
               is_in(lists_.clear, slot) && !reads_reference(slot);
      };
      walk(root, Direction::both, may_enter, adder(half_));
    });
  }

  /// The copy of a variable of references, which is what checkpoints and drawings show of it.
  bool reads_reference(int slot) const {
    const auto& node = *types_.node_of(types_.slot(slot)).node;
    if (node.inputs.empty() || types_.is_fed(node.inputs[0])) return false;
    auto before = types_.slot_of(node.inputs[0]);
    if (before < 0) return false;
    const auto& op = node.op->name();
    if (op == "Identity") {
      const auto& read = op_of(before);
      return read == "Variable" || read == "VariableV2";
    }
    return loops::is_enter(op) && op_of(before) == "Identity" && reads_reference(before);
  }

  /// A value of a loop has one dtype in all iterations.
  void match_iterations() {
    for_each_slot([&](int slot) {
      if (!loops::is_next_iteration(op_of(slot))) return;
      const auto& merges = types_.slot(slot).after;
      auto is_half =
          !merges.empty() && can_be_half_[static_cast<size_t>(slot)] &&
          std::ranges::all_of(merges, [&](int merge) { return half_[static_cast<size_t>(merge)]; });
      half_[static_cast<size_t>(slot)] = is_half;
      if (!is_half)
        for (auto merge : merges) half_[static_cast<size_t>(merge)] = false;
    });
  }

  /// A cast of what is used in float16 alone gives that at once.
  void add_casts() {
    for_each_slot([&](int slot) {
      const auto& given = types_.slot(slot);
      if (op_of(slot) != "Cast" || given.attr != "DstT" || given.dtype != DType::float32) return;
      if (given.after.empty() || is_fixed_[static_cast<size_t>(given.node)]) return;
      if (std::ranges::all_of(
              given.after, [&](int user) { return half_[static_cast<size_t>(user)]; }))
        half_[static_cast<size_t>(slot)] = true;
    });
  }

  const StepTypes& types_;
  const PrecisionLists& lists_;
  std::vector<bool> is_fixed_;     // by node: an output is fed or fetched
  std::vector<bool> is_open_;      // by node: on a GPU, and not fixed
  std::vector<bool> can_be_half_;  // by slot: float32, where float16 is possible
  Slots half_;
  Slots denied_;
};

}  // namespace

/// All do, but one whose two attributes must be alike.
bool has_float16_kernel(const std::string& op, const std::string& attr) {
  return op != "MaxPool3DGrad" || (attr != "T" && attr != "TInput");
}

std::vector<bool> choose_precision(
    const StepTypes& types, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
    const PrecisionLists& lists) {
  return PrecisionChooser(types, step, devices, lists).choose();
}

}  // namespace troupe
