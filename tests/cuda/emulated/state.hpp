#pragma once

#include <cuda_runtime_api.h>

namespace troupe::emulated {

inline constexpr int cards = 2;
inline constexpr size_t card_bytes = size_t{4} << 30;

/// Its compute capability: the second card is an older one.
constexpr int capability_of(int card) { return card == 0 ? 90 : 75; }

/// The card that the calls of this thread are for.
int current_card();

/// The error, which cudaGetLastError() returns on this thread once.
cudaError_t failed(cudaError_t error);

/// While one lives, a card works: the memory of cards can be read and written. Where none does, and
/// TROUPE_EMULATED_GUARD is set, an access of the host to it ends the process, as with a real card.
class CardWork {
 public:
  CardWork();
  ~CardWork();
  CardWork(const CardWork&) = delete;
};

/// What the thread of a stream does for the host meanwhile, or does not do, as it waits.
class HostWork {
 public:
  HostWork();
  ~HostWork();
  HostWork(const HostWork&) = delete;

 private:
  const bool was_of_card_;
};

/// Memory that only cards read and write, page by page; null where there is none.
bool are_cards_guarded();
void* allocate_guarded(size_t bytes);
void free_guarded(void* memory, size_t bytes);

/// Whether the thread captures, and so must not call what may wait for the card: CUDA refuses that,
/// and the capture is lost. Not where it has said that it knows (cudaStreamCaptureModeRelaxed).
bool is_forbidden_now();

/// The same for what can be put on a stream, but not be captured.
bool cannot_be_captured(cudaStream_t stream);

}  // namespace troupe::emulated
