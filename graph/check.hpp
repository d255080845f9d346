#pragma once

#include <cstdio>
#include <cstdlib>

/// Stops the process on a bug of ours, in every build. What a client, a peer or a file can cause is
/// never checked so: it becomes a Status.
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
