#include "troupe/tests/cuda/emulated/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace troupe::emulated {
namespace {

constexpr size_t stack_bytes = 256 << 10;

}  // namespace

Fiber::Fiber(std::function<void()> run) : run_(std::move(run)) {
  auto* memory =
      ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack_ = static_cast<char*>(memory);
  auto& first = own_.context;
  ::getcontext(&first);
  first.uc_stack.ss_sp = stack_;
  first.uc_stack.ss_size = stack_bytes;
  first.uc_link = nullptr;
  // makecontext() hands on numbers of the size of int only.
  auto self = reinterpret_cast<uintptr_t>(this);
  ::makecontext(
      &first, reinterpret_cast<void (*)()>(&Fiber::begin), 2, static_cast<unsigned>(self),
      static_cast<unsigned>(self >> 32));
#ifdef __SANITIZE_THREAD__
  thread_sanitizer_own_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(thread_sanitizer_own_);
#endif
  ::munmap(stack_, stack_bytes);
}

void Fiber::swap(Place& from, Place& to) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  ::swapcontext(&from.context, &to.context);  // they take a jump for one within a stack
#else
  // Contexts have the mask of signals, which takes two system calls: longer than most threads of a
  // block compute between two barriers. A jump leaves it as it is.
  from.has_jump = true;
  if (::_setjmp(from.jump) != 0) return;
  if (to.has_jump) ::_longjmp(to.jump, 1);
  ::setcontext(&to.context);
#endif
}

void Fiber::resume() {
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_, stack_bytes);
#endif
#ifdef __SANITIZE_THREAD__
  thread_sanitizer_caller_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(thread_sanitizer_own_, 0);
#endif
  swap(caller_, own_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&own_fake_stack_, caller_stack_, caller_stack_bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(thread_sanitizer_caller_, 0);
#endif
  swap(own_, caller_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_bytes_);
#endif
}

void Fiber::begin(unsigned low, unsigned high) {
  reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low)->loop();
}

void Fiber::loop() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &caller_stack_, &caller_stack_bytes_);
#endif
  while (true) {
    run_();
    leave();
  }
}

}  // namespace troupe::emulated
