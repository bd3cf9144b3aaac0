//===- FuseProducts.cpp - Rows read and written by the product ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather in front of a gemm becomes its gather list, what follows row by row
// becomes its epilogue (Hector 3.3.1, 3.4.2).
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Passes.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_FUSEPRODUCTS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// True if the traversal only copies rows: one input, yielded as it is.
static bool isGather(TraverseOp op) {
  Block &body = op.getBody().front();
  return op.getInputs().size() == 1 && op.getOutputs().size() == 1 &&
         op.getDomain().getElements().empty() &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

/// The access from `rows` to where `at` leads from `from`; none if no map does.
static std::optional<AtAttr> through(StringRef rows, StringRef from,
                                     AtAttr at) {
  if (at.getAnchor() == Anchor::All)
    return at;
  StringRef target = at.getSpace().empty() ? from : at.getSpace();
  if (target == rows)
    target = "";
  else if (!hasMap(rows, target))
    return std::nullopt;
  return AtAttr::get(at.getContext(), Anchor::Group, target, at.getHead(),
                     at.getFeature(), at.getOffset());
}

/// Reads what a gather reads instead of what it writes.
static bool fuseGather(GemmOp gemm) {
  auto gather = gemm.getInput().getDefiningOp<TraverseOp>();
  if (!gather || !isGather(gather) || gather.getGraph() != gemm.getGraph())
    return false;
  AtAttr out = gather.getOutputAt(0), in = gather.getInputAt(0);
  AtAttr read = gemm.getInputAt();
  StringRef from = gather.getDomain().getGroups();
  StringRef reads = read.getSpace().empty() ? gemm.getRows() : read.getSpace();
  auto type = cast<ShapedType>(gather.getInputs()[0].getType());
  if (!out.getSpace().empty() || out.getOffset() || read.getOffset() ||
      reads != from || in.getHead() != read.getHead() || !in.getFeature() ||
      in.getAnchor() == Anchor::All ||
      in.getOffset() + gemm.getIn() > type.getShape().back())
    return false;
  std::optional<AtAttr> at = through(gemm.getRows(), from, in);
  if (!at)
    return false;
  gemm.getInputMutable().assign(gather.getInputs()[0]);
  gemm.setInputAtAttr(*at);
  return true;
}

/// The row-wise traversal that alone reads the product, in place.
static TraverseOp epilogueOf(GemmOp gemm) {
  if (gemm->getNumResults() != 1 || !gemm.getResult().hasOneUse() ||
      (gemm.getSchedule() && gemm.getSchedule()->getPinned()))
    return nullptr;
  auto op = dyn_cast<TraverseOp>(*gemm.getResult().user_begin());
  if (!op || op.getOutputs().size() != 1 ||
      !op.getDomain().getElements().empty() ||
      op.getGraph() != gemm.getGraph() ||
      op.getDomain().getFeatures() != gemm.getOut() ||
      op.getDomain().getHeads() != gemm.getHeads() ||
      op.getOutputs()[0] == gemm.getResult())
    return nullptr;
  AtAttr written = gemm.getOutputAt();
  StringRef stored =
      written.getSpace().empty() ? gemm.getRows() : written.getSpace();
  AtAttr out = op.getOutputAt(0);
  auto outType = cast<ShapedType>(op.getOutputs()[0].getType());
  if (op.getDomain().getGroups() != stored ||
      out.getHead() != written.getHead() || !out.getFeature() ||
      out.getOffset() || outType.getShape().back() != gemm.getOut())
    return nullptr;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (input == gemm.getResult() &&
        (!op.getInputAt(i).getSpace().empty() ||
         op.getInputAt(i).getHead() != written.getHead() ||
         !op.getInputAt(i).getFeature()))
      return nullptr;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (isa<ReduceOp, IndexOp>(inner))
      return nullptr;
  return op;
}

static bool fuseEpilogue(IRRewriter &rewriter, GemmOp gemm) {
  TraverseOp op = epilogueOf(gemm);
  if (!op)
    return false;
  StringRef rows = gemm.getRows(), stored = op.getDomain().getGroups();
  SmallVector<Value> extras(gemm.getExtras());
  SmallVector<Attribute> extrasAt(gemm.getExtrasAt().getValue());
  SmallVector<int64_t> numbers;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (input == gemm.getResult()) {
      numbers.push_back(-1);
      continue;
    }
    std::optional<AtAttr> at = through(rows, stored, op.getInputAt(i));
    if (!at)
      return false;
    numbers.push_back(extras.size());
    extras.push_back(input);
    extrasAt.push_back(*at);
  }
  std::optional<AtAttr> outputAt = through(rows, stored, op.getOutputAt(0));
  if (!outputAt)
    return false;
  rewriter.setInsertionPoint(op);
  Location loc = rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()});
  auto fused = GemmOp::create(
      rewriter, loc, op.getOutputs()[0].getType(), gemm.getGraphAttr(),
      gemm.getRowsAttr(), gemm.getTypesAttr(), gemm.getInput(),
      gemm.getWeight(), extras, op.getOutputs()[0], gemm.getInputAt(),
      rewriter.getArrayAttr(extrasAt), *outputAt, gemm.getTransposedAttr(),
      gemm.getScheduleAttr());
  Block &block = fused.getBody().emplaceBlock();
  Block &first = gemm.getBody().front(), &second = op.getBody().front();
  block.addArgument(first.getArgument(0).getType(), loc);
  for (Value extra : extras)
    block.addArgument(getElementTypeOrSelf(extra.getType()), loc);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(first.getArguments(), block.getArguments()))
    mapping.map(from, to);
  for (Operation &inner : first.without_terminator())
    inside.clone(inner, mapping);
  Value product = mapping.lookupOrDefault(first.getTerminator()->getOperand(0));
  for (auto [i, number] : llvm::enumerate(numbers))
    mapping.map(second.getArgument(i),
                number < 0 ? product : Value(block.getArgument(1 + number)));
  for (Operation &inner : second.without_terminator())
    inside.clone(inner, mapping);
  inside.clone(*second.getTerminator(), mapping);
  rewriter.replaceOp(op, fused.getResult());
  rewriter.eraseOp(gemm);
  return true;
}

namespace {
struct FuseProducts : gnn::impl::FuseProductsBase<FuseProducts> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<GemmOp> products;
      getOperation()->walk([&](GemmOp op) { products.push_back(op); });
      for (GemmOp gemm : products) {
        bool gathered = fuseGather(gemm);
        Location loc = gemm.getLoc();
        bool ended = fuseEpilogue(rewriter, gemm);
        if (gathered)
          report(loc, "Gathered", "the product reads the rows it needs");
        if (ended)
          report(loc, "Epilogue", "the product ends with what followed it");
        changed |= gathered || ended;
      }
    }
  }

private:
  void report(Location loc, StringRef name, StringRef text) {
    remark::passed(loc, remark::RemarkOpts::name(name).category(getArgument()))
        << text;
  }
};
} // namespace
