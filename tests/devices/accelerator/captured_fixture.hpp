#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "troupe/tests/devices/accelerator/card_fixture.hpp"

namespace troupe::testing {

/// Steps of one plan on a card that captures pieces, and of the same on one that does not.
struct CapturedFixture : CardFixture {
  bool breaks = false;  // Rsqrt fails on the card
  std::vector<std::string> said;
  std::shared_ptr<accelerator::AcceleratorDevice> gpu = make_gpu({});
  std::shared_ptr<VirtualCards::Card> plain_card = cards.add_card();
  std::shared_ptr<accelerator::AcceleratorDevice> plain =
      make(plain_card, 1, kernels(*plain_card), {.are_kept = false});

  std::shared_ptr<accelerator::AcceleratorDevice> make_gpu(accelerator::GraphOptions options) {
    options.log = [this](const std::string& text) { said.push_back(text); };
    return make(card, 0, kernels(*card), std::move(options));
  }

  KernelCatalog kernels(VirtualCards::Card& of) {
    auto catalog = kernels_of(of);
    catalog.add_compute("AddV2", sum(of));
    // One that does not repeat.
    catalog.add_compute("Sign", elementwise(of, "Sign", [](float x) { return x + 0.5F; }));
    catalog.add_compute("Rsqrt", [this, &of](Launch& launch) {
      of.launch("Rsqrt", std::chrono::microseconds(1), {}, [this] {
        return breaks ? internal("an illegal address") : Status();
      });
      launch.set(0, launch.take_input(0));
      return Status();
    });
    // One that is said to repeat, and does not.
    catalog.add_compute("Log", [](Launch& launch) {
      auto copy = launch.device().copy_in(Tensor::scalar(1.0F));
      launch.set(0, launch.take_input(0));
      return copy.status();
    });
    for (auto* op : {"AddV2", "Rsqrt", "Log"}) catalog.set_repeats(op, Repeats::as_work);
    return catalog;
  }

  static KernelCatalog::Compute sum(VirtualCards::Card& of) {
    return [&of](Launch& launch) -> Status {
      auto out = launch.reuse_or_allocate({0, 1}, DType::float32, launch.input(0).shape());
      if (!out) return out.status();
      const auto* a = static_cast<const float*>(launch.input(0).raw());
      const auto* b = static_cast<const float*>(launch.input(1).raw());
      auto* to = static_cast<float*>(out->mutable_raw());
      auto count = out->elements();
      auto bytes = out->bytes();
      of.launch(
          "AddV2", std::chrono::microseconds(1),
          {{a, bytes, false}, {b, bytes, false}, {to, bytes, true}}, [a, b, to, count] {
            for (int64_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
            return Status();
          });
      launch.set(0, *std::move(out));
      return {};
    };
  }

  /// Nodes "<name>0" to "<name><count - 1>", each of the one before. Returns the last.
  std::string add_chain(const std::string& name, std::string from, int count) {
    for (int i = 0; i < count; ++i) {
      auto next = name + std::to_string(i);
      add({.name = next, .op = i % 2 ? "Exp" : "Neg", .inputs = {from}});
      from = next;
    }
    return from;
  }

  std::shared_ptr<const Plan> compile(accelerator::AcceleratorDevice& on) {
    auto plan = Plan::compile(graph, on, {});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    return *plan;
  }
  static int pieces_of(const Plan& plan) {
    int count = 0;
    for (size_t i = 0; i < plan.items().size(); ++i)
      count += plan.piece_of(static_cast<int32_t>(i)) != nullptr;
    return count;
  }

  Result<Tensor> step(const std::shared_ptr<const Plan>& plan, const Tensor& value) {
    port->fed = value;
    port->fetched = Tensor();
    std::optional<Status> end;
    auto execution = start(plan, port, [&end](const Status& status) { end = status; });
    run_until_idle();
    BOOST_TEST_REQUIRE(end.has_value(), "the step has not ended");
    if (!end->ok()) return *end;
    return port->fetched;
  }
  void check_step(
      const std::shared_ptr<const Plan>& plan, const std::shared_ptr<const Plan>& as,
      const Tensor& value) {
    auto expected = step(as, value);
    auto got = step(plan, value);
    BOOST_TEST_REQUIRE(expected.ok(), expected.status().to_string());
    BOOST_TEST_REQUIRE(got.ok(), got.status().to_string());
    BOOST_TEST(equal(*got, *expected));
    BOOST_TEST_REQUIRE(cards.fault() == "");
  }

  void add_feed_as(const std::string& name, const Shape& shape) {
    add(
        {.name = name,
         .op = transfer::arg,
         .attrs = {{"T", DType::float32}, {"index", 1}, {"shape", shape}}});
  }

  Tensors run_piece_plainly(const Plan& plan, Tensors inputs) {
    for (size_t i = 0; i < plan.items().size(); ++i)
      if (const auto* piece = plan.piece_of(static_cast<int32_t>(i))) {
        Tensors outputs(piece->outputs.size());
        Launch launch(plan.device(), {}, inputs, outputs);
        BOOST_TEST(run_members(*piece, launch, inputs, outputs).ok());
        return outputs;
      }
    return {};
  }
  /// Runs the plan's only piece.
  Tensors run_piece(const Plan& plan, Tensors inputs) {
    for (size_t i = 0; i < plan.items().size(); ++i) {
      const auto* piece = plan.piece_of(static_cast<int32_t>(i));
      if (!piece) continue;
      Tensors outputs(piece->outputs.size());
      Launch launch(plan.device(), {}, inputs, outputs);
      auto status = plan.computes()[i](launch);
      BOOST_TEST_REQUIRE(status.ok(), status.to_string());
      return outputs;
    }
    BOOST_TEST_REQUIRE(false, "the plan has no piece");
    return {};
  }
  bool says(const std::string& text) const {
    return gpu->describe_graphs().find(text) != std::string::npos;
  }
};

}  // namespace troupe::testing
