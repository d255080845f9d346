#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/simulated/simulated_device.hpp"
#include "troupe/tests/devices/accelerator/virtual_cards.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

namespace troupe::testing {

/// A kernel of one element-wise function of floats, which takes some time on the card.
inline KernelCatalog::Compute elementwise(
    VirtualCards::Card& card, std::string op, float (*f)(float)) {
  return [&card, op, f](Launch& launch) -> Status {
    auto out = launch.reuse_or_allocate({0}, DType::float32, launch.input(0).shape());
    if (!out) return out.status();
    const auto* from = static_cast<const float*>(launch.input(0).raw());
    auto* to = static_cast<float*>(out->mutable_raw());
    auto count = out->elements();
    card.launch(
        op, std::chrono::milliseconds(1), {{from, out->bytes(), false}, {to, out->bytes(), true}},
        [from, to, count, f] {
          for (int64_t i = 0; i < count; ++i) to[i] = f(from[i]);
          return Status();
        });
    launch.set(0, *std::move(out));
    return {};
  };
}

inline KernelCatalog kernels_of(VirtualCards::Card& card) {
  KernelCatalog catalog;
  catalog.add_compute("Exp", elementwise(card, "Exp", [](float x) { return std::exp(x); }));
  catalog.add_compute("Neg", elementwise(card, "Neg", [](float x) { return -x; }));
  catalog.add("Square", [](const Node& node) -> Result<Kernel> {
    return unimplemented("there is no kernel of the card for any dtype");
  });
  catalog.add_compute("Sqrt", [&card](Launch& launch) {
    card.launch(
        "Sqrt", std::chrono::microseconds(1), {}, [] { return internal("an illegal address"); });
    launch.set(0, launch.take_input(0));
    return Status();
  });
  for (auto* op : {"Exp", "Neg"}) catalog.set_repeats(op, Repeats::as_work);
  return catalog;
}

/// Plans for a device over a virtual card. No thread runs: what a device or a card has to do is
/// done when the test says so.
struct CardFixture : PlanFixture {
  VirtualCards cards{{.memory_bytes = 512 * MiB, .bytes_per_ns = 1}};
  std::deque<std::function<void()>> works;
  std::shared_ptr<Device> host = make_simulated_device(
      {.kernels = std::make_shared<KernelCatalog>(cpu::make_kernel_catalog()),
       .later = [this](std::function<void()> work) { works.push_back(std::move(work)); }});
  std::shared_ptr<VirtualCards::Card> card = cards.add_card();
  std::shared_ptr<accelerator::AcceleratorDevice> device = make(card, 0);

  /// What was fetched and sent lies in memory of the card's driver.
  ~CardFixture() {
    port->fetched = Tensor();
    port->sent.clear();
  }

  std::shared_ptr<accelerator::AcceleratorDevice> make(
      std::shared_ptr<VirtualCards::Card> of, int index, uint64_t limit_bytes = 128 * MiB) {
    return make(of, index, kernels_of(*of), {}, limit_bytes);
  }
  std::shared_ptr<accelerator::AcceleratorDevice> make(
      std::shared_ptr<VirtualCards::Card> of, int index, KernelCatalog kernels,
      accelerator::GraphOptions graphs, uint64_t limit_bytes = 128 * MiB) {
    auto made = accelerator::make_accelerator_device(
        {.index = index,
         .driver = of,
         .kernels = std::move(kernels),
         .host = host,
         .memory = {.limit_bytes = limit_bytes},
         .pinned = {},
         .graphs = std::move(graphs)});
    BOOST_TEST_REQUIRE(made.ok());
    return *std::move(made);
  }

  void run_until_idle() {
    for (int round = 0; round < 100; ++round) {
      cards.run();
      port->run_posted();
      while (!works.empty()) {
        auto work = std::move(works.front());
        works.pop_front();
        work();
      }
    }
  }
  Status run() {
    auto execution = start_plan(*device);
    run_until_idle();
    return done.wait();
  }
  void add_feed(const Shape& shape = {}) {
    add(
        {.name = "feed",
         .op = transfer::arg,
         .attrs = {{"T", DType::float32}, {"index", 0}, {"shape", shape}}});
  }
  static Tensor counted(int64_t elements, float first = 0) {
    auto made = Tensor::allocate(DType::float32, {elements});
    BOOST_TEST_REQUIRE(made.ok());
    for (int64_t i = 0; i < elements; ++i)
      made->mutable_data<float>()[i] = first + static_cast<float>(i % 1000);
    return *made;
  }
  Tensor on_card(const Tensor& value, accelerator::AcceleratorDevice& to) {
    auto copy = to.copy_in(value);
    BOOST_TEST_REQUIRE(copy.ok(), copy.status().to_string());
    return *copy;
  }
  Result<Tensor> fetch(accelerator::AcceleratorDevice& from, const Tensor& value) {
    std::optional<Result<Tensor>> fetched;
    from.copy_to_host(value, [&fetched](Result<Tensor> copy) { fetched = std::move(copy); });
    cards.run();
    BOOST_TEST_REQUIRE(fetched.has_value());
    return *std::move(fetched);
  }
  Tensor run_kernel(accelerator::AcceleratorDevice& on, const char* op, Tensor input) {
    Tensors inputs{std::move(input)}, outputs(1);
    Launch launch(on, {}, inputs, outputs);
    Node node{.op = *graph->catalog().find(op)};
    auto kernel = on.kernels().make(node);
    BOOST_TEST_REQUIRE(kernel.ok());
    BOOST_TEST_REQUIRE(kernel->compute(launch).ok());
    return outputs[0];
  }
};

}  // namespace troupe::testing
