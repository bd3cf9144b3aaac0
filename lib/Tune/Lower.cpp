//===- Lower.cpp - From a program to templates that are tuned -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/AttachGradients.h"
#include "GNN/Target/AttachStatistics.h"
#include "GNN/Target/Compile.h"
#include "GNN/Tune/Tune.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using runtime::ErrorKind;

LogicalResult gnn::tune::lower(ModuleOp module, ArrayRef<NamedGraph> graphs,
                               Place &place, ErrorKind &kind) {
  ErrorKind wrong = ErrorKind::Option;
  if (failed(attachStatistics(module, graphs, &wrong)) ||
      failed(attachGradients(module, place.options.gradients)) ||
      failed(checkOptions(module, place.options))) {
    kind = wrong;
    return failure();
  }
  place.graphs = mapGraphs(module, graphs);
  return lowerToTemplates(module, place.options, /*choosesSchedules=*/false);
}
