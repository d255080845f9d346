#include "troupe/apps/cli/interrupt.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

namespace troupe::cli {

Interrupt::Interrupt() {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGINT);
  sigaddset(&taken, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &taken, &before_);
  descriptor_ = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupt::~Interrupt() {
  close(descriptor_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupt::wait_until(std::chrono::steady_clock::time_point time) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
  pollfd arrived{.fd = descriptor_, .events = POLLIN, .revents = 0};
  poll(&arrived, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000)));
  return take();
}

int Interrupt::take() {
  signalfd_siginfo info{};
  return read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

}  // namespace troupe::cli
