#include "troupe/devices/cpu/data/optionals.hpp"

#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/data/optional.hpp"

namespace troupe::cpu {
namespace {

Status make_optional(Launch& launch) {
  data::Element element;
  for (int i = 0; i < launch.input_count(); ++i) element.push_back(launch.input(i));
  launch.set(0, data::optional_tensor(std::move(element)));
  return {};
}

Status make_none(Launch& launch) {
  launch.set(0, data::optional_tensor({}));
  return {};
}

Status tell_whether_there_is_one(Launch& launch) {
  auto optional = data::optional_of(launch.input(0));
  if (!optional) return optional.status();
  launch.set(0, Tensor::scalar((*optional)->element().has_value()));
  return {};
}

Result<Kernel> make_get_value(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto optional = data::optional_of(launch.input(0));
    if (!optional) return optional.status();
    if (!(*optional)->element())
      return invalid_argument("The given optional does not have a value.");
    const auto element = *(*optional)->element();
    auto status = data::check_element(element, attrs.dtypes, attrs.shapes);
    for (size_t i = 0; status.ok() && i < element.size(); ++i)
      launch.set(static_cast<int>(i), element[i]);
    return status;
  }};
}

}  // namespace

void add_optionals_kernels(KernelCatalog& catalog) {
  catalog.add_compute("OptionalFromValue", make_optional);
  catalog.add_compute("OptionalNone", make_none);
  catalog.add_compute("OptionalHasValue", tell_whether_there_is_one);
  catalog.add("OptionalGetValue", make_get_value);
}

}  // namespace troupe::cpu
