#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/linalg/diagonal_band.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"

namespace troupe {
namespace {

/// The diagonals that a constant input names; nothing if it is not known yet. Without the input,
/// the main one.
Result<std::optional<DiagonalBand>> known_diagonals(const ShapeInference& s, int input) {
  if (input >= s.input_count()) return std::optional(DiagonalBand{});
  if (s.input(input).rank() > 1)
    return invalid_argument(
        "'k' must be a scalar or vector of integers, but is " + s.input(input).to_string());
  auto given = s.constant_ints(input);
  if (!given) return std::optional<DiagonalBand>();
  auto band = DiagonalBand::of(*given);
  if (!band) return band.status();
  return std::optional(*band);
}

/// A size that an input gives, -1 for none; nothing if it is not known yet.
std::optional<int64_t> known_matrix_size(const ShapeInference& s, int input) {
  if (input >= s.input_count()) return Shape::unknown;
  auto given = s.constant_ints(input);
  return given && !given->empty() ? std::optional(given->front()) : std::nullopt;
}

Status infer_matrix_diag(ShapeInference& s) {
  for (int i = 2; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  auto band = known_diagonals(s, 1);
  if (!band || !*band) return band.status();
  auto rows = known_matrix_size(s, 2), columns = known_matrix_size(s, 3);
  if (!rows || !columns) return {};
  auto shape = (*band)->matrices_of(s.input(0), *rows, *columns);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_matrix_diag_part(ShapeInference& s) {
  if (s.input_count() > 2)
    if (auto status = s.need_rank(2, 0); !status.ok()) return status;
  auto band = known_diagonals(s, 1);
  if (!band || !*band) return band.status();
  auto shape = (*band)->diagonals_of(s.input(0));
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_matrix_set_diag(ShapeInference& s) {
  if (s.input(0).has_rank() && s.input(0).rank() < 2)
    return invalid_argument("input 0 must have at least rank 2, but is " + s.input(0).to_string());
  s.set(0, s.input(0));
  auto band = known_diagonals(s, 2);
  if (!band || !*band) return band.status();
  auto expected = (*band)->diagonals_of(s.input(0));
  if (!expected) return expected.status();
  if (!expected->is_compatible_with(s.input(1)))
    return invalid_argument(
        "the diagonals of " + s.input(0).to_string() + " have the shape " +
        expected->to_string() + ", not " + s.input(1).to_string());
  return {};
}

/// The versions of an op on diagonals: "" knows the main one only, "V2" others too, "V3" also how
/// they are aligned.
struct DiagonalForm {
  const char* suffix;
  bool has_band;
  bool has_align;

  std::string name(const char* op) const { return std::string(op) + suffix; }
  Attrs attrs(const Gradient& g) const {
    if (!has_align) return {};
    return {{"align", g.node().attr<std::string>("align")}};
  }
  Op&& finish(Op&& op) const {
    if (!has_align) return std::move(op);
    return std::move(op).attr(
        "align", "RIGHT_LEFT", {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"});
  }
  /// The diagonals of `matrices` that input `k` names.
  Value part(const Gradient& g, const Value& matrices, int k) const {
    Values inputs = {matrices};
    if (has_band) inputs.insert(inputs.end(), {g.in(k), g.like(matrices, 0)});
    return g.op(name("MatrixDiagPart"), inputs, attrs(g));
  }
  Value set(const Gradient& g, const Value& matrices, const Value& diagonals, int k) const {
    Values inputs = {matrices, diagonals};
    if (has_band) inputs.push_back(g.in(k));
    return g.op(name("MatrixSetDiag"), inputs, attrs(g));
  }
};

Op matrix_diag(const DiagonalForm& form) {
  auto op = Op(form.name("MatrixDiag"))
                .doc(form.has_band
                         ? "Matrices of num_rows by num_cols (-1: as few as there can be) with "
                           "the diagonals k, or k[0] to k[1], that the last axes of `diagonal` "
                           "hold from the upper to the lower one; else of `padding_value`."
                         : "Matrices with the last axis of `diagonal` on the main diagonal, and "
                           "zeros.")
                .input("diagonal", "T");
  if (form.has_band)
    std::move(op)
        .input("k", DType::int32)
        .input("num_rows", DType::int32)
        .input("num_cols", DType::int32)
        .input("padding_value", "T");
  return form.finish(std::move(op)
      .output("output", "T")
      .attr("T", all_plain())
      .infer_shape(infer_matrix_diag)
      .gradient([form](Gradient& g) {
        if (g.wants(0)) g.to_input(0, form.part(g, g.dy(), 1));
      }));
}

Op matrix_diag_part(const DiagonalForm& form) {
  auto op = Op(form.name("MatrixDiagPart"))
                .doc(form.has_band
                         ? "The diagonals k, or k[0] to k[1], of matrices, from the upper to the "
                           "lower one; the shorter ones are filled up with `padding_value`."
                         : "The main diagonals of matrices.")
                .input("input", "T");
  if (form.has_band) std::move(op).input("k", DType::int32).input("padding_value", "T");
  return form.finish(std::move(op)
      .output("diagonal", "T")
      .attr("T", all_plain())
      .infer_shape(infer_matrix_diag_part)
      .gradient([form](Gradient& g) {
        if (g.wants(0)) g.to_input(0, form.set(g, g.zeros_like(g.in(0)), g.dy(), 1));
      }));
}

Op matrix_set_diag(const DiagonalForm& form) {
  auto op = Op(form.name("MatrixSetDiag"))
                .doc(form.has_band
                         ? "Matrices whose diagonals k, or k[0] to k[1], are replaced by those "
                           "that `diagonal` holds from the upper to the lower one."
                         : "Matrices whose main diagonals are replaced by `diagonal`.")
                .input("input", "T")
                .input("diagonal", "T");
  if (form.has_band) std::move(op).input("k", DType::int32);
  return form.finish(std::move(op)
      .output("output", "T")
      .attr("T", all_plain())
      .infer_shape(infer_matrix_set_diag)
      .gradient([form](Gradient& g) {
        if (g.wants(0)) g.to_input(0, form.set(g, g.dy(), g.zeros_like(g.in(1)), 2));
        if (g.wants(1)) g.to_input(1, form.part(g, g.dy(), 2));
      }));
}

Status infer_band_part(ShapeInference& s) {
  for (int i : {1, 2})
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  if (s.input(0).has_rank() && s.input(0).rank() < 2)
    return invalid_argument("input 0 must have at least rank 2, but is " + s.input(0).to_string());
  for (int i : {1, 2}) {
    auto given = s.constant_ints(i);
    auto most = linalg::size_from_end(s.input(0), i == 1 ? 2 : 1);
    if (given && most >= 0 && given->front() > most)
      return invalid_argument(
          std::string(i == 1 ? "'num_lower'" : "'num_upper'") + " must be at most " +
          std::to_string(most) + ", but is " + std::to_string(given->front()));
  }
  s.set(0, s.input(0));
  return {};
}

void add_band_part(OpCatalog& catalog) {
  catalog.add(Op("MatrixBandPart")
      .doc("Matrices with zeros but for `num_lower` diagonals below and `num_upper` above the "
           "main one, which stays; negative: all.")
      .input("input", "T")
      .input("num_lower", "Tindex")
      .input("num_upper", "Tindex")
      .output("band", "T")
      .attr("T", all_plain())
      .attr("Tindex", indexing(), DType::int64)
      .infer_shape(infer_band_part)
      .gradient([](Gradient& g) {
        if (g.wants(0)) g.to_input(0, g.op("MatrixBandPart", {g.dy(), g.in(1), g.in(2)}));
      }));
}

/// One of the two ops between a tensor and one of twice its rank, each the gradient of the other.
Op diag_form(
    const char* name, const char* inverse, const char* doc, const char* from, const char* to,
    Result<Shape> (*infer)(const Shape&)) {
  return Op(name)
      .doc(doc)
      .input(from, "T")
      .output(to, "T")
      .attr("T", all_plain())
      .infer_shape([infer](ShapeInference& s) {
        auto shape = infer(s.input(0));
        if (shape) s.set(0, *shape);
        return shape.status();
      })
      .gradient([inverse](Gradient& g) { g.to_input(0, g.op(inverse, {g.dy()})); });
}

}  // namespace

void add_diagonals_ops(OpCatalog& catalog) {
  for (auto form :
       {DiagonalForm{"", false, false}, DiagonalForm{"V2", true, false},
        DiagonalForm{"V3", true, true}}) {
    catalog.add(matrix_diag(form));
    catalog.add(matrix_diag_part(form));
    catalog.add(matrix_set_diag(form));
  }
  add_band_part(catalog);
  catalog.add(diag_form(
      "Diag", "DiagPart",
      "A tensor of twice the rank with the elements where both halves of an index are the same, "
      "and zeros.",
      "diagonal", "output", outer_diagonal));
  catalog.add(diag_form(
      "DiagPart", "Diag", "The elements at which both halves of an index are the same.", "input",
      "diagonal", diagonal_part));
}

}  // namespace troupe
