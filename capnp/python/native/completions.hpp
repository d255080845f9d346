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

/// The pending steps of one session in one asyncio event loop. A file descriptor becomes readable
/// when steps have ended. A thread waits for the steps, because a client session only receives
/// results while some thread waits. Thread-safe.
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

  int descriptor() const { return ended_->descriptor; }
  void add(Token token, std::unique_ptr<PendingStep> step);
  void cancel(Token token);
  /// The steps that have ended since the last call. To be called without the GIL.
  std::vector<Ended> take();

 private:
  using Step = std::shared_ptr<PendingStep>;
  struct Running {
    Step step;
    bool needs_no_wait;
  };

  /// The tokens of ended steps. Shared with the callbacks of steps, which may run after the
  /// Completions are destroyed.
  struct EndedSteps {
    EndedSteps();
    ~EndedSteps();
    void put(Token token);
    std::vector<Token> take();

    int descriptor;
    std::mutex mutex;
    std::vector<Token> tokens;
  };

  void wait_for_steps();
  std::pair<Token, Step> next_running();

  std::shared_ptr<OpenSession> session_;
  std::shared_ptr<EndedSteps> ended_ = std::make_shared<EndedSteps>();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Token, Running> running_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace troupe::python
