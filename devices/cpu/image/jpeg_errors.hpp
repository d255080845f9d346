#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>

#include <jpeglib.h>

#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// Ends a call of libjpeg with an error, as the library does itself.
[[noreturn]] void raise_jpeg_error(j_common_ptr jpeg, const char* text);

/// How libjpeg reports errors: by a jump back to the call of guard() that it happened in.
class JpegErrors {
 public:
  /// Calls f(), which calls libjpeg; false if that jumped out of it. Nothing that f makes may have
  /// a destructor.
  template <class F>
  [[gnu::noinline]] bool guard(const F& f) {
    if (setjmp(back_)) return false;
    f();
    return true;
  }

  /// InvalidArgument with what libjpeg said.
  Status failure(const char* what) const {
    return invalid_argument(
        std::string("the JPEG image cannot be ") + what + ": " + std::string(text_));
  }

 protected:
  /// The handlers of an object of libjpeg, whose client_data they set.
  jpeg_error_mgr* handlers(j_common_ptr jpeg);

 private:
  friend void raise_jpeg_error(j_common_ptr jpeg, const char* text);
  static void leave(j_common_ptr jpeg);

  jpeg_error_mgr handlers_;
  std::jmp_buf back_;
  char text_[JMSG_LENGTH_MAX] = {};
};

}  // namespace troupe::cpu
