#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {

// Locks between steps, of which tf.CriticalSection is made.
void add_mutex_ops(OpCatalog& catalog) {
  catalog.add(Op("MutexV2")
      .doc("The lock `shared_name` in `container`, which one step holds at a time. Without a name "
           "only the session can use it.")
      .output("resource", DType::resource)
      .attr("container", "")
      .attr("shared_name", "")
      .infer_shape([](ShapeInference& s) {
        s.set(0, {});
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle());
  catalog.add(Op("MutexLock")
      .doc("Waits until it is its turn to hold the lock. It is free again once its output is gone: "
           "when ConsumeMutexLock has taken it, or else at the end of the step.")
      .input("mutex", DType::resource)
      .output("mutex_lock", DType::variant)
      .infer_shape(shapes::scalar())
      .stateful());
  catalog.add(Op("ConsumeMutexLock")
      .doc("Frees a lock. Nothing else may use the output of that MutexLock.")
      .input("mutex_lock", DType::variant)
      .infer_shape(shapes::none())
      .stateful());
}

}  // namespace troupe
