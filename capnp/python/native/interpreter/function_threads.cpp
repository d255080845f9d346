#include "troupe/capnp/python/native/interpreter/function_threads.hpp"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {
namespace {

using SharedCall = std::shared_ptr<FunctionCall>;

constexpr size_t threads_max = 128;
constexpr size_t waiting_calls_max = size_t{1} << 16;

Result<Tensor> copy_of(const Tensor& tensor) {
  auto copy = Tensor::allocate(tensor.dtype(), tensor.shape());
  if (copy && tensor.bytes() > 0) std::memcpy(copy->mutable_raw(), tensor.raw(), tensor.bytes());
  return copy;
}

nb::list numbers_of(const DTypes& dtypes) {
  nb::list numbers;
  for (auto dtype : dtypes) numbers.append(static_cast<int>(dtype));
  return numbers;
}

/// (code, message, tensors) as a result.
Result<Tensors> to_results(nb::handle answer) {
  auto code = static_cast<Code>(nb::cast<int>(answer[0]));
  if (code != Code::ok) return Status(code, nb::cast<std::string>(answer[1]));
  Tensors results;
  for (auto tensor : nb::cast<nb::list>(answer[2]))
    results.push_back(nb::cast<TensorBuffer&>(tensor).tensor);
  return results;
}

}  // namespace

FunctionCall::FunctionCall(std::string token, DTypes outputs, Launch& launch, Kernel::Done done)
    : token_(std::move(token)),
      outputs_(std::move(outputs)),
      launch_(launch),
      done_(std::move(done)) {
  for (int i = 0; i < launch.input_count(); ++i) inputs_.push_back(launch.take_input(i));
}

void FunctionCall::end(Status status) {
  if (!has_ended_.exchange(true)) std::exchange(done_, nullptr)(std::move(status));
}

void FunctionCall::prepare() {
  if (has_ended_) return;
  for (auto& input : inputs_) {
    if (!is_plain(input.dtype()) || input.is_sole_owner()) continue;
    auto copy = copy_of(input);
    if (!copy) return end(copy.status());
    input = *std::move(copy);
  }
}

void FunctionCall::run() {
  try {
    results_ = results_of_function();
  } catch (const nb::python_error& error) {
    results_ = status_of(error);
  } catch (const std::exception& error) {
    results_ = internal(std::string("a result of a Python function: ") + error.what());
  }
}

Result<Tensors> FunctionCall::results_of_function() {
  auto function = import_module("troupe._src.session.py_func").attr("call_function");
  return to_results(call_object(
      function, token_, to_python(std::exchange(inputs_, {}), false), numbers_of(outputs_)));
}

void FunctionCall::finish() {
  if (has_ended_.exchange(true)) return;
  if (results_)
    for (size_t i = 0; i < results_->size(); ++i)
      launch_.set(static_cast<int>(i), std::move((*results_)[i]));
  std::exchange(done_, nullptr)(results_.status());
}

struct FunctionThreads::State {
  std::mutex mutex;
  std::condition_variable has_call;
  std::condition_variable has_entered;
  std::deque<SharedCall> calls;
  size_t threads = 0;
  size_t idle = 0;
  size_t entering = 0;  // threads that are about to have the GIL
  bool is_stopped = false;
  std::atomic<pid_t> pid{0};  // of the process that has the threads: fork does not copy them

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      has_call.wait(lock, [this] { return !calls.empty(); });
      --idle;
      auto call = std::move(calls.front());
      calls.pop_front();
      lock.unlock();
      call->prepare();
      if (!call->has_ended() && !run_with_gil(*call)) call->end(stopped_error());
      call->finish();
      call = nullptr;
      lock.lock();
    }
  }

  /// False, without a call, after stop().
  bool run_with_gil(FunctionCall& call) {
    if (!enter()) return false;
    GilAcquire gil;
    auto may_run = may_call();
    if (may_run && !call.has_ended()) call.run();  // it may have waited long for the GIL
    return may_run;
  }

  bool enter() {
    std::lock_guard lock(mutex);
    if (!is_stopped) ++entering;
    return !is_stopped;
  }

  bool may_call() {
    std::lock_guard lock(mutex);
    --entering;
    has_entered.notify_all();
    return !is_stopped;
  }

  static Status stopped_error() { return failed_precondition("the Python program has ended"); }
};

FunctionThreads::FunctionThreads() : state_(std::make_shared<State>()) {}

Status FunctionThreads::add(SharedCall call) {
  auto& state = *state_;
  std::lock_guard lock(state.mutex);
  if (state.is_stopped) return State::stopped_error();
  if (state.calls.size() == waiting_calls_max)
    return resource_exhausted(
        std::to_string(waiting_calls_max) + " calls of Python functions wait already");
  if (state.idle <= state.calls.size() && state.threads < threads_max) {
    try {
      std::thread([shared = state_] { shared->run(); }).detach();
      ++state.threads;
      state.pid = getpid();
    } catch (const std::system_error& error) {
      if (state.threads == 0)
        return resource_exhausted(std::string("no thread for a function: ") + error.what());
    }
  }
  state.calls.push_back(std::move(call));
  state.has_call.notify_one();
  return {};
}

void FunctionThreads::stop() {
  auto& state = *state_;
  if (state.pid != 0 && state.pid != getpid()) return;
  std::deque<SharedCall> calls;
  {
    std::unique_lock lock(state.mutex);
    state.is_stopped = true;
    calls.swap(state.calls);
    state.has_entered.wait(lock, [&] { return state.entering == 0; });
  }
  for (auto& call : calls) call->end(State::stopped_error());
}

}  // namespace troupe::python
