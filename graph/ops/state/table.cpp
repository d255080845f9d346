#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

/// Fails unless keys and values of those dtypes are those of the table whose handle is input 0.
Status check_table(const ShapeInference& s, DType keys, DType values) {
  auto wrong = [](const char* what, DType held, DType given) {
    return invalid_argument(
        std::string("the table's ") + what + " are " + to_string(held) + ", not " +
        to_string(given));
  };
  auto key_dtype = s.handle_attr<DType>("key_dtype");
  if (key_dtype && *key_dtype != keys) return wrong("keys", *key_dtype, keys);
  auto value_dtype = s.handle_attr<DType>("value_dtype");
  if (value_dtype && *value_dtype != values) return wrong("values", *value_dtype, values);
  return {};
}

/// The shape of the values of the table whose handle is input 0; nothing where the graph does not
/// tell which table that is.
std::optional<Shape> value_shape(const ShapeInference& s) {
  // Keys of a dense table may be vectors.
  if (!s.handle_attr<DType>("key_dtype") || s.handle_attr<int64_t>("initial_num_buckets"))
    return std::nullopt;
  return s.handle_attr<Shape>("value_shape").value_or(Shape());
}

/// The shape of the keys and that of a value behind it, as far as the graph tells.
Shape shape_of_values(const ShapeInference& s, const Shape& keys) {
  auto value = value_shape(s);
  if (!value || !value->has_rank() || !keys.has_rank()) return Shape::unknown_rank();
  auto sizes = std::vector<int64_t>(keys.sizes().begin(), keys.sizes().end());
  sizes.insert(sizes.end(), value->sizes().begin(), value->sizes().end());
  auto shape = Shape::make(sizes);  // none has so many dimensions: an error of the step
  return shape ? *shape : Shape::unknown_rank();
}

/// A handle is a scalar of dtype resource, or a reference to a vector of two strings.
Status need_handle(const ShapeInference& s) {
  if (s.input_dtype(0) == DType::resource) return s.need_rank(0, 0);
  return s.need_rank(0, 1);
}

Status need_at_most_a_vector(const ShapeInference& s, int input) {
  if (s.input(input).rank() <= 1) return {};
  return invalid_argument(
      "input " + std::to_string(input) + " must have at most rank 1, but is " +
      s.input(input).to_string());
}

Status infer_find(ShapeInference& s) {
  if (auto status = need_handle(s); !status.ok()) return status;
  if (auto status = need_at_most_a_vector(s, 2); !status.ok()) return status;
  s.set(0, shape_of_values(s, s.input(1)));
  if (auto value = value_shape(s))
    if (auto merged = s.input(2).merge(*value); !merged) return merged.status();
  return check_table(s, s.attr<DType>("Tin"), s.attr<DType>("Tout"));
}

Status infer_export(ShapeInference& s) {
  if (auto status = need_handle(s); !status.ok()) return status;
  auto keys = Shape::of_rank(1);
  s.set(0, keys);
  s.set(1, shape_of_values(s, keys));
  return check_table(s, s.attr<DType>("Tkeys"), s.attr<DType>("Tvalues"));
}

/// Of the ops that take keys and their values.
Status infer_store(ShapeInference& s, const char* keys, const char* values) {
  if (auto status = need_handle(s); !status.ok()) return status;
  auto wanted = shape_of_values(s, s.input(1));
  if (auto merged = wanted.merge(s.input(2)); !merged) return merged.status();
  return check_table(s, s.attr<DType>(keys), s.attr<DType>(values));
}

/// Keys are a vector where a table is filled as a whole.
Status infer_fill(ShapeInference& s, const char* keys, const char* values) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  return infer_store(s, keys, values);
}

// -- the two forms of each op: of a reference, and of a handle

Op with_table_output(const std::string& name, bool is_reference) {
  if (is_reference) return Op(name).ref_output("table_handle", DType::string);
  return Op(name + "V2").output("table_handle", DType::resource);
}

Op with_table_input(const std::string& name, bool is_reference) {
  if (is_reference) return Op(name).ref_input("table_handle", DType::string);
  return Op(name + "V2").input("table_handle", DType::resource);
}

Op as_table(Op op, bool is_reference) {
  return std::move(op)
      .attr("container", "")
      .attr("shared_name", "")
      .attr("use_node_name_sharing", false)
      .attr("key_dtype", AttrType::dtype)
      .attr("value_dtype", AttrType::dtype)
      .infer_shape([is_reference](ShapeInference& s) {
        s.set(0, is_reference ? Shape{2} : Shape());
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle();
}

void add_tables(OpCatalog& catalog, bool is_reference) {
  constexpr const char* named =
      " It is `shared_name` in `container`. Without a shared_name it has the node's name if "
      "use_node_name_sharing is set; else only the session can use it.";
  catalog.add(as_table(
      with_table_output("HashTable", is_reference)
          .doc(std::string("A table that is filled once, before it is used.") + named),
      is_reference));
  catalog.add(as_table(
      with_table_output("MutableHashTable", is_reference)
          .doc(std::string("A table that changes, at first empty.") + named),
      is_reference));
  catalog.add(as_table(
      with_table_output("MutableHashTableOfTensors", is_reference)
          .doc(std::string("A table that changes, at first empty, whose values are vectors of "
                           "`value_shape`.") + named)
          .attr("value_shape", Shape()),
      is_reference));
}

void add_dense_table(OpCatalog& catalog) {
  auto op = with_table_output("MutableDenseHashTable", /*is_reference=*/false)
                .doc("A table that changes, at first empty, in buckets whose number is a power of "
                     "two. Keys, and `value_shape`, are scalars or vectors; the two keys are "
                     "constants that no key may be. It has a name as other tables.")
                .input("empty_key", "key_dtype")
                .input("deleted_key", "key_dtype")
                .attr("value_shape", Shape())
                .attr("initial_num_buckets", 1 << 17)
                .attr("max_load_factor", 0.8F);
  catalog.add(as_table(std::move(op), /*is_reference=*/false));
}

void add_reading_ops(OpCatalog& catalog, bool is_reference) {
  catalog.add(with_table_input("LookupTableFind", is_reference)
      .doc("The value of each key, or the default where the table does not have the key.")
      .input("keys", "Tin")
      .input("default_value", "Tout")
      .output("values", "Tout")
      .attr("Tin", AttrType::dtype)
      .attr("Tout", AttrType::dtype)
      .infer_shape(infer_find)
      .stateful());
  catalog.add(with_table_input("LookupTableSize", is_reference)
      .doc("The number of keys in the table.")
      .output("size", DType::int64)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return need_handle(s);
      })
      .stateful());
  catalog.add(with_table_input("LookupTableExport", is_reference)
      .doc("All keys, and the value of each.")
      .output("keys", "Tkeys")
      .output("values", "Tvalues")
      .attr("Tkeys", AttrType::dtype)
      .attr("Tvalues", AttrType::dtype)
      .infer_shape(infer_export)
      .stateful());
}

void add_writing_ops(OpCatalog& catalog, bool is_reference) {
  auto add = [&](const char* name, const char* doc, auto infer) {
    catalog.add(with_table_input(name, is_reference)
        .doc(doc)
        .input("keys", "Tin")
        .input("values", "Tout")
        .attr("Tin", AttrType::dtype)
        .attr("Tout", AttrType::dtype)
        .infer_shape([infer](ShapeInference& s) { return infer(s, "Tin", "Tout"); })
        .stateful());
  };
  add("LookupTableInsert", "Gives each key its value. Of equal keys the last one counts.",
      infer_store);
  add("LookupTableImport", "Replaces all that the table has by these keys and values.",
      infer_store);
}

void add_initializing_ops(OpCatalog& catalog, bool is_reference) {
  catalog.add(with_table_input("InitializeTable", is_reference)
      .doc("Fills a table that is filled once. Nothing happens where it has as many entries; "
           "another number of them is an error.")
      .input("keys", "Tkey")
      .input("values", "Tval")
      .attr("Tkey", AttrType::dtype)
      .attr("Tval", AttrType::dtype)
      .infer_shape([](ShapeInference& s) { return infer_fill(s, "Tkey", "Tval"); })
      .stateful());
  catalog.add(with_table_input("InitializeTableFromTextFile", is_reference)
      .doc("Fills a table that is filled once from the lines of a file, unless it is filled. Key "
           "and value are the columns of that index, between `delimiter`s; -2 is the whole line, "
           "-1 its number, from 0. Only the first `vocab_size` lines count, and the file must have "
           "them; -1 stands for all.")
      .input("filename", DType::string)
      .attr("key_index", AttrType::integer)
      .attr_at_least("key_index", -2)
      .attr("value_index", AttrType::integer)
      .attr_at_least("value_index", -2)
      .attr("vocab_size", -1)
      .attr_at_least("vocab_size", -1)
      .attr("delimiter", "\t")
      .infer_shape([](ShapeInference& s) {
        if (auto status = need_handle(s); !status.ok()) return status;
        return s.need_rank(1, 0);
      })
      .stateful());
}

}  // namespace

// Hash tables: each key is one element. The handle makes the table, if there is none.
void add_table_ops(OpCatalog& catalog) {
  for (bool is_reference : {true, false}) {
    add_tables(catalog, is_reference);
    add_reading_ops(catalog, is_reference);
    add_writing_ops(catalog, is_reference);
    add_initializing_ops(catalog, is_reference);
  }
  add_dense_table(catalog);
  catalog.add(with_table_input("LookupTableRemove", /*is_reference=*/false)
      .doc("Removes the keys with their values. Keys that the table does not have are ignored.")
      .input("keys", "Tin")
      .attr("Tin", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        if (auto status = need_handle(s); !status.ok()) return status;
        auto values = s.handle_attr<DType>("value_dtype").value_or(DType::invalid);
        return check_table(s, s.attr<DType>("Tin"), values);
      })
      .stateful());
}

}  // namespace troupe
