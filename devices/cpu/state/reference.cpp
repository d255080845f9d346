#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/state/state.hpp"
#include "troupe/devices/cpu/state/variable_read.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe::cpu {
namespace {

/// The error as users of references know it, where a variable lacks a value.
Status name_uninitialized(const Launch& launch, const Status& status) {
  if (status.code() != Code::failed_precondition) return status;
  for (int i = 0; i < launch.input_count(); ++i) {
    const auto& input = launch.input(i);
    if (!input.is_set() || input.dtype() != DType::resource) continue;
    auto variable = variable_input(launch, i);
    if (variable && !(*variable)->has_value())
      return failed_precondition(
          "Attempting to use uninitialized value " + input.value<ResourceHandle>().name);
  }
  return status;
}

/// The kernel of an op on handles for the op on references.
Kernel on_references(Kernel kernel, bool gives_reference) {
  CHECK(kernel.compute);
  kernel.compute = [compute = std::move(kernel.compute), gives_reference](Launch& launch) {
    auto status = compute(launch);
    if (!status.ok()) return name_uninitialized(launch, status);
    if (gives_reference) launch.set(0, launch.input(0));
    return status;
  };
  return kernel;
}

Result<Kernel> make_assign(const Node& node) {
  auto may_reshape = !node.attr<bool>("validate_shape");
  return on_references(
      {.compute = [may_reshape](Launch& launch) -> Status {
        auto variable = variable_input(launch, 0);
        if (!variable) return variable.status();
        // Without validation, any shape may follow another.
        auto shape = may_reshape ? Shape::unknown_rank() : (*variable)->describe().shape;
        return assign_value(launch, shape);
      }},
      /*gives_reference=*/true);
}

/// What TensorFlow's graphs take for the value of a reference to anything but a variable.
std::optional<Tensor> name_of_reference(const Launch& launch) {
  const auto& handle = launch.input(0).value<ResourceHandle>();
  if (!handle.resource || std::string_view(handle.resource->kind()) == VariableResource::kind_name)
    return {};
  return Tensor::of<std::string>({2}, {handle.container, handle.name});
}

Result<Kernel> make_read(const Node& node) {
  auto set_value = [](Launch& launch, Tensor value) {
    launch.set(0, std::move(value));
    return Status();
  };
  auto kernel = reading_kernel(node.attr<DType>("T"), set_value);
  kernel.start = [start = std::move(kernel.start)](Launch& launch, Kernel::Done done) {
    start(launch, [&launch, done = std::move(done)](const Status& status) {
      done(name_uninitialized(launch, status));
    });
  };
  auto may_be_name = node.attr<DType>("T") == DType::string;
  kernel.try_now = [may_be_name,
                    try_now = std::move(kernel.try_now)](Launch& launch) -> std::optional<Status> {
    if (auto name = may_be_name ? name_of_reference(launch) : std::nullopt) {
      launch.set(0, *std::move(name));
      return Status();
    }
    auto status = try_now(launch);
    return status ? std::optional(name_uninitialized(launch, *status)) : status;
  };
  return kernel;
}

/// An op on a reference, and the one on a handle that does the same.
struct ReferenceForm {
  std::string op;
  std::string of_handle;
};

std::vector<ReferenceForm> reference_forms() {
  std::vector<ReferenceForm> forms = {
      {"AssignAdd", "AssignAddVariableOp"},
      {"AssignSub", "AssignSubVariableOp"},
      {"IsVariableInitialized", "VarIsInitializedOp"}};
  for (auto name :
       {"ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMin",
        "ScatterMax", "ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", "StridedSliceAssign",
        "CountUpTo", "ApplyGradientDescent", "ApplyAddSign", "ApplyPowerSign", "ApplyAdam",
        "ApplyAdaMax"})
    forms.push_back({name, std::string("Resource") + name});
  for (auto name :
       {"ProximalGradientDescent", "Momentum", "Adagrad", "AdagradV2", "AdagradDA",
        "ProximalAdagrad", "Adadelta", "RMSProp", "CenteredRMSProp", "Ftrl", "FtrlV2"})
    for (auto prefix : {"Apply", "SparseApply"}) {
      auto op = std::string(prefix) + name;
      forms.push_back({op, "Resource" + op});
    }
  return forms;
}

}  // namespace

void add_reference_kernels(KernelCatalog& catalog) {
  catalog.add_compute("RefIdentity", [](Launch& launch) {
    launch.set(0, launch.take_input(0));
    return Status();
  });
  catalog.add(transfer::read, make_read);
  catalog.add("Assign", make_assign);
  for (const auto& form : reference_forms()) {
    auto make = catalog.find(form.of_handle);
    CHECK(make);
    catalog.add(form.op, [make](const Node& node) -> Result<Kernel> {
      auto of_handle = node;
      if (auto t = node.attrs.find("T"); t != node.attrs.end())
        of_handle.attrs.insert_or_assign("dtype", t->second);
      auto kernel = make(of_handle);
      if (!kernel) return kernel;
      return on_references(*std::move(kernel), node.gives_reference(0));
    });
  }
}

}  // namespace troupe::cpu
