#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/data/dataset.hpp"

namespace troupe::data {

/// The elements of sources that take turns, each of some elements; a source whose next element is
/// not there when it is asked for loses its turn. The elements of another source say which sources
/// there are, of which so many are open at a time. Neither that one nor they may block who pulls.
///
/// MS-1: of each source, of the one that opens them, too, at most one element is asked for and not
///       yet taken.
class MergedSource final : public ElementSource, public std::enable_shared_from_this<MergedSource> {
 public:
  /// The source of such an element.
  using Open = std::function<Result<SharedSource>(const Element&)>;
  struct Turns {
    int64_t open_max;  // sources
    int64_t length;    // elements of one
  };

  MergedSource(SharedSource input, Open open, Turns turns);

  std::optional<Pulled> pull(Done done) override;

 private:
  /// A source that is open; null where what is there instead is the error of its opening.
  struct Place {
    SharedSource source;
    std::optional<Pulled> answer;  // which comes next
    bool is_asked = false;
  };
  using SharedPlace = std::shared_ptr<Place>;
  using Lock = std::unique_lock<std::mutex>;

  std::optional<Pulled> find(Lock& lock);
  void serve(Lock& lock);
  bool ask_input(Lock& lock);
  bool ask_place(Lock& lock);
  void take_opening(Pulled answer);
  std::optional<Pulled> take_ready();
  std::optional<Pulled> take(SharedPlace& place);
  void next_turn();

  const Open open_;
  const Turns turns_;

  std::mutex mutex_;
  SharedSource input_;  // null at its end
  bool is_opening_ = false;
  std::vector<SharedPlace> places_;  // as many as were needed so far; null where none is open
  int64_t open_count_ = 0;
  size_t at_ = 0;            // whose turn it is
  int64_t in_turn_ = 0;      // elements that it has given
  bool is_finding_ = false;  // somebody is in find()
  bool must_look_ = false;   // there is something new for who is in find()
  Done done_;                // of a pull that waits
};

}  // namespace troupe::data
