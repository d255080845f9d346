#pragma once

#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe::testing {

/// A TensorArray in a graph: its handle, and the flow after all that was done with it.
struct ArrayValue {
  Builder b;
  DType dtype;
  Value handle;
  Value flow;

  static ArrayValue make(const Builder& b, int32_t size, DType dtype, Attrs attrs = {}) {
    attrs["dtype"] = dtype;
    auto made = b.op("TensorArrayV3", {b.constant(size)}, attrs);
    return {b, dtype, made, made.output(1)};
  }
  ArrayValue after(const Value& next) const { return {b, dtype, handle, next}; }
  ArrayValue gradient(const std::string& source) const {
    auto made = b.op("TensorArrayGradV3", {handle, flow}, {{"source", source}});
    return {b, dtype, made, made.output(1)};
  }

  ArrayValue write(int32_t index, const Value& value) const {
    return after(b.op("TensorArrayWriteV3", {handle, b.constant(index), value, flow}));
  }
  ArrayValue scatter(const std::vector<int32_t>& indices, const Value& value) const {
    return after(b.op("TensorArrayScatterV3", {handle, b.ints(indices), value, flow}));
  }
  ArrayValue split(std::initializer_list<int64_t> lengths, const Value& value) const {
    auto sizes = b.constant(Tensor::of<int64_t>({static_cast<int64_t>(lengths.size())}, lengths));
    return after(b.op("TensorArraySplitV3", {handle, value, sizes, flow}));
  }
  Value read(int32_t index) const {
    return b.op("TensorArrayReadV3", {handle, b.constant(index), flow}, {{"dtype", dtype}});
  }
  Value gather(
      const std::vector<int32_t>& indices, const Shape& element = Shape::unknown_rank()) const {
    return b.op(
        "TensorArrayGatherV3", {handle, b.ints(indices), flow},
        {{"dtype", dtype}, {"element_shape", element}});
  }
  Value concat(const Shape& row = Shape::unknown_rank()) const {
    return b.op(
        "TensorArrayConcatV3", {handle, flow}, {{"dtype", dtype}, {"element_shape_except0", row}});
  }
  Value size() const { return b.op("TensorArraySizeV3", {handle, flow}); }
};

}  // namespace troupe::testing
