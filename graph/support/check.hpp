#pragma once

#include <cstdio>
#include <cstdlib>

/// Aborts the process if the condition is false, in every build. For bugs only: what a client, a
/// peer or a file can cause becomes a Status.
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
