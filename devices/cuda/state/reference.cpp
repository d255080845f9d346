#include <string>
#include <vector>

#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {
namespace {

/// The error as users of references know it, where a variable lacks a value.
Status name_uninitialized(const Launch& launch, const Status& status) {
  if (status.code() != Code::failed_precondition) return status;
  for (int i = 0; i < launch.input_count(); ++i) {
    const auto& input = launch.input(i);
    if (!input.is_set() || input.dtype() != DType::resource) continue;
    auto variable = cpu::variable_input(launch, i);
    if (variable && !(*variable)->has_value())
      return failed_precondition(
          "Attempting to use uninitialized value " + input.value<ResourceHandle>().name);
  }
  return status;
}

/// The maker of an op on references, by that of the op on handles that does the same.
KernelCatalog::Make on_references(KernelCatalog::Make make) {
  return [make = std::move(make)](const Node& node) -> Result<Kernel> {
    auto of_handle = node;
    if (auto t = node.attrs.find("T"); t != node.attrs.end())
      of_handle.attrs.insert_or_assign("dtype", t->second);
    auto kernel = make(of_handle);
    if (!kernel) return kernel;
    kernel->compute = [compute = std::move(kernel->compute),
                       gives_reference = node.gives_reference(0)](Launch& launch) {
      auto status = compute(launch);
      if (!status.ok()) return name_uninitialized(launch, status);
      if (gives_reference) launch.set(0, launch.input(0));
      return status;
    };
    return kernel;
  };
}

}  // namespace

void add_reference_kernels(KernelCatalog& catalog) {
  std::vector<std::pair<std::string, std::string>> forms = {
      {"AssignAdd", "AssignAddVariableOp"}, {"AssignSub", "AssignSubVariableOp"}};
  for (auto name :
       {"ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMin",
        "ScatterMax", "ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate", "StridedSliceAssign",
        "ApplyGradientDescent", "ApplyAddSign", "ApplyPowerSign", "ApplyAdam", "ApplyAdaMax"})
    forms.emplace_back(name, std::string("Resource") + name);
  for (auto name :
       {"ProximalGradientDescent", "ProximalAdagrad", "Momentum", "Adagrad", "AdagradV2",
        "AdagradDA", "Adadelta", "RMSProp", "CenteredRMSProp", "Ftrl", "FtrlV2"})
    for (auto prefix : {"Apply", "SparseApply"}) {
      auto op = std::string(prefix) + name;
      forms.emplace_back(op, "Resource" + op);
    }
  for (const auto& [op, of_handle] : forms) {
    auto make = catalog.find(of_handle);
    CHECK(make);
    catalog.add(op, on_references(std::move(make)));
  }
}

}  // namespace troupe::cuda
