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

/// Of LookupTableInsertV2 and LookupTableImportV2.
Status infer_store(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  auto merged = s.input(1).merge(s.input(2));
  if (!merged) return merged.status();
  return check_table(s, s.attr<DType>("Tin"), s.attr<DType>("Tout"));
}

void add_reading_ops(OpCatalog& catalog) {
  catalog.add(Op("LookupTableFindV2")
      .doc("The value of each key, or the default where the table does not have the key.")
      .input("table_handle", DType::resource)
      .input("keys", "Tin")
      .input("default_value", "Tout")
      .output("values", "Tout")
      .attr("Tin", AttrType::dtype)
      .attr("Tout", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(0, 0); !status.ok()) return status;
        if (auto status = s.need_rank(2, 0); !status.ok()) return status;
        s.set(0, s.input(1));
        return check_table(s, s.attr<DType>("Tin"), s.attr<DType>("Tout"));
      })
      .stateful());

  catalog.add(Op("LookupTableSizeV2")
      .doc("The number of keys in the table.")
      .input("table_handle", DType::resource)
      .output("size", DType::int64)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return s.need_rank(0, 0);
      })
      .stateful());

  catalog.add(Op("LookupTableExportV2")
      .doc("All keys, and the value of each.")
      .input("table_handle", DType::resource)
      .output("keys", "Tkeys")
      .output("values", "Tvalues")
      .attr("Tkeys", AttrType::dtype)
      .attr("Tvalues", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1}) s.set(i, Shape::of_rank(1));
        if (auto status = s.need_rank(0, 0); !status.ok()) return status;
        return check_table(s, s.attr<DType>("Tkeys"), s.attr<DType>("Tvalues"));
      })
      .stateful());
}

void add_writing_ops(OpCatalog& catalog) {
  catalog.add(Op("LookupTableInsertV2")
      .doc("Gives each key its value. Of equal keys the last one counts.")
      .input("table_handle", DType::resource)
      .input("keys", "Tin")
      .input("values", "Tout")
      .attr("Tin", AttrType::dtype)
      .attr("Tout", AttrType::dtype)
      .infer_shape(infer_store)
      .stateful());

  catalog.add(Op("LookupTableImportV2")
      .doc("Replaces all that the table has by these keys and values.")
      .input("table_handle", DType::resource)
      .input("keys", "Tin")
      .input("values", "Tout")
      .attr("Tin", AttrType::dtype)
      .attr("Tout", AttrType::dtype)
      .infer_shape(infer_store)
      .stateful());

  catalog.add(Op("LookupTableRemoveV2")
      .doc("Removes the keys with their values. Keys that the table does not have are ignored.")
      .input("table_handle", DType::resource)
      .input("keys", "Tin")
      .attr("Tin", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(0, 0); !status.ok()) return status;
        auto values = s.handle_attr<DType>("value_dtype").value_or(DType::invalid);
        return check_table(s, s.attr<DType>("Tin"), values);
      })
      .stateful());
}

}  // namespace

// Hash tables: each key and each value is one element. The handle makes the table, if there is
// none.
void add_table_ops(OpCatalog& catalog) {
  catalog.add(Op("MutableHashTableV2")
      .doc("A handle of the hash table `shared_name` in `container`, which is made empty. Without "
           "a shared_name it has the node's name if use_node_name_sharing is set; else only the "
           "session can use it.")
      .output("table_handle", DType::resource)
      .attr("container", "")
      .attr("shared_name", "")
      .attr("use_node_name_sharing", false)
      .attr("key_dtype", AttrType::dtype)
      .attr("value_dtype", AttrType::dtype)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle());

  add_reading_ops(catalog);
  add_writing_ops(catalog);
}

}  // namespace troupe
