//===- Words.h - Enumerators of the overlay as text -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that the IR, reports and messages have for the enumerators of
// instructions and programs.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_WORDS_H
#define GNN_OVERLAY_WORDS_H

#include "GNN/Overlay/Program.h"

#include <optional>
#include <string_view>

namespace gnn::overlay {

/// An enumerator and its word.
template <typename Enum> struct Word {
  Enum value;
  const char *text;
};

/// The words of an enumeration.
template <typename Enum> struct Words;

template <> struct Words<LayerType> {
  static constexpr Word<LayerType> list[] = {
      {LayerType::Aggregate, "aggregate"},
      {LayerType::Linear, "linear"},
      {LayerType::VectorInner, "vector_inner"},
      {LayerType::VectorAdd, "vector_add"},
      {LayerType::Activation, "activation"},
      {LayerType::BatchNorm, "batch_norm"}};
};

template <> struct Words<Aggregation> {
  static constexpr Word<Aggregation> list[] = {{Aggregation::None, "none"},
                                               {Aggregation::Max, "max"},
                                               {Aggregation::Sum, "sum"},
                                               {Aggregation::Min, "min"},
                                               {Aggregation::Mean, "mean"}};
};

template <> struct Words<ActivationKind> {
  static constexpr Word<ActivationKind> list[] = {
      {ActivationKind::None, "none"},     {ActivationKind::Relu, "relu"},
      {ActivationKind::Prelu, "prelu"},   {ActivationKind::Swish, "swish"},
      {ActivationKind::Exp, "exp"},       {ActivationKind::Sigmoid, "sigmoid"},
      {ActivationKind::Divide, "divide"}, {ActivationKind::Affine, "affine"}};
};

template <> struct Words<Space> {
  static constexpr Word<Space> list[] = {{Space::Weights, "weight"},
                                         {Space::Edges, "edge"},
                                         {Space::Features, "feature"}};
};

template <> struct Words<InitValue> {
  static constexpr Word<InitValue> list[] = {{InitValue::Zero, "zero"},
                                             {InitValue::Lowest, "lowest"},
                                             {InitValue::Highest, "highest"},
                                             {InitValue::Bias, "bias"}};
};

template <> struct Words<BufferBit> {
  static constexpr Word<BufferBit> list[] = {{WeightBit, "weight"},
                                             {EdgeBit, "edge"},
                                             {FeatureBit, "feature"},
                                             {OutputBit, "output"}};
};

template <> struct Words<RegionKind> {
  static constexpr Word<RegionKind> list[] = {
      {RegionKind::Features, "features"},
      {RegionKind::Weights, "weights"},
      {RegionKind::Row, "row"},
      {RegionKind::Affine, "affine"},
      {RegionKind::Edges, "edges"}};
};

template <> struct Words<RegionRole> {
  static constexpr Word<RegionRole> list[] = {
      {RegionRole::Input, "input"},
      {RegionRole::Output, "output"},
      {RegionRole::Temporary, "temporary"}};
};

/// The word of an enumerator; "?" of a number that is none.
template <typename Enum> constexpr const char *toWord(Enum value) {
  for (const Word<Enum> &word : Words<Enum>::list)
    if (word.value == value)
      return word.text;
  return "?";
}

/// The enumerator of a word.
template <typename Enum>
constexpr std::optional<Enum> fromWord(std::string_view text) {
  for (const Word<Enum> &word : Words<Enum>::list)
    if (word.text == text)
      return word.value;
  return std::nullopt;
}

} // namespace gnn::overlay

#endif // GNN_OVERLAY_WORDS_H
