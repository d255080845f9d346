#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

/// Builds datasets, and runs iterations over them on one device.
struct DatasetFixture {
  Builder b;
  GraphRunner runner;
  int iterators = 0;

  Value number(int64_t value) const { return b.constant(Tensor::scalar(value)); }
  Value flag(bool value) const { return b.constant(Tensor::scalar(value)); }
  Value text(const std::string& value) const { return b.constant(Tensor::string(value)); }

  /// Attributes of a dataset with one component.
  static Attrs elements(DType dtype = DType::int64, Shape shape = Shape()) {
    return {{"output_types", DTypes{dtype}}, {"output_shapes", Shapes{shape}}};
  }
  /// An op whose datasets have one component.
  Value dataset(
      const std::string& op, const Values& inputs, Attrs attrs = {},
      const Attrs& component = elements()) const {
    attrs.insert(component.begin(), component.end());
    return b.op(op, inputs, attrs);
  }
  Value range(int64_t stop) const {
    return dataset("RangeDataset", {number(0), number(stop), number(1)});
  }
  /// The slices of a tensor.
  Value slices(const Tensor& tensor, const Shape& shape = Shape::unknown_rank()) const {
    return b.op(
        "TensorSliceDataset", {b.constant(tensor)},
        {{"Toutput_types", DTypes{tensor.dtype()}}, {"output_shapes", Shapes{shape}}});
  }
  Value repeat(const Value& input, int64_t count) const {
    return dataset("RepeatDataset", {input, number(count)});
  }

  /// A function of int64 scalars.
  FunctionRef function(
      const std::string& name, const Builder::FunctionBody& body, size_t arguments = 1) const {
    std::vector<FunctionArgument> all(arguments, {"", DType::int64, Shape()});
    return b.function(name, all, body);
  }
  /// An op with a function of the element.
  Value mapped(
      const std::string& op, Values inputs, const FunctionRef& f, const Values& more = {},
      const char* attr = "f") const {
    inputs.insert(inputs.end(), more.begin(), more.end());
    return dataset(op, inputs, {{attr, f}, {"Targuments", DTypes()}});
  }

  struct Iterator {
    Value handle, make;
    std::vector<Ref> next;
  };

  /// An iterator with the same components as the dataset.
  Iterator iterator(const Value& dataset, const Attrs& components = elements()) {
    auto attrs = components;
    attrs.insert({{"shared_name", "iterator" + std::to_string(iterators++)}, {"container", ""}});
    Iterator it;
    it.handle = b.op("IteratorV2", {}, attrs);
    it.make = b.op("MakeIterator", {dataset, it.handle});
    auto next = b.op("IteratorGetNext", {it.handle}, components);
    auto count = b.graph().node(next.output().node).output_dtypes.size();
    for (size_t i = 0; i < count; ++i) it.next.push_back(next.output(static_cast<int>(i)));
    return it;
  }

  /// The components of the next element, as show().
  std::string next(const Iterator& it) { return show(runner.run(b, {}, it.next)); }
  /// "" where it begins.
  std::string begin(const Iterator& it) { return show(runner.run(b, {}, {}, {it.make})); }

  /// All elements, separated by "| ", up to the end or so many; errors among them.
  std::string all_of(const Iterator& it, int most = 64) {
    std::string text;
    for (int i = 0; i < most; ++i) {
      auto element = next(it);
      if (element == "OutOfRange: End of sequence") return text;
      text += (text.empty() ? "" : " | ") + element;
    }
    return text + " ...";
  }
  std::string all(const Value& dataset, const Attrs& components = elements(), int most = 64) {
    auto it = iterator(dataset, components);
    auto begun = begin(it);
    return begun.empty() ? all_of(it, most) : begun;
  }
  /// The numbers of a dataset of int64 scalars: "0 1 2".
  std::string numbers(const Value& dataset, int most = 64) {
    auto text = all(dataset, elements(), most);
    for (const std::string part : {"int64[] [", "] |", "]"})
      for (size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
    return text;
  }
};

}  // namespace troupe::testing
