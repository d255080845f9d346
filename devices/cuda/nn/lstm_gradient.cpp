#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/nn/lstm_arguments.hpp"
#include "troupe/devices/cuda/reduction/reduction.hpp"

namespace troupe::cuda {
namespace {

/// The results of the forward steps behind the inputs of the cell: i, cs, f, o, ci, co, and of all
/// times h; then the derivatives of cs and h.
constexpr int first_result = 8;

class LstmGradient {
 public:
  LstmGradient(const LstmArguments& in, Tensor gates)
      : in_(in), sizes_(in.sizes), gates_(std::move(gates)), products_(in.launch, in.op.dtype) {}

  /// Computes the gates' derivatives of all times, and those of cs_prev and, if there is such a
  /// tensor, h_prev. There may be any number of times, or sequences, if there are no cells.
  Status go_back(Tensor& cs_prev_grad, Tensor* h_prev_grad) {
    if (sizes_.steps == 0 || sizes_.cells() == 0) {
      auto status = set_zeros(in_.launch, cs_prev_grad);
      return status.ok() && h_prev_grad ? set_zeros(in_.launch, *h_prev_grad) : status;
    }
    auto batch = sizes_.sizes.batch, units = sizes_.sizes.units;
    auto wide = wide_dtype(in_.op.dtype);
    RecurrentScratch scratch(in_.launch);
    auto* cs_back = scratch.allocate(wide, {batch, units});
    auto* h_back = h_prev_grad ? scratch.allocate(wide, {batch, units}) : nullptr;
    if (in_.op.node.has_peepholes && scratch.allocate(wide, {rows(), 3 * units}))
      of_peepholes_ = scratch.last();
    auto status = scratch.status();
    for (auto time = sizes_.steps - 1; status.ok() && time >= 0; --time) {
      auto is_last = time == sizes_.steps - 1, is_first = time == 0;
      auto call = back_call(time);
      call.is_last = is_last;
      call.h_back = is_last ? nullptr : h_back;
      call.cs_back = cs_back;
      call.cs_prev_grad = is_first ? cs_prev_grad.mutable_raw() : nullptr;
      in_.op.launches.back(call);
      if (!h_prev_grad) continue;
      RecurrentMatrix of_time{call.gates, batch, sizes_.gates()};
      status = products_.multiply_back(
          of_time, in_.state_weights(), is_first ? h_prev_grad->mutable_raw() : h_back,
          is_first ? ProductResult::element : ProductResult::wide);
    }
    return status;
  }

  /// Sets three outputs from `first` on to the derivatives of the peepholes. After go_back().
  Status sum_peepholes(Tensors& outputs, size_t first) const {
    if (!of_peepholes_.is_set()) {
      Status status;
      for (auto i = first; status.ok() && i < first + 3; ++i)
        status = set_zeros(in_.launch, outputs[i]);
      return status;
    }
    auto units = sizes_.sizes.units;
    auto sums = sum_rows(of_peepholes_, 3 * units);
    if (!sums) return sums.status();
    in_.op.launches.peepholes(
        {.units = units,
         .sums = sums->raw(),
         .wci = outputs[first].mutable_raw(),
         .wcf = outputs[first + 1].mutable_raw(),
         .wco = outputs[first + 2].mutable_raw(),
         .stream = stream_of(in_.launch)});
    return {};
  }

  /// The derivatives of x, w and b, which are products with, and sums of, the gates' of all times
  /// at once.
  Status compute_outer(Tensor& x_grad, Tensor& w_grad, Tensor& b_grad) {
    RecurrentMatrix gates{gates_.raw(), rows(), sizes_.gates()};
    auto status = set_zeros(in_.launch, x_grad);  // also of times that do not count
    if (status.ok())
      status = products_.multiply_back(
          gates, in_.input_weights(), x_grad.mutable_raw(), ProductResult::element);
    if (status.ok())
      status = products_.multiply_for_weights(in_.inputs_of_steps(), gates, w_grad.mutable_raw());
    if (!status.ok()) return status;
    auto before = outputs_before();
    if (!before) return before.status();
    auto skipped = static_cast<size_t>(sizes_.sizes.inputs * sizes_.gates()) * size();
    status = products_.multiply_for_weights(
        {before->raw(), rows(), sizes_.sizes.units}, gates,
        static_cast<char*>(w_grad.mutable_raw()) + skipped);
    if (!status.ok() || b_grad.elements() == 0) return status;
    if (rows() == 0) return set_zeros(in_.launch, b_grad);
    auto sums = sum_rows(gates_, sizes_.gates());
    if (sums) b_grad = *std::move(sums);
    return sums.status();
  }

 private:
  int64_t rows() const { return in_.rows(); }
  size_t size() const { return size_of(in_.op.dtype); }
  /// Where the derivatives of cs and h are among the inputs.
  int first_gradient() const { return first_result + (in_.op.node.is_block ? 7 : 6); }

  void* peepholes_at(int64_t time) {
    if (!of_peepholes_.is_set()) return nullptr;
    auto each = static_cast<int64_t>(size_of(of_peepholes_.dtype()));
    return static_cast<char*>(of_peepholes_.mutable_raw()) + time * 3 * sizes_.cells() * each;
  }

  LstmBackCall back_call(int64_t time) {
    auto result = [&](int index) { return in_.input_at(first_result + index, time); };
    auto skipped = static_cast<size_t>(time * sizes_.sizes.batch * sizes_.gates()) * size();
    return {
        .cell = in_.cell(),
        .peepholes = in_.peepholes(),
        .i = result(0),
        .cs = result(1),
        .f = result(2),
        .o = result(3),
        .ci = result(4),
        .co = result(5),
        .cs_before = time == 0 ? in_.input(1) : in_.input_at(first_result + 1, time - 1),
        .cs_grad = in_.input_at(first_gradient(), time),
        .h_grad = in_.input_at(first_gradient() + 1, time),
        .is_last = false,
        .h_back = nullptr,
        .cs_back = nullptr,
        .gates = static_cast<char*>(gates_.mutable_raw()) + skipped,
        .cs_prev_grad = nullptr,
        .of_peepholes = peepholes_at(time),
        .stream = stream_of(in_.launch)};
  }

  /// The sums of a matrix's columns, of which there are so many.
  Result<Tensor> sum_rows(const Tensor& matrix, int64_t columns) const {
    auto rows = matrix.reshaped({matrix.elements() / columns, columns});
    auto sum = find_fold("Sum", element_of(matrix.dtype()));
    return fold(in_.launch, sum, rows, {1, columns}, {columns});
  }

  /// The output before each time and sequence, which the state's weights were multiplied by.
  Result<Tensor> outputs_before() const {
    auto before = cpu::allocate_cells(
        in_.launch, in_.op.dtype, {sizes_.steps, sizes_.sizes.batch, sizes_.sizes.units});
    if (!before || before->elements() == 0) return before;
    auto cells = static_cast<size_t>(sizes_.cells()) * size();
    auto copy = [&](size_t at, const void* from, size_t bytes) {
      auto* to = static_cast<char*>(before->mutable_raw()) + at;
      return to_status(
          cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(in_.launch)),
          "a copy");
    };
    auto status = copy(0, in_.input(2), cells);
    if (status.ok() && sizes_.steps > 1)
      status = copy(cells, in_.input(first_result + 6), before->bytes() - cells);
    return status.ok() ? before : Result<Tensor>(status);
  }

  const LstmArguments& in_;
  const cpu::LstmSizes& sizes_;
  Tensor gates_, of_peepholes_;  // of all times
  RecurrentProducts products_;
};

}  // namespace

Status compute_lstm_gradient(Launch& launch, const LstmOp& op) {
  const auto& arguments = op.node.is_block ? ops::block_lstm_grad() : ops::lstm_cell_grad();
  auto sizes = cpu::LstmSizes::of(launch, op.node, arguments);
  if (!sizes) return sizes.status();
  auto made = allocate_recurrent(launch, op.dtype, sizes->sizes, arguments.outputs);
  if (!made) return made.status();
  auto& outputs = *made;
  LstmArguments in{launch, op, *sizes};
  Status status;
  if (op.node.is_block) {
    auto gates =
        cpu::allocate_cells(launch, op.dtype, {sizes->steps, sizes->sizes.batch, sizes->gates()});
    if (!gates) return gates.status();
    LstmGradient gradient(in, *std::move(gates));
    status = gradient.go_back(outputs[1], &outputs[2]);
    if (status.ok()) status = gradient.sum_peepholes(outputs, 4);
    if (status.ok()) status = gradient.compute_outer(outputs[0], outputs[3], outputs[7]);
  } else {
    LstmGradient gradient(in, outputs[1]);
    status = gradient.go_back(outputs[0], nullptr);
    if (status.ok()) status = gradient.sum_peepholes(outputs, 2);
  }
  if (!status.ok()) return status;
  return set_recurrent(launch, std::move(outputs), "the gradient of a memory cell");
}

}  // namespace troupe::cuda
