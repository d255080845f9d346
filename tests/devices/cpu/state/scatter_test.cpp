#include <cmath>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(scatter)

BOOST_FIXTURE_TEST_CASE(rows_are_changed_in_place_where_nobody_reads, KernelFixture) {
  auto w = variable(vec({3, 1}, {1, 2, 3}));
  auto memory = w->read()->raw();
  Tensors inputs = {vec<int32_t>({2}), vec({1, 1}, {10})};
  BOOST_TEST(launch("ResourceScatterAdd", {w}, inputs) == "Ok");
  BOOST_TEST(w->read()->raw() == memory);
  auto reader = *w->read();
  BOOST_TEST(launch("ResourceScatterAdd", {w}, inputs) == "Ok");
  BOOST_TEST(w->read()->raw() != memory);
  BOOST_TEST(reader.to_string() == "float32[3,1] [1 2 13]");
  BOOST_TEST(w->read()->to_string() == "float32[3,1] [1 2 23]");
}

BOOST_FIXTURE_TEST_CASE(a_gather_does_not_keep_the_variable_from_updates_in_place, KernelFixture) {
  auto w = variable(vec({3, 1}, {1, 2, 3}));
  auto memory = w->read()->raw();
  Attrs attrs = {{"dtype", DType::float32}};
  BOOST_TEST(launch("ResourceGather", {w}, {vec<int32_t>({2})}, DType::float32, attrs) == "Ok");
  BOOST_TEST(launch("AssignAddVariableOp", {w}, {vec({3, 1}, {1, 1, 1})}) == "Ok");
  BOOST_TEST(w->read()->raw() == memory);
}

/// Indices of rows, with many that are equal.
Tensor many_indices(int64_t count, int64_t rows) {
  std::vector<int32_t> indices;
  for (int64_t i = 0; i < count; ++i) indices.push_back(static_cast<int32_t>(i * i * 7 % rows));
  return Tensor::of<int32_t>({count}, std::span<const int32_t>(indices));
}

BOOST_FIXTURE_TEST_CASE(many_rows_at_once_change_as_one_after_the_other, KernelFixture) {
  constexpr int64_t count = 20'000, rows = 501, size = 32;
  auto indices = many_indices(count, rows);
  std::vector<int64_t> updates, sums(rows * size, 1), last(rows * size, 1);
  for (int64_t i = 0; i < count * size; ++i) {
    auto place = static_cast<size_t>(indices.data<int32_t>()[i / size] * size + i % size);
    updates.push_back(i % 1013);
    sums[place] += updates.back();
    last[place] = updates.back();
  }
  auto given = Tensor::of<int64_t>({count, size}, std::span<const int64_t>(updates));
  auto after = [&](const char* op) {
    auto w = variable(*Tensor::allocate(DType::int64, {rows, size}));
    std::vector<int64_t> ones(rows * size, 1);
    w->assign(Tensor::of<int64_t>({rows, size}, std::span<const int64_t>(ones)));
    BOOST_TEST(launch(op, {w}, {indices, given}, DType::int64) == "Ok");
    auto values = w->read()->values<int64_t>();
    return std::vector<int64_t>(values.begin(), values.end());
  };
  BOOST_TEST(after("ResourceScatterAdd") == sums);
  BOOST_TEST(after("ResourceScatterUpdate") == last);
}

BOOST_FIXTURE_TEST_CASE(rows_are_trained_as_one_after_the_other, KernelFixture) {
  constexpr int64_t count = 20'000, rows = 501, size = 32;
  auto indices = many_indices(count, rows);
  std::vector<double> sums(rows * size, 0), steps(rows * size, 0);
  auto gradient = varied<double>({count, size});
  for (int64_t i = 0; i < count * size; ++i) {
    auto place = static_cast<size_t>(indices.data<int32_t>()[i / size] * size + i % size);
    sums[place] = sums[place] * 0.5 + gradient.data<double>()[i];
    steps[place] -= sums[place] * 0.25;
  }
  std::vector<double> zeros(rows * size, 0);
  auto zero = [&] {
    return variable(Tensor::of<double>({rows, size}, std::span<const double>(zeros)));
  };
  auto w = zero(), sum = zero();
  Tensors inputs = {Tensor::scalar(0.25), gradient, indices, Tensor::scalar(0.5)};
  BOOST_TEST(launch("ResourceSparseApplyMomentum", {w, sum}, inputs, DType::float64) == "Ok");
  double most = 0;
  for (size_t i = 0; i < steps.size(); ++i)
    most = std::max(most, std::abs(w->read()->values<double>()[i] - steps[i]));
  BOOST_TEST(most < 1e-9);
}

/// A launch of ResourceGather of row 1, by hand.
struct GatherFixture : KernelFixture {
  std::shared_ptr<VariableResource> w = variable(vec({2, 1}, {1, 2}));
  Builder b;
  Tensors inputs = {Tensor::scalar(ResourceHandle{"", "w", w}), vec<int32_t>({1})};
  Tensors outputs = Tensors(1);
  struct NoCanceller final : WaitCanceller {
    void on_cancel(std::function<void()> end) override { cancel = std::move(end); }
    std::function<void()> cancel;
  } canceller;
  Launch gather{*device, {.canceller = &canceller}, inputs, outputs};
  Status ended = internal("has not ended");

  void start() {
    auto handle = b.op("VarHandleOp", {}, {{"dtype", DType::float32}});
    auto node =
        b.op("ResourceGather", {handle, b.placeholder(DType::int32)}, {{"dtype", DType::float32}});
    BOOST_REQUIRE(b.status().ok());
    auto kernel = device->kernels().make(b.graph().node(node.output().node));
    BOOST_REQUIRE(kernel.ok());
    BOOST_TEST(!kernel->try_now(gather));
    kernel->start(gather, [this](Status status) { ended = std::move(status); });
  }
};

BOOST_FIXTURE_TEST_CASE(a_gather_waits_while_an_update_writes_over_the_variable, GatherFixture) {
  std::optional<VariableUpdate> update(*w);
  start();
  BOOST_TEST(!ended.ok());
  update->value().mutable_data<float>()[1] = 5;
  update.reset();
  BOOST_TEST(ended.ok());
  BOOST_TEST(outputs[0].to_string() == "float32[1,1] [5]");
}

BOOST_FIXTURE_TEST_CASE(a_gather_that_waits_can_be_cancelled, GatherFixture) {
  VariableUpdate update(*w);
  start();
  canceller.cancel();
  BOOST_TEST((ended.code() == Code::cancelled));
}

BOOST_FIXTURE_TEST_CASE(a_gather_needs_a_value_of_its_dtype, KernelFixture) {
  auto unset = std::make_shared<VariableResource>(DType::float32, Shape{2});
  Attrs attrs = {{"dtype", DType::float32}};
  auto gather = [&](const auto& from) {
    return launch("ResourceGather", {from}, {vec<int32_t>({0})}, DType::float32, attrs);
  };
  BOOST_TEST(starts_with(gather(unset), "FailedPrecondition: variable 'w' has no value yet"));
  BOOST_TEST(
      gather(variable(vec<int32_t>({1}))) ==
      "InvalidArgument: the variable is int32, but is read as float32");
  unset->drop();
  BOOST_TEST(starts_with(gather(unset), "Aborted: variable 'w' is gone"));
}

BOOST_FIXTURE_TEST_CASE(a_variable_has_its_shape_once_it_has_a_value, KernelFixture) {
  auto unset = std::make_shared<VariableResource>(DType::float32, Shape{2});
  BOOST_TEST(starts_with(launch("VariableShape", {unset}, {}), "FailedPrecondition"));
  auto w = variable(vec({1, 2}));
  VariableUpdate update(*w);
  BOOST_TEST(launch("VariableShape", {w}, {}) == "Ok");  // while an update writes over it
  unset->drop();
  BOOST_TEST(starts_with(launch("VariableShape", {unset}, {}), "Aborted"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
