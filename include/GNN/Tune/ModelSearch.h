//===- ModelSearch.h - Searches that ask a model ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_MODELSEARCH_H
#define GNN_TUNE_MODELSEARCH_H

#include "GNN/Tune/Search.h"

namespace gnn::tune {

/// LO-SpMM (3.5): the first `count` schedules by the model.
std::unique_ptr<Search> createRankedSearch(ModelOrder order, size_t count = 10);

/// G-Sparse (III-D): `count` of the first `candidates` by the model, at random.
std::unique_ptr<Search> createSamplingSearch(ModelOrder order, uint64_t seed,
                                             size_t candidates = 20,
                                             size_t count = 3);

/// The genetic search of G-Sparse (III-D).
struct GeneticOptions {
  /// The first so many by the model are what there is.
  size_t candidates = 20;
  size_t population = 16, elite = 6, generations = 3;
  /// Children that are mutated, of 100.
  unsigned mutationPercent = 20;
};

/// Schedules of a population are bred: the fastest stay, others are children of
/// two parents, drawn by the reciprocals of their times, with each field of one
/// of them; a mutation takes one field of another candidate. A child that is no
/// candidate becomes the nearest that is not in the generation yet, by the
/// places of values in the order of each field; one that differs in one field
/// is near enough.
std::unique_ptr<Search> createGeneticSearch(ModelOrder order, uint64_t seed,
                                            const GeneticOptions &options = {});

} // namespace gnn::tune

#endif // GNN_TUNE_MODELSEARCH_H
