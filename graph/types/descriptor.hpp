#pragma once

#include <unistd.h>

#include <utility>

namespace troupe {

/// An open file descriptor, which its owner closes; a failure to close is ignored.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  const int& number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace troupe
