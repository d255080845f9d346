#pragma once

#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe::testing {

/// A list of tensors in a graph.
struct ListValue {
  Builder b;
  DType dtype;
  Value handle;

  static ListValue empty(const Builder& b, DType dtype, int32_t most = -1) {
    return made(b, dtype, "EmptyTensorList", {b.constant(-1), b.constant(most)});
  }
  static ListValue reserved(const Builder& b, DType dtype, int32_t size, const Value& element) {
    return made(b, dtype, "TensorListReserve", {element, b.constant(size)});
  }
  static ListValue of_rows(const Builder& b, const Value& rows) {
    return {b, rows.dtype(), b.op("TensorListFromTensor", {rows, b.constant(-1)})};
  }
  static ListValue scattered(
      const Builder& b, const std::vector<int32_t>& indices, const Value& rows, int32_t size) {
    return {
        b, rows.dtype(),
        b.op("TensorListScatterV2", {rows, b.ints(indices), b.constant(-1), b.constant(size)})};
  }
  static ListValue split(
      const Builder& b, std::initializer_list<int64_t> lengths, const Value& value) {
    auto sizes = b.constant(Tensor::of<int64_t>({static_cast<int64_t>(lengths.size())}, lengths));
    return {b, value.dtype(), b.op("TensorListSplit", {value, b.constant(-1), sizes})};
  }

  ListValue push(const Value& element) const {
    return {b, dtype, b.op("TensorListPushBack", {handle, element})};
  }
  /// The list without its last element; that is output 1 of its handle.
  ListValue popped() const {
    return {b, dtype, reading("TensorListPopBack", {handle, b.constant(-1)})};
  }
  ListValue set(int32_t index, const Value& element) const {
    return {b, dtype, b.op("TensorListSetItem", {handle, b.constant(index), element})};
  }
  ListValue resized(int32_t size) const {
    return {b, dtype, b.op("TensorListResize", {handle, b.constant(size)})};
  }
  ListValue scatter(const std::vector<int32_t>& indices, const Value& rows) const {
    return {b, dtype, b.op("TensorListScatterIntoExistingList", {handle, rows, b.ints(indices)})};
  }
  Value get(int32_t index) const { return get(index, b.constant(-1)); }
  Value get(int32_t index, const Value& shape) const {
    return reading("TensorListGetItem", {handle, b.constant(index), shape});
  }
  Value stack(int64_t count = -1) const {
    return b.op(
        "TensorListStack", {handle, b.constant(-1)},
        {{"element_dtype", dtype}, {"num_elements", count}});
  }
  Value gather(const std::vector<int32_t>& indices) const {
    return reading("TensorListGather", {handle, b.ints(indices), b.constant(-1)});
  }
  Value concat() const { return reading("TensorListConcat", {handle}); }
  Value length() const { return b.op("TensorListLength", {handle}); }

  static ListValue made(
      const Builder& b, DType dtype, const char* op, const std::vector<Value>& inputs) {
    return {b, dtype, b.op(op, inputs, {{"element_dtype", dtype}})};
  }
  Value reading(const char* op, const std::vector<Value>& inputs) const {
    return b.op(op, inputs, {{"element_dtype", dtype}});
  }
};

}  // namespace troupe::testing
