#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/resources/queue/queue.hpp"

namespace troupe::testing {

/// How a call of a queue has ended, as text: "waits", "ok", the elements that it got, or the error.
/// Elements are int64 scalars.
class QueueCall {
 public:
  QueueResource::Done on_done() {
    return [text = text_](const Status& status) { end(*text, to_text(status)); };
  }
  QueueResource::Taken on_taken() {
    return [text = text_](Result<QueueRuns> runs) {
      end(*text, runs ? to_text(*runs) : to_text(runs.status()));
    };
  }

  std::string text() const { return *text_; }
  QueueResource::CallId id = 0;

  static std::string to_text(const Status& status) {
    if (status.ok()) return "ok";
    return std::string(to_string(status.code())) + ": " + status.message();
  }
  static std::string to_text(const QueueRuns& runs) {
    std::string text;
    for (const auto& run : runs)
      for (auto row = run.first; row < run.first + run.count; ++row)
        text += (text.empty() ? "" : " ") +
                std::to_string(run.components[0].values<int64_t>()[static_cast<size_t>(row)]);
    return text;
  }

 private:
  static void end(std::string& text, std::string how) {
    text = text == "waits" ? how : "ended twice: " + text + ", " + how;
  }

  std::shared_ptr<std::string> text_ = std::make_shared<std::string>("waits");
};

/// A queue "q" of int64 scalars, used by one thread.
struct QueueUser {
  explicit QueueUser(QueueSpec spec) : queue(std::make_shared<QueueResource>(complete(spec))) {}
  explicit QueueUser(QueueKind kind, int64_t capacity = QueueSpec::unbounded)
      : QueueUser(QueueSpec{.kind = kind, .capacity = capacity}) {}

  static QueueSpec complete(QueueSpec spec) {
    spec.name = "q";
    spec.dtypes = {DType::int64};
    spec.shapes = {Shape()};
    return spec;
  }

  QueueCall put(int64_t value) const { return put({value}, /*as_batch=*/false); }
  /// As an EnqueueMany does it.
  QueueCall put_many(const std::vector<int64_t>& values) const {
    return put(values, queue->spec().keeps_batches());
  }
  QueueCall take() const { return take({.count = 1}); }
  QueueCall take_many(int64_t count) const { return take({.count = count}); }
  QueueCall take_up_to(int64_t count) const { return take({.count = count, .may_be_less = true}); }
  QueueCall close(bool cancels = false) const {
    QueueCall call;
    call.id = queue->close(cancels, call.on_done());
    return call;
  }
  std::string give_up(const QueueCall& call) const {
    queue->give_up(call.id);
    return call.text();
  }

  QueueCall put(const std::vector<int64_t>& values, bool as_batch) const {
    QueueRuns runs;
    if (as_batch) {
      std::span<const int64_t> all(values);
      runs.push_back(QueueRun::rows_of({Tensor::of<int64_t>({std::ssize(values)}, all)}));
    } else {
      for (auto value : values) runs.push_back({.components = {Tensor::scalar(value)}});
    }
    QueueCall call;
    call.id = queue->enqueue(std::move(runs), call.on_done());
    return call;
  }
  QueueCall take(QueueResource::Dequeue wanted) const {
    QueueCall call;
    call.id = queue->dequeue(wanted, call.on_taken());
    return call;
  }

  std::shared_ptr<QueueResource> queue;
};

}  // namespace troupe::testing
