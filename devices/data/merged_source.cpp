#include "troupe/devices/data/merged_source.hpp"

#include <algorithm>

namespace troupe::data {

MergedSource::MergedSource(SharedSource input, Open open, Turns turns)
    : open_(std::move(open)), turns_(turns), input_(std::move(input)) {}

std::optional<Pulled> MergedSource::pull(Done done) {
  Lock lock(mutex_);
  done_ = std::move(done);
  auto answer = find(lock);
  if (answer) done_ = nullptr;
  return answer;
}

/// Asks whom there is to ask, and returns what is there for the pull that waits. Where another call
/// does so, that one will look again. Gives up the lock meanwhile.
std::optional<Pulled> MergedSource::find(Lock& lock) {
  must_look_ = true;
  if (is_finding_) return {};
  is_finding_ = true;
  std::optional<Pulled> answer;
  while (!answer && std::exchange(must_look_, false)) {
    while (ask_input(lock) || ask_place(lock)) {
    }
    if (done_) answer = take_ready();
  }
  is_finding_ = false;
  return answer;
}

/// Answers the pull that waits, if there is something for it.
void MergedSource::serve(Lock& lock) {
  auto answer = find(lock);
  if (!answer) return;
  auto done = std::exchange(done_, nullptr);
  lock.unlock();
  done(*std::move(answer));
}

/// Returns whether there was something to ask.
bool MergedSource::ask_input(Lock& lock) {
  if (!input_ || is_opening_ || open_count_ == turns_.open_max) return false;
  is_opening_ = true;
  auto input = input_;
  lock.unlock();
  auto answer = input->pull([self = shared_from_this()](Pulled late) {
    Lock late_lock(self->mutex_);
    self->take_opening(std::move(late));
    self->serve(late_lock);
  });
  lock.lock();
  if (answer) take_opening(*std::move(answer));
  return true;
}

/// Under the lock.
void MergedSource::take_opening(Pulled answer) {
  is_opening_ = false;
  if (answer.ok() && !answer->has_value()) {
    input_ = nullptr;
    return;
  }
  auto place = std::make_shared<Place>();
  auto source = answer.ok() ? open_(**answer) : answer.status();
  if (source) place->source = *std::move(source);
  else place->answer = source.status();
  auto free = std::ranges::find(places_, nullptr);
  if (free == places_.end()) places_.push_back(std::move(place));
  else *free = std::move(place);
  ++open_count_;
}

/// Returns whether there was something to ask.
bool MergedSource::ask_place(Lock& lock) {
  auto found = std::ranges::find_if(places_, [](const SharedPlace& each) {
    return each && each->source && !each->answer && !each->is_asked;
  });
  if (found == places_.end()) return false;
  auto place = *found;
  place->is_asked = true;
  lock.unlock();
  auto answer = place->source->pull([self = shared_from_this(), place](Pulled late) {
    Lock late_lock(self->mutex_);
    place->is_asked = false;
    place->answer = std::move(late);
    self->serve(late_lock);
  });
  lock.lock();
  if (answer) {
    place->is_asked = false;
    place->answer = std::move(answer);
  }
  return true;
}

/// The next answer that is there, from the one whose turn it is on. Under the lock.
std::optional<Pulled> MergedSource::take_ready() {
  auto in_turn = in_turn_;
  for (size_t tried = 0; tried < places_.size(); ++tried) {
    auto& place = places_[at_];
    if (place && place->answer)
      if (auto answer = take(place)) return answer;
    next_turn();
  }
  in_turn_ = in_turn;
  if (input_ || open_count_ > 0) return {};
  return end_of_sequence();
}

/// Nothing at the end of the source.
std::optional<Pulled> MergedSource::take(SharedPlace& place) {
  auto answer = *std::exchange(place->answer, {});
  auto is_end = answer.ok() && !answer->has_value();
  if (is_end || !place->source) {
    place = nullptr;
    --open_count_;
    must_look_ = true;
  }
  if (is_end) return {};
  if (answer.ok() && ++in_turn_ == turns_.length) next_turn();
  return answer;
}

void MergedSource::next_turn() {
  in_turn_ = 0;
  at_ = (at_ + 1) % places_.size();
}

}  // namespace troupe::data
