// Convolutions of 16-bit floats, and their epilogues.
#include <gtest/gtest.h>

#include <mutex>

#include "codegen/product/convolution.h"
#include "tests/codegen/product/convolution_case.h"
#include "tests/support/same_bits.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

// Convolutions of bfloat16 are those of float, rounded: by a product with one, which rounds once.
std::vector<std::uint16_t> rounded(const std::vector<float>& values) {
  std::vector<std::uint16_t> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof(bits));
    result[i] = static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
  }
  return result;
}

TEST(HalfConvolution, IsTheFloatConvolutionRoundedOnceAndSoAreItsGradients) {
  for (Convolution c : convolution_cases()) {
    c.dtype = Dtype::bfloat16;
    const ConvolutionOperands<std::uint16_t> o(c);
    const auto wide = [](const Array4<std::uint16_t>& array) {
      return [&array](Index a, Index b, Index i, Index j) {
        return bfloat_to_float(array(a, b, i, j));
      };
    };
    std::vector<std::uint16_t> forward(o.gradient.values.size());
    run_convolution(c, o.input.values.data(), o.weight.values.data(), forward.data());
    EXPECT_EQ(forward, rounded(canonical::convolution<float>(c, wide(o.input), wide(o.weight))))
        << text(c);
    std::vector<std::uint16_t> input(o.input.values.size());
    run_convolution_input_gradient(c, o.gradient.values.data(), o.weight.values.data(),
                                   input.data());
    EXPECT_EQ(input, rounded(canonical::convolution_input_gradient<float>(c, wide(o.gradient),
                                                                          wide(o.weight))))
        << text(c);
    std::vector<std::uint16_t> weight(o.weight.values.size());
    run_convolution_weight_gradient(c, o.input.values.data(), o.gradient.values.data(),
                                    weight.data());
    EXPECT_EQ(weight, rounded(canonical::convolution_weight_gradient<float>(c, wide(o.input),
                                                                            wide(o.gradient))))
        << text(c);
  }
}

struct Context {
  Index channels = 0;
  Index positions = 0;
  mutable std::vector<float> stored;
  mutable std::vector<int> visits;
  mutable std::mutex mutex;
};

// Adds the channel's number and stores the doubled sum elsewhere.
void add_and_store(const void* context, const ProductTile& tile) {
  const auto& c = *static_cast<const Context*>(context);
  const std::lock_guard lock(c.mutex);
  for (Index i = 0; i < tile.rows; ++i) {
    for (Index j = 0; j < tile.cols; ++j) {
      const auto at = static_cast<std::size_t>(
          (tile.batch * c.channels + tile.row + i) * c.positions + tile.col + j);
      float& value = static_cast<float*>(tile.data)[i * tile.row_stride + j];
      value += static_cast<float>(tile.row + i);
      c.stored.at(at) = 2 * value;
      ++c.visits.at(at);
    }
  }
}

void prepare(Context& context, Index channels, Index positions, std::size_t size) {
  context.channels = channels;
  context.positions = positions;
  context.stored.assign(size, 0);
  context.visits.assign(size, 0);
}

// The epilogue's effect on plain results.
std::vector<float> with_channel_added(std::vector<float> values, Index channels, Index positions) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += static_cast<float>(static_cast<Index>(i) / positions % channels);
  }
  return values;
}

template <class Run>
void check_epilogue(Run run, const std::vector<float>& plain, Index channels, Index positions) {
  const auto expected = with_channel_added(plain, channels, positions);
  Context context;
  Epilogue epilogue{add_and_store, &context, false};
  prepare(context, channels, positions, plain.size());
  std::vector<float> result(plain.size());
  run(result.data(), epilogue);
  EXPECT_EQ(count_different(result, expected), 0U);
  EXPECT_EQ(context.visits, std::vector<int>(plain.size(), 1));
  prepare(context, channels, positions, plain.size());
  epilogue.stores = true;
  run(nullptr, epilogue);
  std::vector<float> doubled = expected;
  for (float& value : doubled) {
    value *= 2;
  }
  EXPECT_EQ(count_different(context.stored, doubled), 0U);
  EXPECT_EQ(context.visits, std::vector<int>(plain.size(), 1));
}

TEST(ConvolutionEpilogue, SeesEachElementOnceForwardAndForTheInputGradient) {
  for (const int threads : {1, 2}) {
    const ThreadsSetting setting(threads);
    for (const Convolution& c : convolution_cases()) {
      const ConvolutionOperands<float> o(c);
      SCOPED_TRACE(text(c));
      check_epilogue(
          [&](float* to, const Epilogue& epilogue) {
            run_convolution(c, o.input.values.data(), o.weight.values.data(), to, epilogue);
          },
          canonical::convolution<float>(c, o.input, o.weight), c.out_channels,
          c.out_rows * c.out_cols);
      check_epilogue(
          [&](float* to, const Epilogue& epilogue) {
            run_convolution_input_gradient(c, o.gradient.values.data(), o.weight.values.data(), to,
                                           epilogue);
          },
          canonical::convolution_input_gradient<float>(c, o.gradient, o.weight), c.in_channels,
          c.in_rows * c.in_cols);
    }
  }
}

}  // namespace
}  // namespace rondo::codegen
