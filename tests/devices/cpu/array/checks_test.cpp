#include <chrono>
#include <iostream>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/devices/cpu/array/captured_text.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(checks)

BOOST_AUTO_TEST_CASE(a_timestamp_is_in_seconds_since_1970) {
  std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  auto shown = run_op("Timestamp", {});
  BOOST_REQUIRE(shown);
  auto seconds = (*shown)[0].value<double>();
  BOOST_TEST((seconds >= now.count() - 1 && seconds <= now.count() + 600));
}

BOOST_AUTO_TEST_CASE(print_writes_its_data_to_the_standard_error) {
  CapturedText captured(std::cerr);
  auto shown =
      show("Print", {vec({1, 2}), vec({3, 4, 5, 6}), Tensor::string("a")}, {{"message", "x: "}});
  BOOST_TEST(shown == "float32[2] [1 2]");
  BOOST_TEST(captured.text() == "x: [3 4 5...][a]\n");
}

BOOST_AUTO_TEST_CASE(print_writes_the_first_times_only) {
  auto device = make_cpu_device();
  Builder b;
  auto x = b.constant(1);
  auto print = b.op("Print", {x, x}, {{"first_n", 2}});
  auto kernel = device->kernels().make(b.graph().node(print.output().node));
  BOOST_REQUIRE(kernel.ok());
  CapturedText captured(std::cerr);
  for (int i = 0; i < 3; ++i) {
    Tensors inputs = {Tensor::scalar(1), Tensor::scalar(i)}, outputs(1);
    Launch launch(*device, {}, inputs, outputs);
    BOOST_TEST(kernel->compute(launch).ok());
  }
  BOOST_TEST(captured.text() == "[0]\n[1]\n");
}

BOOST_AUTO_TEST_CASE(print_v2_writes_to_the_stream_that_it_names) {
  for (auto* name : {"stderr", "stdout", "log(info)", "log(warning)", "log(error)"}) {
    CapturedText out(std::cout), err(std::cerr);
    Attrs attrs = {{"output_stream", name}, {"end", "!"}};
    BOOST_TEST(run_op("PrintV2", {Tensor::string("a")}, attrs).ok());
    BOOST_TEST((name == std::string("stdout") ? out : err).text() == "a!");
    BOOST_TEST((name == std::string("stdout") ? err : out).text() == "");
  }
}

BOOST_AUTO_TEST_CASE(print_v2_appends_to_the_file_that_it_names) {
  TemporaryFolder folder;
  auto print = [&](const std::string& name, const std::string& end) {
    Attrs attrs = {{"output_stream", "file://" + folder / name}, {"end", end}};
    return run_op("PrintV2", {Tensor::string("a")}, attrs).status();
  };
  BOOST_TEST(print("text", "\n").ok());
  BOOST_TEST(print("text", "!").ok());
  auto text = read_file(folder / "text");
  BOOST_REQUIRE(text);
  BOOST_TEST(*text == "a\na!");
  BOOST_TEST((print("missing/text", "").code() == Code::not_found));
  BOOST_TEST((print("", "").code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_placeholder_with_a_default_may_be_fed_another_shape) {
  Builder b;
  auto x =
      b.op("PlaceholderWithDefault", {b.constant(vec({1, 2}))}, {{"shape", Shape::of_rank(1)}});
  auto y = x + x;
  BOOST_TEST(show(run_graph(b, {}, {y})) == "float32[2] [2 4]");
  BOOST_TEST(show(run_graph(b, {{x, vec({1, 2, 3})}}, {y})) == "float32[3] [2 4 6]");
}

BOOST_AUTO_TEST_CASE(there_is_no_gradient_through_prevent_gradient) {
  Builder b;
  auto x = b.constant(1.0f);
  auto y = b.named("y").op("PreventGradient", {x}, {{"message", "it is only a test"}});
  auto derivatives = gradients(b, {y}, {x});
  BOOST_REQUIRE(!derivatives.ok());
  BOOST_TEST((derivatives.status().code() == Code::invalid_argument));
  auto text = derivatives.status().to_string();
  BOOST_TEST(text.find("it is only a test") != std::string::npos, text);
  BOOST_TEST(text.find("'y'") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
