#include "troupe/devices/cpu/data/dataset_kernel.hpp"

#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

class MadeDataset final : public data::Dataset {
 public:
  MadeDataset(const ElementAttrs& attrs, Iterate iterate)
      : Dataset(attrs.dtypes, attrs.shapes), iterate_(std::move(iterate)) {}

  Result<data::SharedSource> iterate(const SharedIteration& iteration) const override {
    return iterate_(iteration);
  }

 private:
  Iterate iterate_;
};

DTypes component_dtypes(const Node& node) {
  auto name = node.attrs.contains("output_types") ? "output_types" : "Toutput_types";
  if (node.attrs.contains(name)) return node.attr<DTypes>(name);
  return {DType::string};  // of ops that read files
}

}  // namespace

ElementAttrs::ElementAttrs(const Node& node) : dtypes(component_dtypes(node)) {
  if (node.attrs.contains("output_shapes")) shapes = node.attr<Shapes>("output_shapes");
  else shapes = {Shape()};
}

Status ElementAttrs::check(const DTypes& given) const {
  Shapes unknown(given.size(), Shape::unknown_rank());
  return data::check_components(given, unknown, dtypes, shapes);
}

data::SharedDataset make_dataset(const ElementAttrs& attrs, Iterate iterate) {
  return std::make_shared<MadeDataset>(attrs, std::move(iterate));
}

Result<data::SharedDataset> dataset_input(const Launch& launch, int index) {
  return data::dataset_of(launch.input(index));
}

Result<int64_t> number_input(const Launch& launch, int index, const char* name) {
  if (launch.input(index).dtype() == DType::int32) {
    auto small = scalar_input<int32_t>(launch.input(index), name);
    if (!small) return small.status();
    return int64_t{*small};
  }
  return scalar_input<int64_t>(launch.input(index), name);
}

Result<bool> flag_input(const Launch& launch, int index, const char* name) {
  return scalar_input<bool>(launch.input(index), name);
}

Status set_dataset(Launch& launch, data::SharedDataset dataset) {
  launch.set(0, data::to_tensor(std::move(dataset)));
  return {};
}

}  // namespace troupe::cpu
