#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "troupe/capnp/python/native/sessions.hpp"

namespace troupe::python {

/// The steps of one session that an event loop of asyncio awaits. A thread waits for them, as
/// answers come in only while somebody does, and a file descriptor becomes readable when some have
/// ended.
class Completions {
 public:
  using Token = uint64_t;
  struct Ended {
    Token token;
    Result<Tensors> values;
  };

  explicit Completions(std::shared_ptr<OpenSession> session);
  ~Completions();
  Completions(const Completions&) = delete;

  int descriptor() const { return inbox_->descriptor; }
  void add(Token token, std::unique_ptr<PendingStep> step);
  void cancel(Token token);
  /// Those that have ended since the last call. Without the GIL.
  std::vector<Ended> take();

 private:
  using Step = std::shared_ptr<PendingStep>;
  struct Running {
    Step step;
    bool has_ended = false;
  };

  /// Where steps tell their end; it outlives those that tell late.
  struct Inbox {
    Inbox();
    ~Inbox();
    void put(Token token);
    std::vector<Token> take();

    int descriptor;
    std::mutex mutex;
    std::vector<Token> tokens;
  };

  void attend();
  std::pair<Token, Step> next_to_await();

  std::shared_ptr<OpenSession> session_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Token, Running> running_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace troupe::python
