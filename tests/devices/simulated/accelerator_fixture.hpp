#pragma once

#include <boost/test/unit_test.hpp>
#include <deque>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/simulated/simulated_accelerator.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

namespace troupe::testing {

/// What a simulation would run later, in the order in which it came.
struct Later {
  std::deque<std::function<void()>> works;

  std::function<void(std::function<void()>)> post() {
    return [this](std::function<void()> work) { works.push_back(std::move(work)); };
  }
  bool run_one() {
    if (works.empty()) return false;
    auto work = std::move(works.front());
    works.pop_front();
    work();
    return true;
  }
  void run_all() {
    while (run_one()) {
    }
  }
};

struct AcceleratorFixture : PlanFixture {
  Later later;
  std::shared_ptr<const KernelCatalog> kernels =
      std::make_shared<KernelCatalog>(cpu::make_kernel_catalog());
  std::unique_ptr<SimulatedAccelerator> device =
      make_simulated_accelerator({.kernels = kernels, .later = later.post()});

  /// The node "feed", of what the port feeds.
  void add_feed(DType dtype, const Shape& shape) {
    add(
        {.name = "feed",
         .op = transfer::arg,
         .attrs = {{"T", dtype}, {"index", 0}, {"shape", shape}}});
  }
  /// What follows a kernel that waited may wait itself.
  void run_until_idle() {
    while (!later.works.empty() || !port->posted.empty()) {
      later.run_all();
      port->run_posted();
    }
  }
  Status run() {
    auto execution = start_plan(*device);
    run_until_idle();
    return done.wait();
  }
};

}  // namespace troupe::testing
