#include "troupe/devices/cuda/nn/lstm.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/nn/recurrent.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// A thread for each unit of each sequence.
template <class T>
__global__ void step_kernel(LstmStepCall call) {
  using A = Wide<T>;
  const auto& cell = call.cell;
  const auto *of_input = static_cast<const A*>(call.of_input),
             *of_state = static_cast<const A*>(call.of_state);
  for (auto c = first_item(); c < cell.batch * cell.units; c += item_step()) {
    auto row = c / cell.units, k = c % cell.units;
    auto sum = [&](int64_t gate, A more) {
      auto at = row * 4 * cell.units + gate * cell.units + k;
      return of_input[at] + of_state[at] + read_element<T>(call.bias, gate * cell.units + k) + more;
    };
    auto peep = [&](const void* weights, A memory) {
      return cell.has_peepholes ? read_element<T>(weights, k) * memory : A(0);
    };
    auto* kept = static_cast<A*>(call.memory);
    auto before = kept && !call.is_first ? kept[c] : read_element<T>(call.cs_before, c);
    auto i = sigmoid(sum(cell.input, 0) + peep(call.peepholes.wci, before));
    auto f = sigmoid(sum(cell.forget, A(cell.forget_bias)) + peep(call.peepholes.wcf, before));
    auto ci = A(tanh(sum(cell.cell, 0)));
    auto cs = ci * i + f * before;
    if (cell.clip > 0)
      cs = cs < -A(cell.clip) ? -A(cell.clip) : cs > A(cell.clip) ? A(cell.clip) : cs;
    auto o = sigmoid(sum(cell.output, 0) + peep(call.peepholes.wco, cs));
    auto co = A(tanh(cs));
    if (kept) kept[c] = cs;
    write_element<T>(call.i, c, i);
    write_element<T>(call.cs, c, cs);
    write_element<T>(call.f, c, f);
    write_element<T>(call.o, c, o);
    write_element<T>(call.ci, c, ci);
    write_element<T>(call.co, c, co);
    write_element<T>(call.h, c, o * co);
  }
}

/// As step_kernel().
template <class T>
__global__ void back_kernel(LstmBackCall call) {
  using A = Wide<T>;
  const auto& cell = call.cell;
  for (auto c = first_item(); c < cell.batch * cell.units; c += item_step()) {
    auto row = c / cell.units, k = c % cell.units;
    auto weight = [&](const void* weights) {
      return cell.has_peepholes ? read_element<T>(weights, k) : A(0);
    };
    auto i = read_element<T>(call.i, c), f = read_element<T>(call.f, c),
         o = read_element<T>(call.o, c);
    auto ci = read_element<T>(call.ci, c), co = read_element<T>(call.co, c);
    auto before = read_element<T>(call.cs_before, c);
    auto* cs_back = static_cast<A*>(call.cs_back);
    auto dh = read_element<T>(call.h_grad, c);
    if (call.h_back) dh += static_cast<const A*>(call.h_back)[c];
    auto d_output = o * (A(1) - o) * dh * co;
    auto d_memory = (A(1) - co * co) * dh * o + read_element<T>(call.cs_grad, c);
    if (!call.is_last) d_memory += cs_back[c];
    if (cell.has_peepholes) d_memory += d_output * weight(call.peepholes.wco);
    auto d_cell = (A(1) - ci * ci) * d_memory * i;
    auto d_forget = f * (A(1) - f) * d_memory * before;
    auto d_input = i * (A(1) - i) * d_memory * ci;
    auto d_before = d_memory * f;
    if (cell.has_peepholes)
      d_before += d_input * weight(call.peepholes.wci) + d_forget * weight(call.peepholes.wcf);
    cs_back[c] = d_before;
    if (call.cs_prev_grad) write_element<T>(call.cs_prev_grad, c, d_before);
    if (auto* products = static_cast<A*>(call.of_peepholes)) {
      products += row * 3 * cell.units + k;
      products[0] = d_input * before;
      products[cell.units] = d_forget * before;
      products[2 * cell.units] = d_output * read_element<T>(call.cs, c);
    }
    auto at = row * 4 * cell.units + k;
    write_element<T>(call.gates, at + cell.input * cell.units, d_input);
    write_element<T>(call.gates, at + cell.cell * cell.units, d_cell);
    write_element<T>(call.gates, at + cell.forget * cell.units, d_forget);
    write_element<T>(call.gates, at + cell.output * cell.units, d_output);
  }
}

template <class T>
__global__ void peepholes_kernel(LstmPeepholeCall call) {
  const auto* sums = static_cast<const Wide<T>*>(call.sums);
  for (auto k = first_item(); k < call.units; k += item_step()) {
    write_element<T>(call.wci, k, sums[k]);
    write_element<T>(call.wcf, k, sums[call.units + k]);
    write_element<T>(call.wco, k, sums[2 * call.units + k]);
  }
}

template <class T>
void step(const LstmStepCall& call) {
  auto count = call.cell.batch * call.cell.units;
  start_kernel(call.stream, blocks_for(count), block_threads, step_kernel<T>, call);
}
template <class T>
void back(const LstmBackCall& call) {
  auto count = call.cell.batch * call.cell.units;
  start_kernel(call.stream, blocks_for(count), block_threads, back_kernel<T>, call);
}
template <class T>
void peepholes(const LstmPeepholeCall& call) {
  start_kernel(call.stream, blocks_for(call.units), block_threads, peepholes_kernel<T>, call);
}

template <class T>
constexpr LstmLaunches launches{step<T>, back<T>, peepholes<T>};

}  // namespace

LstmLaunches find_lstm(Element element) {
  const auto* found = choose<const LstmLaunches*>(
      FloatingElements{}, element, [](auto zero) { return &launches<decltype(zero)>; });
  return found ? *found : LstmLaunches();
}

}  // namespace troupe::cuda
