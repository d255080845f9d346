#include "troupe/devices/resources/iterator.hpp"

#include <algorithm>

#include "troupe/devices/resources/declared_components.hpp"
#include "troupe/devices/resources/multi_device_iterator.hpp"
#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

Status iterator_dropped() { return aborted("the iterator is gone: its container was reset"); }

Status not_begun() {
  return failed_precondition(
      "GetNext() failed because the iterator has not been initialized. Ensure that you have run "
      "the initializer operation for this iterator before getting the next element.");
}

Status check_iterator(const Resource& resource, const Node& handle) {
  const auto& iterator = static_cast<const IteratorResource&>(resource);
  return DeclaredComponents(handle).check_against(iterator.dtypes(), iterator.shapes());
}

Result<std::shared_ptr<Resource>> make_iterator(const Node& handle) {
  DeclaredComponents declared(handle);
  if (auto status = declared.check(); !status.ok()) return status;
  return std::shared_ptr<Resource>(
      std::make_shared<IteratorResource>(declared.dtypes, declared.shapes));
}

}  // namespace

IteratorResource::~IteratorResource() {
  if (position_) position_->iteration->stop();
}

void IteratorResource::drop() {
  SharedPosition ended;
  {
    std::lock_guard lock(mutex_);
    is_dropped_ = true;
    ended = std::exchange(position_, nullptr);
    kept_.clear();
    factory_.reset();
  }
  if (ended) ended->iteration->stop();
  answer_all(iterator_dropped());
}

bool IteratorResource::is_dropped() const {
  std::lock_guard lock(mutex_);
  return is_dropped_;
}

Resource::Description IteratorResource::describe() const {
  return {.dtype = dtypes_.empty() ? DType::invalid : dtypes_[0], .shape = {}, .bytes = 0};
}

Status IteratorResource::begin(const data::SharedDataset& dataset, Device& device) {
  auto status = data::check_components(dataset->dtypes(), dataset->shapes(), dtypes_, shapes_);
  if (!status.ok()) return status;
  IteratorState restored;
  {
    std::lock_guard lock(mutex_);
    if (!position_) restored = restored_;
  }
  return begin_at(restored, dataset, device);
}

Status IteratorResource::begin_at(
    const IteratorState& place, const data::SharedDataset& dataset, Device& device) {
  auto iteration = std::make_shared<data::Iteration>(device, place.seeds);
  auto source = dataset->iterate(iteration);
  if (!source) return source.status();
  SharedPosition position =
      std::make_shared<const Position>(Position{dataset, iteration, *std::move(source)});
  {
    std::lock_guard lock(mutex_);
    if (is_dropped_) return iterator_dropped();
    position_.swap(position);
    restored_ = place;
    kept_.clear();
    pulled_ = 0;
  }
  if (position) position->iteration->stop();
  return {};
}

Result<std::string> IteratorResource::serialize_state() const {
  std::lock_guard lock(mutex_);
  if (is_dropped_) return iterator_dropped();
  if (!position_ && !factory_ && restored_.next == 0) return not_begun();
  auto state = restored_;
  if (!position_) return state.to_text();
  // Of the elements that are left from before, some are still to be pulled again.
  std::erase_if(state.left, [this](uint64_t number) { return number < pulled_; });
  for (const auto& [number, answer] : kept_) state.left.insert(number);
  state.next = std::max(state.next, pulled_);
  auto seeds = position_->iteration->seeds();
  if (!seeds || state.left.size() > IteratorState::numbers_max)
    return resource_exhausted(
        "too many elements of the iterator were put back, or its dataset has drawn too many random "
        "seeds, to keep their numbers in a state");
  state.seeds = *std::move(seeds);
  return state.to_text();
}

Status IteratorResource::restore_state(const std::string& state, Device& device) {
  auto place = IteratorState::parse(state);
  if (!place) return place.status();
  data::SharedDataset dataset;
  {
    std::lock_guard lock(mutex_);
    if (is_dropped_) return iterator_dropped();
    if (position_) dataset = position_->dataset;
    else restored_ = *place;
  }
  return dataset ? begin_at(*place, dataset, device) : Status();
}

void IteratorResource::begin_later(data::SharedFunction factory) {
  std::lock_guard lock(mutex_);
  if (!factory_ && !position_ && !is_dropped_) factory_ = std::move(factory);
}

IteratorResource::Ticket IteratorResource::get_next(Device& device, Done done) {
  auto ticket = std::make_shared<Waiter>(Waiter{std::move(done), &device});
  std::lock_guard lock(mutex_);
  waiting_.push_back(ticket);
  if (is_serving_) return ticket;
  is_serving_ = true;
  device.enqueue([self = shared_from_this(), &device] { self->serve(device); });
  return ticket;
}

void IteratorResource::cancel(const Ticket& ticket) {
  {
    std::lock_guard lock(mutex_);
    auto found = std::ranges::find(waiting_, ticket);
    if (found == waiting_.end()) return;
    waiting_.erase(found);
  }
  ticket->done(cancelled("nothing waits for the element any more"), {});
}

void IteratorResource::put_back(const Place& place, data::Element element) {
  std::unique_lock lock(mutex_);
  if (!position_ || place.position.lock() != position_) return;
  kept_.emplace(place.number, std::move(element));
  give_kept(lock);
}

/// Gives the first of those who wait the first answer that is kept, if there are both.
void IteratorResource::give_kept(std::unique_lock<std::mutex>& lock) {
  if (waiting_.empty()) return;
  auto first = take_kept();
  if (!first) return;
  Place place{position_, first->number};
  auto ticket = std::move(waiting_.front());
  waiting_.pop_front();
  lock.unlock();
  ticket->done(std::move(first->answer), place);
}

std::shared_ptr<void> IteratorResource::await_return(std::shared_ptr<IteratorResource> iterator) {
  {
    std::lock_guard lock(iterator->mutex_);
    ++iterator->returning_;
  }
  auto* resource = iterator.get();
  return {
      resource, [iterator = std::move(iterator)](IteratorResource*) { iterator->end_return(); }};
}

void IteratorResource::end_return() {
  std::lock_guard lock(mutex_);
  if (--returning_ > 0 || is_serving_ || waiting_.empty()) return;
  is_serving_ = true;
  auto& device = *waiting_.front()->device;
  device.enqueue([self = shared_from_this(), &device] { self->serve(device); });
}

/// Under the lock: whether the answer that comes next is the end, and elements before it are about
/// to be put back.
bool IteratorResource::is_end_held() const {
  if (returning_ == 0 || kept_.empty()) return false;
  const auto& first = kept_.begin()->second;
  return first.ok() && !first->has_value();
}

/// Under the lock.
std::optional<IteratorResource::Numbered> IteratorResource::take_kept() {
  if (kept_.empty() || is_end_held()) return {};
  auto first = kept_.extract(kept_.begin());
  return Numbered{first.key(), std::move(first.mapped())};
}

/// Answers those who wait, one after the other, as long as the answers are there at once.
void IteratorResource::serve(Device& device) {
  while (serve_next(device)) {
  }
}

/// Returns whether to go on here: not if nobody waits any more, or if a late answer will go on.
bool IteratorResource::serve_next(Device& device) {
  std::unique_lock lock(mutex_);
  if (waiting_.empty() || is_end_held()) {
    is_serving_ = false;
    return false;
  }
  auto position = position_;
  auto is_gone = is_dropped_;
  auto factory = factory_;
  auto next = take_kept();
  auto number = next ? next->number : pulled_;
  lock.unlock();
  if (!position) {
    if (factory && !is_gone) return make_dataset(device, factory);
    answer_all(is_gone ? iterator_dropped() : not_begun());
    return true;
  }
  if (next) {
    answer(position, *std::move(next));
    return true;
  }
  auto self = shared_from_this();
  auto pulled = position->source->pull([self, position, number, &device](data::Pulled late) {
    self->answer(position, {number, std::move(late)});
    self->serve(device);
  });
  if (!pulled) return false;
  answer(position, {number, *std::move(pulled)});
  return true;
}

/// Calls the factory; as serve_next(), returns whether to go on here.
bool IteratorResource::make_dataset(Device& device, const data::SharedFunction& factory) {
  auto iteration = std::make_shared<data::Iteration>(device);
  auto made = factory->call(
      {}, std::make_shared<const Tensors>(), data::AtOutOfRange::fails, *iteration,
      [self = shared_from_this(), iteration, &device](data::Pulled late) {
        self->take_dataset(device, std::move(late));
        self->serve(device);
      });
  if (!made) return false;
  take_dataset(device, *std::move(made));
  return true;
}

void IteratorResource::take_dataset(Device& device, data::Pulled made) {
  auto status = made.status();
  if (status.ok()) {
    auto dataset = data::dataset_of((**made)[0]);
    status = dataset ? begin(*dataset, device) : dataset.status();
  }
  if (!status.ok()) answer_all(status);
}

/// Gives the first of those who wait an answer of that position, or keeps it for the next one. One
/// of a position that has ended is lost.
void IteratorResource::answer(const SharedPosition& from, Numbered answer) {
  std::unique_lock lock(mutex_);
  if (position_ != from) return;
  pulled_ = std::max(pulled_, answer.number + 1);
  if (restored_.is_given(answer.number)) return;
  kept_.emplace(answer.number, std::move(answer.answer));
  give_kept(lock);
}

void IteratorResource::answer_all(const Status& status) {
  std::list<Ticket> waiting;
  {
    std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
  }
  for (auto& ticket : waiting) ticket->done(status, {});
}

void add_iterator_kinds(ResourceKindCatalog& catalog) {
  for (const auto* op : {"Iterator", "IteratorV2", "OneShotIterator"})
    catalog.add(
        {.name = IteratorResource::kind_name,
         .handle_op = op,
         .make = make_iterator,
         .check = check_iterator});
  add_multi_device_iterator_kind(catalog);
}

}  // namespace troupe
