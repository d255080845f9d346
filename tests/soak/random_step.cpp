#include "troupe/tests/soak/random_step.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::soak {
namespace {

/// A tensor may lie at its sender, on its way, and at its receiver, where another one is computed
/// from it: so many times its bytes.
constexpr uint64_t copies_max = 4;
constexpr size_t flows_max = 4;

}  // namespace

uint64_t log_uniform(Random& random, uint64_t least, uint64_t most) {
  auto ratio = (static_cast<double>(most) + 1) / static_cast<double>(least);
  auto drawn = static_cast<double>(least) * std::pow(ratio, random.fraction());
  return std::clamp(static_cast<uint64_t>(drawn), least, most);
}

RandomStep::RandomStep(
    const FlowGraph& graph, uint64_t bytes_max, uint64_t memory_max, Random& random) {
  auto memory_left = memory_max;
  do {
    const auto& flow = random.pick(graph.flows);
    if (std::ranges::find(chosen_, &flow, &Chosen::flow) != chosen_.end()) continue;
    auto most = std::min(bytes_max, memory_left / copies_max);
    auto each = static_cast<uint64_t>(flow.element_bytes);
    auto elements = log_uniform(random, 1, std::max<uint64_t>(most / each, 1));
    Chosen chosen{
        .flow = &flow,
        .elements = flow.elements ? flow.elements : static_cast<int64_t>(elements),
        .element = static_cast<int32_t>(random.between(0, 100))};
    if (chosen.bytes() > most && !chosen_.empty()) break;
    memory_left -= std::min(copies_max * chosen.bytes(), memory_left);
    chosen_.push_back(chosen);
  } while (chosen_.size() < flows_max && random.chance(0.4));
}

std::vector<Feed> RandomStep::feeds() const {
  std::vector<Feed> feeds;
  for (const auto& [flow, elements, element] : chosen_) {
    if (flow->count.is_valid())
      feeds.push_back({flow->count, Tensor::scalar(static_cast<int32_t>(elements))});
    if (flow->element.is_valid()) feeds.push_back({flow->element, Tensor::scalar(element)});
  }
  return feeds;
}

Refs RandomStep::fetches() const {
  Refs fetches;
  for (const auto& chosen : chosen_)
    fetches.insert(fetches.end(), chosen.flow->found.begin(), chosen.flow->found.end());
  return fetches;
}

Refs RandomStep::targets() const {
  Refs targets;
  for (const auto& chosen : chosen_)
    targets.insert(targets.end(), chosen.flow->targets.begin(), chosen.flow->targets.end());
  return targets;
}

uint64_t RandomStep::memory() const {
  uint64_t bytes = 0;
  for (const auto& chosen : chosen_) bytes += copies_max * chosen.bytes();
  return bytes;
}

uint64_t RandomStep::bytes_sent() const {
  uint64_t bytes = 0;
  for (const auto& chosen : chosen_)
    bytes += static_cast<uint64_t>(chosen.flow->hops) * chosen.bytes();
  return bytes;
}

std::string RandomStep::fault_of(const Tensors& values) const {
  auto value = values.begin();
  for (const auto& chosen : chosen_) {
    if (chosen.flow->found.empty()) continue;
    if (values.end() - value < 3) return "the result has too few tensors";
    auto least = value++->value<int32_t>();
    auto greatest = value++->value<int32_t>();
    auto fault = chosen.fault_of(least, greatest, value++->value<int32_t>());
    if (!fault.empty()) return fault;
  }
  return value == values.end() ? "" : "the result has too many tensors";
}

std::string RandomStep::to_string() const {
  std::string text;
  for (const auto& chosen : chosen_) text += (text.empty() ? "" : "; ") + chosen.to_string();
  return text;
}

std::string RandomStep::Chosen::to_string() const {
  auto text = flow->name + ", " + std::to_string(bytes()) + " bytes";
  return flow->element.is_valid() ? text + " of " + std::to_string(element) : text;
}

std::string RandomStep::Chosen::fault_of(int32_t least, int32_t greatest, int32_t count) const {
  auto is_right =
      least == greatest && count == elements && (!flow->element.is_valid() || least == element);
  if (is_right) return "";
  return to_string() + ": arrived were " + std::to_string(count) + " elements from " +
         std::to_string(least) + " to " + std::to_string(greatest);
}

}  // namespace troupe::soak
