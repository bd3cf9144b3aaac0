//===- ModelSearch.h - Searches that ask a model ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_MODELSEARCH_H
#define GNN_TUNE_MODELSEARCH_H

#include "GNN/Tune/Search.h"

namespace gnn::tune {

/// The search of LO-SpMM (3.5): the first `count` schedules in the order of the
/// model.
std::unique_ptr<Search> createRankedSearch(ModelOrder order, size_t count = 10);

/// The sampling of G-Sparse (III-D): `count` of the first `candidates` in the
/// order of the model, drawn at random.
std::unique_ptr<Search> createSamplingSearch(ModelOrder order, uint64_t seed,
                                             size_t candidates = 20,
                                             size_t count = 3);

/// The options of the genetic search of G-Sparse (III-D).
struct GeneticOptions {
  /// The number of schedules in the search space: the first in the order of the
  /// model.
  size_t candidates = 20;
  size_t population = 16, elite = 6, generations = 3;
  /// The percentage of children that are mutated.
  unsigned mutationPercent = 20;
};

/// The genetic search of G-Sparse (III-D). The fastest schedules of a
/// generation stay. Others are children of two parents, which are drawn with
/// the reciprocals of their times as weights. A child takes each field from one
/// of its parents. A mutation takes one field of another candidate.
///
/// A child that is no candidate becomes the nearest candidate that is not in
/// the generation yet: the distance of two values is that of their places in
/// the order of the field. A candidate that differs in one field is near
/// enough.
std::unique_ptr<Search> createGeneticSearch(ModelOrder order, uint64_t seed,
                                            const GeneticOptions &options = {});

} // namespace gnn::tune

#endif // GNN_TUNE_MODELSEARCH_H
