#include "troupe/graph/support/interrupt.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace troupe {

Interrupt::Interrupt() : woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGINT);
  sigaddset(&taken, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &taken, &before_);
  descriptor_ = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupt::~Interrupt() {
  close(descriptor_);
  close(woken_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupt::wait_until(std::chrono::steady_clock::time_point time) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
  std::array<pollfd, 2> arrived{
      {{.fd = descriptor_, .events = POLLIN, .revents = 0},
       {.fd = woken_, .events = POLLIN, .revents = 0}}};
  poll(
      arrived.data(), arrived.size(),
      static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000)));
  eventfd_t count = 0;
  (void)eventfd_read(woken_, &count);
  return take();
}

void Interrupt::wake() { (void)eventfd_write(woken_, 1); }

int Interrupt::take() {
  signalfd_siginfo info{};
  return read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

}  // namespace troupe
