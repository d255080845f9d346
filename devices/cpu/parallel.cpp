#include "troupe/devices/cpu/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "troupe/graph/support/happens_before.hpp"

namespace troupe::cpu {

void split_ranges(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  HappensBefore begun, done;
  begun.pass();
  // Isolated: a thread that waits here must not pick up another kernel, which might wait for a
  // lock that this one holds.
  tbb::this_task_arena::isolate([&] {
    // All threads compute as this one does: with numbers near 0 flushed, or not.
    tbb::task_group_context context;
    context.capture_fp_settings();
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, count, static_cast<size_t>(grain)),
        [&](const auto& range) {
          begun.pass();
          body(range.begin(), range.end());
          done.pass();
        },
        context);
  });
  done.pass();
}

}  // namespace troupe::cpu
