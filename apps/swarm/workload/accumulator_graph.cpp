#include "troupe/apps/swarm/workload/accumulator_graph.hpp"

namespace troupe::swarm {
namespace {

constexpr auto places = AccumulatorModel::gradients_max;

Value add_accumulator_handle(const Builder& b, const SharedAccumulator& accumulator) {
  return b.op(
      accumulator.is_sparse ? "SparseConditionalAccumulator" : "ResourceConditionalAccumulator", {},
      {{"dtype", DType::float64},
       {"shape", Shape{places}},
       {"container", accumulator.container},
       {"shared_name", accumulator.name},
       {"reduction_type", accumulator.is_mean ? "MEAN" : "SUM"}});
}

void add_dense(AccumulatorOps& ops, const Builder& b, const Builder& worker, const Value& handle) {
  auto gradient = worker.op(
      "OneHot", {ops.place, worker.constant(static_cast<int32_t>(places)), worker.constant(1.0),
                 worker.constant(0.0)});
  ops.apply = b.op("ResourceAccumulatorApplyGradient", {handle, ops.step, gradient});
  ops.take = {
      b.op("ResourceAccumulatorTakeGradient", {handle, ops.required}, {{"dtype", DType::float64}})};
  ops.count = b.op("ResourceAccumulatorNumAccumulated", {handle});
}

void add_sparse(AccumulatorOps& ops, const Builder& b, const Builder& worker, const Value& handle) {
  auto indices = worker.reshape(ops.place, worker.ints({1}));
  auto values = worker.constant(Tensor::of<double>({1}, {1.0}));
  auto shape = worker.constant(Tensor::of<int64_t>({1}, {places}));
  ops.apply = b.op(
      "SparseAccumulatorApplyGradient", {handle, ops.step, indices, values, shape},
      {{"has_known_shape", true}});
  auto taken =
      b.op("SparseAccumulatorTakeGradient", {handle, ops.required}, {{"dtype", DType::float64}});
  ops.take = {taken.output(0), taken.output(1)};
  ops.count = b.op("AccumulatorNumAccumulated", {handle});
}

}  // namespace

AccumulatorOps add_accumulator(const Builder& builder, const SharedAccumulator& accumulator) {
  AccumulatorOps ops;
  ops.step = builder.placeholder(DType::int64, {});
  ops.place = builder.placeholder(DType::int64, {});
  ops.required = builder.placeholder(DType::int32, {});
  auto b = builder.on(accumulator.task);
  auto handle = add_accumulator_handle(b, accumulator);
  auto add = accumulator.is_sparse ? add_sparse : add_dense;
  add(ops, b, builder.on(accumulator.worker), handle);
  return ops;
}

std::map<int64_t, double> sum_taken(const SharedAccumulator& accumulator, const Tensors& taken) {
  std::map<int64_t, double> sum;
  auto values = taken.back().values<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    auto place = accumulator.is_sparse ? taken[0].values<int64_t>()[i] : static_cast<int64_t>(i);
    if (values[i] != 0) sum[place] += values[i];
  }
  return sum;
}

}  // namespace troupe::swarm
