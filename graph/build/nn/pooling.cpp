#include "troupe/graph/build/nn/pooling.hpp"

#include "troupe/graph/build/nn/window.hpp"

namespace troupe::nn {

namespace {

Value pooled(const Builder& b, const char* op, const Value& value, const PoolOptions& options) {
  auto attrs = window_attrs(
      {.strides = options.strides, .padding = options.padding, .data_format = options.data_format});
  auto ksize = window_sizes(options.ksize, options.data_format, "ksize");
  if (!attrs || !ksize) {
    b.fail(attrs ? ksize.status() : attrs.status());
    return {};
  }
  attrs->insert_or_assign("ksize", *ksize);
  return b.op(op, {value}, *attrs);
}

}  // namespace

Value max_pool(const Builder& b, const Value& value, const PoolOptions& options) {
  return pooled(b, "MaxPool", value, options);
}

Value avg_pool(const Builder& b, const Value& value, const PoolOptions& options) {
  return pooled(b, "AvgPool", value, options);
}

}  // namespace troupe::nn
