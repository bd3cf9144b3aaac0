//===- ReadThroughCopies.cpp - Read what is copied ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy that stays in its row has the numbers of the original at the same row:
// whatever reads it reads that, wherever it is.
//
//===----------------------------------------------------------------------===//

#include "ReadThroughCopies.h"

#include "TraversalUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn::tile;

/// Whether a traversal only copies features of its own row, or of what is the
/// same for all, to a tensor of their own.
static bool isCopyOfFeatures(TraverseOp op) {
  if (op.getInputs().size() != 1 || op.getNumResults() != 1 ||
      op.getSchedule() || !staysInRows(op))
    return false;
  Block &body = op.getBody().front();
  AtAttr in = op.getInputAt(0), out = op.getOutputAt(0);
  auto from = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto to = cast<RankedTensorType>(op.getOutputs()[0].getType());
  bool isWhole = !out.getOffset() && !out.getColumn() && !in.getColumn() &&
                 (!out.getFeature() ||
                  to.getShape().back() == op.getDomain().getFeatures());
  return body.getTerminator()->getOperand(0) == body.getArgument(0) &&
         isWhole && out.getAnchor() == Anchor::Group &&
         op.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() &&
         (in.getAnchor() == Anchor::All ||
          from.getEncoding() == to.getEncoding());
}

/// The access of a reader of a copy to what is copied; none if it takes other
/// dimensions of the copy.
static std::optional<AtAttr> throughCopy(TraverseOp copy, AtAttr read) {
  AtAttr in = copy.getInputAt(0), out = copy.getOutputAt(0);
  if (read.getHead() != out.getHead() ||
      read.getFeature() != out.getFeature() || read.getColumn())
    return std::nullopt;
  bool isForAll = in.getAnchor() == Anchor::All;
  return AtAttr::get(
      read.getContext(), isForAll ? Anchor::All : read.getAnchor(),
      isForAll ? RowDomain() : read.getSpace(), in.getHead(), in.getFeature(),
      in.getFeature() ? in.getOffset() + read.getOffset() : 0);
}

static bool mayReadThrough(TraverseOp copy, TraverseOp reader) {
  AtAttr in = copy.getInputAt(0), out = copy.getOutputAt(0);
  // A value that is reduced over a dimension is to have it.
  bool repeats =
      in.getHead() != out.getHead() || in.getFeature() != out.getFeature();
  if (reader.getSchedule() || reader.getGraphAttr() != copy.getGraphAttr() ||
      (repeats && reducesLanes(reader)))
    return false;
  for (auto [i, input] : llvm::enumerate(reader.getInputs()))
    if (input.getDefiningOp() == copy &&
        !throughCopy(copy, reader.getInputAt(i)))
      return false;
  return true;
}

/// Makes `reader` read what `copy` copies.
static void readOriginal(TraverseOp copy, TraverseOp reader) {
  SmallVector<Attribute> accesses(reader.getInputsAt().getValue());
  for (OpOperand &input : reader.getInputsMutable()) {
    if (input.get().getDefiningOp() != copy)
      continue;
    unsigned number = input.getOperandNumber();
    accesses[number] = *throughCopy(copy, reader.getInputAt(number));
    input.set(copy.getInputs()[0]);
  }
  reader.setInputsAtAttr(ArrayAttr::get(copy.getContext(), accesses));
}

bool gnn::tile::readThroughCopies(
    Operation *root,
    function_ref<void(TraverseOp copy, TraverseOp reader)> changed) {
  SmallVector<TraverseOp> copies;
  root->walk([&](TraverseOp op) {
    if (isCopyOfFeatures(op))
      copies.push_back(op);
  });
  bool found = false;
  for (TraverseOp copy : copies) {
    SmallVector<TraverseOp> consumers = getConsumers(copy->getResult(0));
    if (consumers.empty() || !llvm::all_of(consumers, [&](TraverseOp reader) {
          return mayReadThrough(copy, reader);
        }))
      continue;
    for (TraverseOp reader : consumers) {
      readOriginal(copy, reader);
      changed(copy, reader);
    }
    copy.erase();
    found = true;
  }
  return found;
}
