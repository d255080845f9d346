#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/data/dataset_op.hpp"
#include "troupe/graph/ops/data/optionals.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

Status infer_iterator(ShapeInference& s) {
  s.set(0, Shape());
  return check_container(s.attr<std::string>("container"));
}

void add_handle_ops(OpCatalog& catalog) {
  for (const auto* name : {"Iterator", "IteratorV2"})
    catalog.add(with_element_attrs(
        Op(name)
            .doc("A handle of the iterator `shared_name` in `container`, over a dataset that "
                 "MakeIterator\ngives it.")
            .output("handle", DType::resource)
            .attr("shared_name", AttrType::string)
            .attr("container", AttrType::string)
            .infer_shape(infer_iterator)
            .resource_handle()));
  catalog.add(with_element_attrs(
      Op("OneShotIterator")
          .doc("A handle of an iterator over the dataset that the function makes, once.")
          .output("handle", DType::resource)
          .attr("dataset_factory", AttrType::function)
          .attr("container", "")
          .attr("shared_name", "")
          .infer_shape(infer_iterator)
          .resource_handle()));
}

void add_string_handle_ops(OpCatalog& catalog) {
  catalog.add(Op("IteratorToStringHandle")
      .doc("A text that stands for the iterator on its device.")
      .input("resource_handle", DType::resource)
      .output("string_handle", DType::string)
      .infer_shape(shapes::scalar())
      .stateful());
  for (const auto* name : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"})
    catalog.add(Op(name)
        .doc("A handle of the iterator for which the text stands.")
        .input("string_handle", DType::string)
        .output("resource_handle", DType::resource)
        .attr("output_types", AttrValue(DTypes()))
        .attr("output_shapes", Shapes())
        .infer_shape([](ShapeInference& s) {
          s.set(0, Shape());
          return s.need_rank(0, 0);
        })
        .stateful());
}

void add_iterator_state_ops(OpCatalog& catalog) {
  catalog.add(Op("IteratorSerializeState")
      .doc("Where the iterator is, for IteratorRestoreState.")
      .input("iterator", DType::resource)
      .output("state", DType::string)
      .infer_shape(shapes::scalar())
      .stateful());
  catalog.add(Op("IteratorRestoreState")
      .doc("Lets the iterator go on where one over the same dataset was when "
           "IteratorSerializeState\nreturned the state: at once, or from the next MakeIterator on "
           "where it has not begun.\nThe elements before that place are computed again, and left "
           "out.")
      .input("iterator", DType::resource)
      .input("state", DType::string)
      .infer_shape([](ShapeInference& s) { return s.need_rank(1, 0); })
      .stateful());
}

void add_multi_device_ops(OpCatalog& catalog) {
  catalog.add(with_element_attrs(
      Op("MultiDeviceIterator")
          .doc("A handle of the iterators `shared_name` in `container`, one for each device, over "
               "a\ndataset that MultiDeviceIteratorInit gives them.")
          .output("handle", DType::resource)
          .attr("devices", AttrType::strings)
          .attr_at_least("devices", 1)
          .attr("shared_name", AttrType::string)
          .attr("container", AttrType::string)
          .infer_shape(infer_iterator)
          .resource_handle()));
  catalog.add(Op("MultiDeviceIteratorInit")
      .doc("Lets the iterators begin with the elements of the dataset: element i is of device i "
           "modulo\ntheir number. At most so many are computed before a device asks for them. "
           "Returns what\nMultiDeviceIteratorGetNextFromShard tells this beginning by.")
      .input("dataset", DType::variant)
      .input("multi_device_iterator", DType::resource)
      .input("max_buffer_size", DType::int64)
      .output("incarnation_id", DType::int64)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return s.need_rank(2, 0);
      })
      .stateful());
  catalog.add(with_element_attrs(
      Op("MultiDeviceIteratorGetNextFromShard")
          .doc("The next element of that device. OutOfRange at the end of the dataset.")
          .input("multi_device_iterator", DType::resource)
          .input("shard_num", DType::int32)
          .input("incarnation_id", DType::int64)
          .outputs("components", "output_types")
          .infer_shape([](ShapeInference& s) -> Status {
            for (int i : {1, 2})
              if (auto status = s.need_rank(i, 0); !status.ok()) return status;
            return infer_components(s);
          })
          .stateful()));
}

}  // namespace

void add_iterators_ops(OpCatalog& catalog) {
  add_handle_ops(catalog);
  add_string_handle_ops(catalog);
  add_iterator_state_ops(catalog);
  catalog.add(Op("MakeIterator")
      .doc("Lets the iterator begin with the first element of the dataset.")
      .input("dataset", DType::variant)
      .input("iterator", DType::resource)
      .infer_shape(shapes::none())
      .stateful());
  for (const auto* name : {"IteratorGetNext", "IteratorGetNextSync"})
    catalog.add(with_element_attrs(
        Op(name)
            .doc("The next element. OutOfRange at the end of the dataset.")
            .input("iterator", DType::resource)
            .outputs("components", "output_types")
            .infer_shape(infer_components)
            .stateful()));
  catalog.add(with_element_attrs(
      Op("DatasetToSingleElement")
          .doc("The element of a dataset that has just one.")
          .input("dataset", DType::variant)
          .outputs("components", "output_types")
          .infer_shape(infer_components)
          .stateful()));
  for (const auto* name : {"DatasetToTFRecord", "ExperimentalDatasetToTFRecord"})
    catalog.add(Op(name)
        .doc("Writes the elements of a dataset, string scalars, to a TFRecord file.")
        .input("input_dataset", DType::variant)
        .input("filename", DType::string)
        .input("compression_type", DType::string)
        .infer_shape(shapes::none())
        .stateful());
  add_multi_device_ops(catalog);
  add_optionals_ops(catalog);
}

}  // namespace troupe
