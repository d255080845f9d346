#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "troupe/actors/link/link.hpp"
#include "troupe/devices/accelerator/filling_memory.hpp"

// What of memory the two ends of a link lend each other.

namespace troupe {

// -- a file

void Link::offer_memory() {
  int ends[2];
  memory_ = settings_.allocator.shared_file();
  if (!memory_ || ::pipe2(ends, O_CLOEXEC) != 0) return void(memory_ = nullptr);
  lease_pipe_ = Descriptor(ends[0]);
  std::lock_guard lock(mutex_);
  outbox_.offer(memory_, Descriptor(ends[1]));
  wake();
}

/// Where the memory cannot be mapped, the peer is not told that it is, and sends its tensors.
Status Link::on_memory(const MemoryFrame& frame) {
  if (!is_open_ || !stream_->passes_descriptors())
    return invalid_argument("memory over a connection that passes none");
  auto descriptors = std::exchange(descriptors_, {});
  if (descriptors.size() != link_limits::descriptors_max) return {};  // the system has dropped some
  auto mapped = SharedFile::map(std::move(descriptors[0]), frame.bytes, std::move(descriptors[1]));
  if (mapped.status().code() == Code::resource_exhausted) return {};
  if (!mapped) return mapped.status();
  auto give_back = [weak = weak_from_this()](uint64_t number) {
    if (auto link = weak.lock()) link->send(ReturnedFrame{number});
  };
  if (!inbox_.set_memory(*std::move(mapped), give_back))
    return invalid_argument("memory a second time");
  send(MappedFrame());
  return {};
}

Status Link::on_mapped() {
  if (!memory_) return invalid_argument("nothing was to be mapped");
  std::lock_guard lock(mutex_);
  outbox_.lend_from(memory_);
  return {};
}

Status Link::on_returned(uint64_t number) {
  Tensor returned;  // released without the lock
  std::lock_guard lock(mutex_);
  returned = outbox_.take_back(number);
  return returned.is_set() ? Status() : invalid_argument("the return of nothing");
}

// -- memory of cards

bool Link::lends(const Tensor& tensor) {
  if (accelerator::FillingMemory::of(tensor)) {
    std::lock_guard lock(mutex_);
    return stream_ && !outbox_.lends_memory_of(tensor);
  }
  auto region = accelerator::region_of(tensor);
  if (region.status().code() == Code::unavailable) note_copies(region.status());
  if (!region) return false;
  std::lock_guard lock(mutex_);
  if (!stream_) return false;
  auto lends = outbox_.lends(*region);
  if (!lends) wake();
  return lends;
}

/// Where the region cannot be opened, the peer is not told that it is, and copies its tensors.
Status Link::on_region(const RegionFrame& frame) {
  if (!is_open_ || !inbox_.has_memory())
    return invalid_argument("memory of a card before that of the host");
  if (frame.number == 0 || frame.number > link_limits::regions_max)
    return invalid_argument("more regions of cards than may be shared");
  if (!settings_.open_region) return {};
  auto opened = settings_.open_region(frame.name);
  if (!opened) {
    note_copies(opened.status());
    return {};
  }
  if (!inbox_.add_region(frame.number, *std::move(opened)))
    return invalid_argument("a region of a card a second time");
  if (frame.number == 1) log("a peer of this host lends memory of its card " + frame.name.card);
  send(OpenedFrame{frame.number});
  return {};
}

Status Link::on_opened(const OpenedFrame& frame) {
  std::lock_guard lock(mutex_);
  return outbox_.opened(frame.number) ? Status() : invalid_argument("no such region was offered");
}

void Link::note_copies(const Status& why) {
  if (!has_noted_copies_.exchange(true))
    log("tensors between cards of this host are copied by way of its memory: " + why.message());
}

void Link::log(const std::string& line) const {
  if (settings_.log) settings_.log(line);
}

}  // namespace troupe
