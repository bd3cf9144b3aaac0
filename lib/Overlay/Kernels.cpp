//===- Kernels.cpp - What a processing element computes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace gnn::overlay;
using namespace gnn::runtime;

static Error expectRows(uint64_t rows, uint64_t present, const char *where) {
  if (rows <= present)
    return {};
  return failure("expected at most ", present, " rows, as are in ", where,
                 ", got ", rows);
}

Error Element::execute(const Init &init) {
  output.onEdges = init.onEdges;
  output.rows = init.count;
  bool isLowest = init.value == uint64_t(InitValue::Lowest);
  bool isHighest = init.value == uint64_t(InitValue::Highest);
  float value = isLowest    ? -std::numeric_limits<float>::infinity()
                : isHighest ? std::numeric_limits<float>::infinity()
                            : 0;
  output.isExtreme = (isLowest || isHighest) && !init.onEdges;
  if (init.onEdges) {
    std::fill_n(output.words.begin(), program.parameters.edges, value);
    return {};
  }
  bool isBias = init.value == uint64_t(InitValue::Bias);
  uint64_t address = init.address * addressUnit;
  if (isBias)
    if (Error error = checkMemory(address, biasBytes(init, program.n1)))
      return error;
  std::vector<float> row(columns);
  std::fill_n(row.begin(), init.width, value);
  for (uint64_t i = 0; i < init.count; ++i) {
    if (isBias && i % program.n1 == 0)
      std::copy_n(words(address + i / program.n1 * addressUnit), init.width,
                  row.begin());
    std::copy(row.begin(), row.end(), output.words.begin() + i * columns);
  }
  std::fill_n(output.touched.begin(), init.count, 0);
  return {};
}

Error Element::execute(const Gemm &gemm) {
  const Weights &weight = weights[buffer & 1];
  const Features &feature = features[buffer & 1];
  uint64_t length =
      lengthAt(*current, gemm.length, layer->in, columns, iteration);
  if (Error error = expectRows(gemm.rows, feature.rows, "the feature buffer"))
    return error;
  uint64_t first = gemm.fiber * program.n1, tile = gemm.fiber * columns;
  if (Error error = expectRows(first + gemm.rows, output.rows, "the output"))
    return error;
  if (Error error = expectRows(tile + length, weight.rows, "the weight buffer"))
    return error;
  for (uint64_t row = 0; row < gemm.rows; ++row) {
    float *to = output.words.data() + (first + row) * columns;
    const float *from = feature.words.data() + row * columns;
    if (!gemm.accumulate)
      std::fill_n(to, gemm.columns, 0.0f);
    for (uint64_t k = 0; k < length; ++k) {
      const float *by = weight.words.data() + (tile + k) * columns;
      for (uint64_t column = 0; column < gemm.columns; ++column)
        to[column] += from[k] * by[column];
    }
    output.touched[first + row] = 1;
  }
  return {};
}

Error Element::execute(const Spdmm &spdmm) {
  const Edges &half = edges[buffer & 1];
  const Features &feature = features[buffer & 1];
  auto count = countOf(half, spdmm.edges);
  if (!count)
    return count.takeError();
  if (*count)
    if (Error error = checkBlock(feature, half.block, "sources"))
      return error;
  auto bases = basesOf(half, *count);
  if (!bases)
    return bases.takeError();
  auto kind = static_cast<Aggregation>(spdmm.aggregation);
  for (uint64_t i = 0; i < *count; ++i) {
    const Edge &edge = half.list[i];
    uint64_t src = edge.src - bases->src, dst = edge.dst - bases->dst;
    if (Error error = expectRows(src + 1, feature.rows, "the feature buffer"))
      return error;
    if (Error error = expectRows(dst + 1, output.rows, "the output"))
      return error;
    const float *from = feature.words.data() + src * columns;
    float *to = output.words.data() + dst * columns;
    output.touched[dst] = 1;
    // Results that are no numbers stay, for the check of stores to find.
    for (uint64_t column = 0; column < spdmm.width; ++column) {
      float value = edge.weight * from[column];
      if (kind == Aggregation::Max)
        to[column] = value > to[column] || value != value ? value : to[column];
      else if (kind == Aggregation::Min)
        to[column] = value < to[column] || value != value ? value : to[column];
      else
        to[column] += value;
    }
  }
  return {};
}

Error Element::execute(const Sddmm &sddmm) {
  const Edges &half = edges[lastEdges];
  const Features &ofDst = features[buffer & 1];
  const Features &ofSrc = features[(buffer & 1) ^ 1];
  uint64_t width =
      lengthAt(*current, sddmm.width, layer->in, columns, iteration);
  auto count = countOf(half, sddmm.edges);
  if (!count)
    return count.takeError();
  auto bases = basesOf(half, *count);
  if (!bases)
    return bases.takeError();
  if (*count) {
    if (Error error = checkBlock(ofSrc, half.block, "sources"))
      return error;
    if (Error error = checkBlock(ofDst, *shard, "destinations"))
      return error;
  }
  if (!output.onEdges)
    return failure("expected weights of edges in the output, got rows");
  for (uint64_t i = 0; i < *count; ++i) {
    const Edge &edge = half.list[i];
    uint64_t src = edge.src - bases->src, dst = edge.dst - bases->dst;
    if (Error error = expectRows(src + 1, ofSrc.rows, "the feature buffer"))
      return error;
    if (Error error = expectRows(dst + 1, ofDst.rows, "the feature buffer"))
      return error;
    const float *x = ofSrc.words.data() + src * columns;
    const float *y = ofDst.words.data() + dst * columns;
    float sum = sddmm.accumulate ? output.words[i] : 0;
    for (uint64_t column = 0; column < width; ++column)
      sum += x[column] * y[column];
    output.words[i] = sum;
  }
  return {};
}

Error Element::execute(const Vadd &vadd) {
  for (const Features &feature : features)
    if (Error error = expectRows(vadd.rows, feature.rows, "a feature buffer"))
      return error;
  if (current->lock) {
    output.rows = vadd.rows;
    output.onEdges = output.isExtreme = false;
  }
  if (Error error = expectRows(vadd.rows, output.rows, "the output"))
    return error;
  for (uint64_t row = 0; row < vadd.rows; ++row) {
    float *to = output.words.data() + row * columns;
    std::fill_n(to, columns, 0.0f);
    output.touched[row] = 1;
    for (uint64_t column = 0; column < vadd.width; ++column)
      to[column] = features[0].words[row * columns + column] +
                   features[1].words[row * columns + column];
  }
  return {};
}

namespace {
/// A function of one element.
class Function {
public:
  explicit Function(const Act &act)
      : kind(static_cast<ActivationKind>(act.kind)) {
    auto bits = static_cast<uint32_t>(act.parameter);
    std::memcpy(&slope, &bits, sizeof slope);
  }

  float operator()(float value) const {
    double wide = value;
    switch (kind) {
    case ActivationKind::Relu:
      return value < 0 ? 0 : value;
    case ActivationKind::Prelu:
      return value < 0 ? slope * value : value;
    case ActivationKind::Swish:
      return static_cast<float>(wide / (1 + std::exp(-wide)));
    case ActivationKind::Exp:
      return static_cast<float>(std::exp(wide));
    case ActivationKind::Sigmoid:
      return static_cast<float>(1 / (1 + std::exp(-wide)));
    default:
      return value;
    }
  }

private:
  ActivationKind kind;
  float slope;
};
} // namespace

Error Element::execute(const Act &act) {
  return act.onEdges ? activateEdges(act) : activateRows(act);
}

Error Element::activateEdges(const Act &act) {
  const Edges &half = edges[buffer == outputBuffer ? lastEdges : buffer];
  auto count = countOf(half, act.count);
  if (!count)
    return count.takeError();
  if (buffer != outputBuffer) {
    output.onEdges = true;
    output.isExtreme = false;
    output.rows = 0;
    for (uint64_t i = 0; i < *count; ++i)
      output.words[i] = half.list[i].weight;
  }
  if (!output.onEdges)
    return failure("expected weights of edges in the output, got rows");
  Function function(act);
  for (uint64_t i = 0; i < *count; ++i)
    output.words[i] = function(output.words[i]);
  return {};
}

Error Element::activateRows(const Act &act) {
  bool isInPlace = buffer == outputBuffer;
  const Features *from = isInPlace ? nullptr : &features[buffer];
  if (isInPlace && output.onEdges)
    return failure("expected rows in the output, got weights of edges");
  if (from) {
    if (Error error = expectRows(act.count, from->rows, "the feature buffer"))
      return error;
    output.rows = act.count;
    output.onEdges = output.isExtreme = false;
    std::copy_n(from->words.begin(), act.count * columns, output.words.begin());
  }
  if (Error error = expectRows(act.count, output.rows, "the output"))
    return error;
  settle();
  float *out = output.words.data();
  auto kind = static_cast<ActivationKind>(act.kind);
  if (kind == ActivationKind::Affine) {
    uint64_t address = act.parameter * addressUnit;
    if (Error error = checkMemory(address, 2 * addressUnit))
      return error;
    const float *scale = words(address), *shift = scale + columns;
    for (uint64_t row = 0; row < act.count; ++row)
      for (uint64_t column = 0; column < columns; ++column) {
        float &value = out[row * columns + column];
        value = value * scale[column] + shift[column];
      }
    return {};
  }
  if (kind == ActivationKind::Divide) {
    const Features *by = from ? &features[buffer ^ 1] : nullptr;
    if (by)
      if (Error error = expectRows(act.count, by->rows, "the feature buffer"))
        return error;
    for (uint64_t row = 0; row < act.count; ++row) {
      uint64_t place = row * columns + act.parameter;
      float divisor = by ? by->words[place] : out[place];
      for (uint64_t column = 0; column < columns; ++column) {
        float &value = out[row * columns + column];
        value = divisor == 0 ? 0 : value / divisor;
      }
    }
    return {};
  }
  Function function(act);
  for (uint64_t i = 0; i < act.count * columns; ++i)
    out[i] = function(out[i]);
  return {};
}
