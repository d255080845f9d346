#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/functions.hpp"

namespace troupe::cuda {
namespace {

constexpr BinaryEntry entries[] = {
    TROUPE_FLOATING(launch_pairwise, TanhGrad),     TROUPE_FLOATING(launch_pairwise, SigmoidGrad),
    TROUPE_FLOATING(launch_pairwise, SqrtGrad),     TROUPE_FLOATING(launch_pairwise, RsqrtGrad),
    TROUPE_FLOATING(launch_pairwise, InvGrad),      TROUPE_FLOATING(launch_pairwise, ReluGrad),
    TROUPE_FLOATING(launch_pairwise, Relu6Grad),    TROUPE_FLOATING(launch_pairwise, EluGrad),
    TROUPE_FLOATING(launch_pairwise, SeluGrad),     TROUPE_FLOATING(launch_pairwise, SoftplusGrad),
    TROUPE_FLOATING(launch_pairwise, SoftsignGrad),
};

}  // namespace

std::span<const BinaryEntry> pairwise_entries() { return entries; }

}  // namespace troupe::cuda
