#include "troupe/capnp/server/kj_unit.hpp"

#include <spdlog/spdlog.h>

#include <caf/all.hpp>
#include <utility>

namespace troupe {
namespace {

constexpr int jobs_per_drain_max = 64;
constexpr size_t messages_per_job_max = 64;

}  // namespace

KjUnit::KjUnit(caf::actor_system& system, std::shared_ptr<Inbox> inbox)
    : execution_unit(&system), inbox_(std::move(inbox)), tasks_(*this) {}

KjUnit::~KjUnit() noexcept {
  for (auto* job : jobs_) system().scheduler().enqueue(job);
}

void KjUnit::exec_later(caf::resumable* job) {
  // An actor keeps its last unit as context and may use it when it is woken elsewhere.
  if (!inbox_->is_here()) {
    system().scheduler().enqueue(job);
    return;
  }
  jobs_.push_back(job);
  if (!is_draining_) drain_soon();
}

void KjUnit::drain() {
  if (std::exchange(is_draining_, true)) return;
  for (int done = 0; !jobs_.empty() && done < jobs_per_drain_max; ++done) {
    auto* job = jobs_.front();
    jobs_.pop_front();
    switch (job->resume(this, messages_per_job_max)) {
      case caf::resumable::resume_later: jobs_.push_back(job); break;
      default: caf::intrusive_ptr_release(job);
    }
  }
  is_draining_ = false;
  if (!jobs_.empty()) drain_soon();
}

void KjUnit::drain_soon() {
  if (std::exchange(is_drain_due_, true)) return;
  tasks_.add(kj::evalLater([this] {
    is_drain_due_ = false;
    drain();
  }));
}

void KjUnit::taskFailed(kj::Exception&& exception) {
  spdlog::error("the door's event loop: {}", exception.getDescription().cStr());
}

}  // namespace troupe
