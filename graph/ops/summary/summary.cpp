#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

void add_number_summaries(OpCatalog& catalog) {
  catalog.add(Op("ScalarSummary")
      .doc("A summary of numbers, each with its tag.")
      .input("tags", DType::string)
      .input("values", "T")
      .output("summary", DType::string)
      .attr("T", real())
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
  catalog.add(Op("HistogramSummary")
      .doc("A summary of how many of the values are in each bucket. Fails where one is not finite.")
      .input("tag", DType::string)
      .input("values", "T")
      .output("summary", DType::string)
      .attr("T", real(), DType::float32)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
}

/// `sample_rate` is an attribute of the first version, and an input of the second one.
void add_sound_summary(OpCatalog& catalog, bool has_rate_input) {
  auto op = Op(has_rate_input ? "AudioSummaryV2" : "AudioSummary")
      .doc("A summary of the first sounds, [batch, frames, channels] or [batch, frames], whose "
           "values from -1 to 1 become samples of 16 bits, `sample_rate` frames per second.")
      .input("tag", DType::string)
      .input("tensor", DType::float32);
  if (has_rate_input) std::move(op).input("sample_rate", DType::float32);
  std::move(op).output("summary", DType::string);
  if (!has_rate_input) std::move(op).attr("sample_rate", AttrType::real);
  catalog.add(std::move(op)
      .attr("max_outputs", 3)
      .attr_at_least("max_outputs", 1)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
}

void add_tensor_summaries(OpCatalog& catalog) {
  catalog.add(Op("ImageSummary")
      .doc("A summary of the first images [batch, height, width, channels], of 1, 3 or 4 channels. "
           "Floats are scaled into the range of a byte: to its upper end if none is negative, else "
           "around its middle; a pixel that is not finite gets the color `bad_color`.")
      .input("tag", DType::string)
      .input("tensor", "T")
      .output("summary", DType::string)
      .attr("max_images", 3)
      .attr_at_least("max_images", 1)
      .attr("T", {DType::uint8, DType::float32, DType::float16, DType::float64}, DType::float32)
      .attr("bad_color", Tensor::of<uint8_t>({4}, {255, 0, 0, 255}))
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
  catalog.add(Op("TensorSummary")
      .doc("A summary of a tensor, under the name of the node. The attributes have no effect.")
      .input("tensor", "T")
      .output("summary", DType::string)
      .attr("T", all_dtypes())
      .attr("description", "")
      .attr("labels", std::vector<std::string>{})
      .attr("display_name", "")
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
  catalog.add(Op("TensorSummaryV2")
      .doc("A summary of a tensor, with the bytes of a SummaryMetadata.")
      .input("tag", DType::string)
      .input("tensor", "T")
      .input("serialized_summary_metadata", DType::string)
      .output("summary", DType::string)
      .attr("T", all_dtypes())
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
}

}  // namespace

void add_summary_ops(OpCatalog& catalog) {
  add_number_summaries(catalog);
  add_tensor_summaries(catalog);
  for (auto has_rate_input : {false, true}) add_sound_summary(catalog, has_rate_input);
  catalog.add(Op("MergeSummary")
      .doc("The values of all summaries. Fails where two of them have the same tag.")
      .inputs("inputs", DType::string, "N")
      .output("summary", DType::string)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
}

}  // namespace troupe
