#pragma once

#include <dlfcn.h>

#include <string>

#include "troupe/graph/types/status.hpp"

/// Libraries of a card's vendor that are loaded once kernels call them: each has some hundred MiB,
/// which takes longer than an actor may wait, and most programs need none of it.
namespace troupe::accelerator {

/// Ok where the dynamic loader would find a library of that name, as "libcufft.so.11", for this
/// code; else Unimplemented. Nothing is loaded for that: it is for makers of kernels, which run on
/// threads of actors.
Status check_installed(const std::string& file);

/// Loads a library, which is never closed. FailedPrecondition with the loader's words. To be called
/// by launches of kernels that say how long that takes (cuda/slow_at_first.hpp).
Result<void*> load_library(const std::string& file);

/// Sets a pointer to the library's function of that name, or to null where it has none.
template <class Function>
void find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace troupe::accelerator
