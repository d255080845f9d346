#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "troupe/devices/kernel.hpp"

namespace troupe::python {

/// A call of a Python function for one launch of a kernel. It ends once: with the function's
/// results, or before, when the step is cancelled; what the function returns later is dropped.
class FunctionCall {
 public:
  /// Takes the inputs of the launch, which is not used again once the call has ended.
  FunctionCall(std::string token, DTypes outputs, Launch& launch, Kernel::Done done);

  bool has_ended() const { return has_ended_; }
  void end(Status status);

  /// Copies inputs that others hold, too: a function may write into its arguments.
  void prepare();
  /// Calls the function. To be called with the GIL, and the others without it.
  void run();
  /// Ends the call with what run() got.
  void finish();

 private:
  Result<Tensors> results_of_function();

  const std::string token_;
  const DTypes outputs_;
  Launch& launch_;
  Kernel::Done done_;
  Tensors inputs_;
  Result<Tensors> results_ = Tensors();
  std::atomic<bool> has_ended_{false};
};

/// Threads that run calls, so that neither an actor nor a device waits for a function or for the
/// GIL. One is started where all are busy, up to a limit: a function may wait for a step of another
/// session, which has functions, too. They end with the process. Thread-safe.
class FunctionThreads {
 public:
  FunctionThreads();
  FunctionThreads(const FunctionThreads&) = delete;

  /// ResourceExhausted where too many calls wait; FailedPrecondition after stop().
  Status add(std::shared_ptr<FunctionCall> call);

  /// To be called, without the GIL, before the interpreter is finalized: afterwards no call begins,
  /// and those that have begun are left to themselves.
  void stop();

 private:
  struct State;

  // Shared with the threads, which may outlive this.
  std::shared_ptr<State> state_;
};

}  // namespace troupe::python
