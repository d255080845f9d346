#include "troupe/devices/kernel.hpp"

#include "troupe/devices/device.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe {

Stream* Launch::stream() const { return device_.stream(); }

void Launch::note_change() const {
  if (step_.resources) step_.resources->note_change(step_.item);
}

Result<Tensor> Launch::allocate(DType dtype, const Shape& shape) const {
  return Tensor::allocate(dtype, shape, device_.allocator());
}

Result<Tensor> Launch::reuse_or_allocate(
    std::initializer_list<int> inputs, DType dtype, const Shape& shape) {
  for (auto index : inputs) {
    const auto& candidate = input(index);
    if (candidate.is_sole_owner() && candidate.dtype() == dtype && candidate.shape() == shape)
      return candidate;
  }
  return allocate(dtype, shape);
}

void KernelCatalog::add(std::string op, Make make) {
  CHECK(makers_.emplace(std::move(op), std::move(make)).second);
}

void KernelCatalog::add_on_request(std::string op, Make make) {
  CHECK(!contains(op) && on_request_.emplace(std::move(op), std::move(make)).second);
}

void KernelCatalog::add_compute(std::string op, Compute compute) {
  add(std::move(op), [compute = std::move(compute)](const Node&) -> Result<Kernel> {
    return Kernel{.compute = compute};
  });
}

void KernelCatalog::add_linked(std::string op, MakeLinked make) {
  add(op, [](const Node& node) -> Result<Kernel> {
    return internal("a kernel of " + node.op->name() + " is linked to a graph");
  });
  linked_.emplace(std::move(op), std::move(make));
}

void KernelCatalog::on_host(
    std::string_view op, std::vector<int> inputs, std::vector<int> outputs) {
  auto found = makers_.find(op);
  CHECK(found != makers_.end());
  found->second = [make = std::move(found->second), inputs = std::move(inputs),
                   outputs = std::move(outputs)](const Node& node) {
    auto kernel = make(node);
    if (!kernel) return kernel;
    for (auto index : inputs)
      kernel->host_inputs.push_back(
          index < 0 ? index + static_cast<int>(node.inputs.size()) : index);
    kernel->host_outputs = outputs;
    return kernel;
  };
}

void KernelCatalog::set_repeats(std::string_view op, Repeats repeats) {
  auto found = makers_.find(op);
  CHECK(found != makers_.end());
  found->second = [make = std::move(found->second), repeats](const Node& node) {
    auto kernel = make(node);
    if (kernel) kernel->repeats = repeats;
    return kernel;
  };
}

void KernelCatalog::add_all(const KernelCatalog& other) {
  for (const auto& [op, make] : other.makers_) add(op, make);
  for (const auto& [op, make] : other.linked_) linked_.emplace(op, make);
}

KernelCatalog::Make KernelCatalog::find(std::string_view op) const {
  for (const auto* makers : {&makers_, &on_request_})
    if (auto found = makers->find(op); found != makers->end()) return found->second;
  return other_ ? other_(op) : nullptr;
}

Result<Kernel> KernelCatalog::make(const Node& node) const {
  if (auto make = find(node.op->name())) return make(node);
  return unimplemented("this kind of device has no kernel for op " + node.op->name());
}

Result<Kernel> KernelCatalog::make_in(const Node& node, const Graph& graph, Device& device) const {
  auto found = linked_.find(node.op->name());
  return found == linked_.end() ? make(node) : found->second(node, graph, device);
}

std::vector<std::string> KernelCatalog::ops() const { return names_of(makers_); }

std::vector<std::string> KernelCatalog::ops_on_request() const { return names_of(on_request_); }

std::vector<std::string> KernelCatalog::names_of(const Makers& makers) {
  std::vector<std::string> names;
  for (const auto& [name, make] : makers) names.push_back(name);
  return names;
}

}  // namespace troupe
