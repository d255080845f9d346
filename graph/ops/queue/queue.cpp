#include "troupe/graph/ops/queue/queue.hpp"

#include <string>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

// -- the two forms of each op: of a reference, and of a handle

Op with_queue_output(const std::string& name, bool is_reference) {
  if (is_reference) return Op(name).ref_output("handle", DType::string);
  return Op(name + "V2").output("handle", DType::resource);
}

Op with_queue_input(const std::string& name, bool is_reference) {
  if (is_reference) return Op(name).ref_input("handle", DType::string);
  return Op(name + "V2").input("handle", DType::resource);
}

/// In TensorFlow the older forms have a gradient that passes nothing on, and the others none.
Op with_gradient(Op op, bool is_reference) {
  if (is_reference) return std::move(op).gradient(not_differentiable);
  return op;
}

// -- shapes

Status infer_queue(ShapeInference& s) {
  s.set(0, Shape());
  return check_container(s.attr<std::string>("container"));
}

Status infer_queue_reference(ShapeInference& s) {
  s.set(0, {2});
  return check_container(s.attr<std::string>("container"));
}

/// The shapes that the queue's elements have, as far as the node that makes it says; empty where it
/// does not.
Shapes element_shapes(const ShapeInference& s) {
  auto shapes = s.handle_attr<Shapes>("shapes").value_or(Shapes());
  auto dtypes = s.handle_attr<DTypes>("component_types").value_or(DTypes());
  if (shapes.empty() || shapes.size() != dtypes.size()) return {};
  auto count = s.outputs().size();
  if (count == shapes.size() + 1) shapes.insert(shapes.begin(), Shape());  // the priority
  return shapes.size() == count ? shapes : Shapes();
}

Status infer_dequeue(ShapeInference& s) {
  auto shapes = element_shapes(s);
  for (size_t i = 0; i < shapes.size(); ++i) s.set(static_cast<int>(i), shapes[i]);
  return {};
}

/// Rows of that shape; nothing is known of them where its rank is not, or no tensor has one more.
Shape batch_of(const Shape& element, int64_t count) {
  if (!element.has_rank() || element.rank() == Shape::max_rank) return Shape::unknown_rank();
  auto batch = Shape::of_rank(element.rank() + 1);
  batch.set(0, count);
  for (int axis = 0; axis < element.rank(); ++axis) batch.set(axis + 1, element[axis]);
  return batch;
}

void set_batches(ShapeInference& s, int64_t count) {
  auto shapes = element_shapes(s);
  for (size_t i = 0; i < shapes.size(); ++i)
    s.set(static_cast<int>(i), batch_of(shapes[i], count));
}

Status infer_dequeue_up_to(ShapeInference& s) {
  set_batches(s, Shape::unknown);
  return s.need_rank(1, 0);
}

Status infer_dequeue_many(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  auto count = s.constant_ints(1);
  if (count && count->at(0) < 0)
    return invalid_argument(
        "Input 'n' must be >= 0, but is " + std::to_string(count->at(0)));
  set_batches(s, count ? count->at(0) : Shape::unknown);
  return {};
}

/// A negative n of the older op is an error of the step only.
Status infer_dequeue_many_by_reference(ShapeInference& s) {
  auto count = s.constant_ints(1);
  if (count && count->size() == 1 && count->at(0) < 0) return infer_dequeue_up_to(s);
  return infer_dequeue_many(s);
}

// -- ops

/// What all kinds of queues have in common, but for the dtypes and shapes of elements.
Op with_queue_attrs(Op op, bool is_reference) {
  return std::move(op)
      .attr("capacity", -1)
      .attr("container", "")
      .attr("shared_name", "")
      .infer_shape(is_reference ? infer_queue_reference : infer_queue)
      .resource_handle();
}

Op with_elements(Op op) {
  return std::move(op)
      .attr("component_types", AttrType::dtypes)
      .attr_at_least("component_types", 1)
      .attr("shapes", Shapes());
}

void add_queues(OpCatalog& catalog, bool is_reference) {
  auto add = [&](Op op) { catalog.add(with_queue_attrs(std::move(op), is_reference)); };
  constexpr const char* named =
      " The queue is `shared_name` in `container`; without a name only the session can use it.";

  add(with_elements(with_queue_output("FIFOQueue", is_reference))
      .doc(std::string("A queue that gives elements in the order in which they came.") + named));
  add(with_elements(with_queue_output("RandomShuffleQueue", is_reference))
      .doc(std::string("A queue that gives elements in a random order, and while it is open keeps "
                       "`min_after_dequeue` of them.") + named)
      .attr("min_after_dequeue", 0)
      .attr("seed", 0)
      .attr("seed2", 0));
  add(with_elements(with_queue_output("PaddingFIFOQueue", is_reference))
      .doc(std::string("A FIFO queue whose elements may differ in the sizes that `shapes` leaves "
                       "open; a batch pads them with zeros to the largest of it.") + named));
  add(with_queue_output("PriorityQueue", is_reference)
      .doc(std::string("A queue that gives elements in the order of their first component, an "
                       "int64 scalar, smallest first; `component_types` and `shapes` are those of "
                       "the others.") + named)
      .attr("component_types", AttrValue(DTypes()))
      .attr("shapes", AttrType::shapes));
}

void add_enqueues(OpCatalog& catalog, bool is_reference) {
  auto add = [&](const char* name, const char* doc) {
    catalog.add(with_gradient(with_queue_input(name, is_reference), is_reference)
        .doc(doc)
        .inputs("components", "Tcomponents")
        .attr("Tcomponents", AttrType::dtypes)
        .attr_at_least("Tcomponents", 1)
        .attr("timeout_ms", -1)
        .infer_shape(shapes::none())
        .stateful());
  };
  add("QueueEnqueue", "Puts an element into the queue; waits while the queue is full.");
  add("QueueEnqueueMany",
      "Puts the rows of the components into the queue, an element each, as room appears.");
}

void add_dequeues(OpCatalog& catalog, bool is_reference) {
  auto finish = [&](Op op, Op::InferShape infer) {
    catalog.add(with_gradient(std::move(op), is_reference)
        .outputs("components", "component_types")
        .attr("component_types", AttrType::dtypes)
        .attr_at_least("component_types", 1)
        .attr("timeout_ms", -1)
        .infer_shape(std::move(infer))
        .stateful());
  };
  finish(
      with_queue_input("QueueDequeue", is_reference)
          .doc("Takes an element from the queue; waits for one."),
      infer_dequeue);
  finish(
      with_queue_input("QueueDequeueMany", is_reference)
          .doc("Takes n elements from the queue and makes a batch of them; waits for all. "
               "OutOfRange, with the queue as it was, once it is closed and has fewer.")
          .input("n", DType::int32),
      is_reference ? infer_dequeue_many_by_reference : infer_dequeue_many);
  finish(
      with_queue_input("QueueDequeueUpTo", is_reference)
          .doc("As QueueDequeueMany, but takes what is left once the queue is closed and has "
               "fewer.")
          .input("n", DType::int32),
      infer_dequeue_up_to);
}

void add_rest(OpCatalog& catalog, bool is_reference) {
  catalog.add(with_gradient(with_queue_input("QueueClose", is_reference), is_reference)
      .doc("Closes the queue after the enqueues that wait, or cancels these. What is in it can "
           "still be dequeued.")
      .attr("cancel_pending_enqueues", false)
      .infer_shape(shapes::none())
      .stateful());
  catalog.add(with_queue_input("QueueIsClosed", is_reference)
      .doc("Whether the queue has been closed.")
      .output("is_closed", DType::boolean)
      .infer_shape(shapes::scalar())
      .stateful());
  catalog.add(with_gradient(with_queue_input("QueueSize", is_reference), is_reference)
      .doc("The number of elements in the queue.")
      .output("size", DType::int32)
      .infer_shape(shapes::scalar())
      .stateful());
}

}  // namespace

// Queues: bounded sequences of elements, each a tuple of tensors, which containers keep.
void add_queue_ops(OpCatalog& catalog) {
  for (bool is_reference : {true, false}) {
    add_queues(catalog, is_reference);
    add_enqueues(catalog, is_reference);
    add_dequeues(catalog, is_reference);
    add_rest(catalog, is_reference);
  }
  catalog.add(Op("FakeQueue")
      .doc("A reference to the queue of a handle, for ops that take a reference.")
      .input("resource", DType::resource)
      .ref_output("handle", DType::string)
      // Of a vector of two strings in TensorFlow; here a reference is the handle itself.
      .infer_shape(shapes::none())
      .stateful());
}

}  // namespace troupe
