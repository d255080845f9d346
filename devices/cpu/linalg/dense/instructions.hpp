#pragma once

#include "troupe/devices/cpu/linalg/dense/routines/routines.hpp"

namespace troupe::cpu::routines {

/// Those for which the vectors of devices/cpu/vector are compiled, too, if they are chosen there.
Instructions best_instructions();

/// f<instructions>() of the best ones that this processor has.
template <class F>
auto with_instructions(const F& f) {
#ifdef __x86_64__
  if (best_instructions() == Instructions::avx512)
    return f.template operator()<Instructions::avx512>();
  if (best_instructions() == Instructions::avx2) return f.template operator()<Instructions::avx2>();
#endif
  return f.template operator()<Instructions::any>();
}

}  // namespace troupe::cpu::routines
