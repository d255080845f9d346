#include "troupe/capnp/server/event_loop_execution_unit.hpp"

#include <kj/common.h>
#include <spdlog/spdlog.h>

#include <caf/all.hpp>
#include <utility>

namespace troupe {
namespace {

constexpr int jobs_per_drain_max = 64;
constexpr size_t messages_per_job_max = 64;

}  // namespace

EventLoopExecutionUnit::EventLoopExecutionUnit(
    caf::actor_system& system, std::shared_ptr<TaskQueue> task_queue)
    : execution_unit(&system), task_queue_(std::move(task_queue)), tasks_(*this) {}

EventLoopExecutionUnit::~EventLoopExecutionUnit() noexcept {
  for (auto* job : jobs_) system().scheduler().enqueue(job);
}

void EventLoopExecutionUnit::exec_later(caf::resumable* job) {
  // An actor keeps a pointer to the unit that ran it last, so another thread may call this.
  if (!task_queue_->is_loop_thread()) {
    system().scheduler().enqueue(job);
    return;
  }
  jobs_.push_back(job);
  if (!is_draining_) drain_soon();
}

void EventLoopExecutionUnit::drain() {
  if (std::exchange(is_draining_, true)) return;
  task_queue_->activity().note();
  KJ_DEFER(is_draining_ = false);
  for (int done = 0; !jobs_.empty() && done < jobs_per_drain_max; ++done) {
    auto* job = jobs_.front();
    jobs_.pop_front();
    switch (job->resume(this, messages_per_job_max)) {
      case caf::resumable::resume_later: jobs_.push_back(job); break;
      default: caf::intrusive_ptr_release(job);
    }
  }
  if (!jobs_.empty()) drain_soon();
}

void EventLoopExecutionUnit::drain_soon() {
  if (std::exchange(is_drain_due_, true)) return;
  tasks_.add(kj::evalLater([this] {
    is_drain_due_ = false;
    drain();
  }));
}

void EventLoopExecutionUnit::taskFailed(kj::Exception&& exception) {
  spdlog::error("RPC server, event loop: {}", exception.getDescription().cStr());
}

}  // namespace troupe
