#pragma once

#include <utility>

#include "troupe/devices/data/dataset.hpp"

namespace troupe::data {

/// A source that asks others, several times for an element, maybe: it says whom to ask, and what to
/// do with each answer. Answers that are there at once are taken in a loop and not by calls within
/// calls.
class SteppedSource : public ElementSource {
 public:
  std::optional<Pulled> pull(Done done) final {
    done_ = std::move(done);
    auto answer = begin();
    if (!answer) answer = go_on();
    if (answer) done_ = nullptr;  // it holds who asks, who holds this source
    return answer;
  }

 protected:
  /// Before the first question of a pull; an answer to the pull where there is no question.
  virtual std::optional<Pulled> begin() { return {}; }
  /// Asks, as pull() does.
  virtual std::optional<Pulled> ask(Done done) = 0;
  /// Takes the answer. Returns that to the pull, or nothing to ask again.
  virtual std::optional<Pulled> take(Pulled answer) = 0;

 private:
  std::optional<Pulled> go_on() {
    for (;;) {
      auto answer = ask([this](Pulled late) { resume(std::move(late)); });
      if (!answer) return {};
      if (auto result = take(*std::move(answer))) return result;
    }
  }

  void resume(Pulled answer) {
    auto result = take(std::move(answer));
    if (!result) result = go_on();
    if (result) std::exchange(done_, nullptr)(*std::move(result));
  }

  Done done_;
};

}  // namespace troupe::data
