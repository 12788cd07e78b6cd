#include "core/ops/scatter.h"

#include "core/base/error.h"
#include "core/ops/create.h"
#include "core/ops/memory.h"
#include "core/ops/reshape.h"
#include "core/tensor/copy.h"

namespace rondo {
namespace {

/// The part of `whole` that a slice_scatter replaces.
ViewGeometry replaced_slice(const OpArgs& args, const Tensor& whole) {
  ViewGeometry geometry;
  Slice::view({args.op, {&whole, 1}, args.attrs}, geometry);
  return geometry;
}

ViewGeometry replaced_strided(const OpArgs& args, const Tensor& whole) {
  ViewGeometry geometry;
  AsStrided::view({args.op, {&whole, 1}, args.attrs}, geometry);
  return geometry;
}

void check_source(const OpArgs& args, const Shape& part) {
  const Tensor& input = args.inputs[0];
  const Tensor& src = args.inputs[1];
  check<ShapeError>(src.shape() == part, "{}: src is {}; the part that it replaces is {}",
                    args.op.name, src.shape(), part);
  check<DtypeError>(src.dtype() == input.dtype(), "{}: src is {}; expected {} as input",
                    args.op.name, dtype_name(src.dtype()), dtype_name(input.dtype()));
}

void replace(const OpArgs& args, const Tensor& output, const ViewGeometry& part) {
  copy_elements(output, detail::stored(args.inputs[0]));
  copy_elements(
      Tensor::view_of(output.storage(), part.shape, part.strides, part.offset, output.dtype()),
      detail::stored(args.inputs[1]));
}

}  // namespace

void SliceScatter::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const ViewGeometry part = replaced_slice(args, args.inputs[0]);
  check_source(args, part.shape);
  outputs.push_back({args.inputs[0].shape(), args.inputs[0].dtype()});
}

void SliceScatter::run(const OpArgs& args, std::span<Tensor> outputs) {
  replace(args, outputs[0], replaced_slice(args, outputs[0]));
}

void SliceScatter::gradient(GradContext& g) {
  const auto part = [&](const Tensor& t) {
    return slice(t, g.attr("dim"), g.attr("start"), g.attr("end"), g.attr("step"));
  };
  const Tensor src = part(g.grad());
  g.set("src", src);
  if (g.needs("input")) {
    g.set("input", slice_scatter(g.grad(), zeros(src.shape(), src.dtype()), g.attr("dim"),
                                 g.attr("start"), g.attr("end"), g.attr("step")));
  }
}

void AsStridedScatter::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor whole = Tensor::empty(args.inputs[0].shape(), args.inputs[0].dtype());
  check_source(args, replaced_strided(args, whole).shape);
  outputs.push_back({args.inputs[0].shape(), args.inputs[0].dtype()});
}

void AsStridedScatter::run(const OpArgs& args, std::span<Tensor> outputs) {
  replace(args, outputs[0], replaced_strided(args, outputs[0]));
}

void AsStridedScatter::gradient(GradContext& g) {
  const Tensor whole = contiguous(g.grad());
  const Tensor src = as_strided(whole, g.attr("size"), g.attr("stride"), g.attr("storage_offset"));
  g.set("src", src);
  if (g.needs("input")) {
    g.set("input", as_strided_scatter(whole, zeros(src.shape(), src.dtype()), g.attr("size"),
                                      g.attr("stride"), g.attr("storage_offset")));
  }
}

}  // namespace rondo
