#pragma once

#include "troupe/devices/cpu/vector/targets.hpp"

#include <hwy/targets.h>

#include <boost/test/unit_test.hpp>

namespace troupe::testing {

/// Calls f() for each set of instructions that the processor has, which then is the one used.
template <class F>
void with_each_target(const F& f) {
  auto targets = hwy::SupportedAndGeneratedTargets();
  for (auto target : targets) {
    hwy::SetSupportedTargetsForTest(target);
    BOOST_TEST_CONTEXT(hwy::TargetName(target)) f();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace troupe::testing
