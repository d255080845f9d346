#pragma once

// The instruction sets that the loops of this folder are compiled for: scalars (any processor),
// SSE4, AVX2 and AVX-512 on x86. Others differ too little to be worth their code. Included before
// Highway's headers.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
