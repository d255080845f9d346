#pragma once

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::testing {

/// A model whose layer is a function: 2 w on the parameter server, times x on the worker. The loss
/// is layer(w, layer(w, x)) = 4 w^2 x, with w = 3 at first.
struct FunctionModel {
  explicit FunctionModel(const Builder& builder) : b(builder) {
    auto ps = b.on("/job:ps/task:0");
    w = ps.variable("w", ps.constant(3.0f));
    layer = b.function(
        "layer", {{"w", DType::float32, Shape()}, {"x", DType::float32, Shape()}},
        [](const Builder& in, const Values& arguments) {
          auto two = in.on("/job:ps/task:0").named("twice").add(arguments[0], arguments[0]);
          return Values{in.on("/job:worker/task:0").named("product").mul(two, arguments[1])};
        });
    x = b.on("/job:worker/task:0").named("x").placeholder(DType::float32, {});
    weight = w.value();
    first = b.named("first").call(layer, {weight, x})[0];
    loss = b.named("second").call(layer, {weight, first})[0];
    auto made = gradients(b, {loss}, {w.handle});
    if (!made) {
      b.fail(made.status());
      return;
    }
    gradient = (*made)[0];
    train = ps.after({loss}).op("AssignSubVariableOp", {w.handle, gradient});
    initialize = b.initializer();
  }

  Builder b;
  Variable w;
  FunctionRef layer;
  Value x, weight, first, loss, gradient, train, initialize;
};

}  // namespace troupe::testing
