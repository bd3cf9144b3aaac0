//===- OutlinePrepare.cpp - What is computed before a program -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlayForms.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYOUTLINEPREPARE
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

/// Whether `op` is part of a program: a layer, a layout of a weight, or a view
/// of rows of nodes.
static bool isOfProgram(Operation &op) {
  if (isa_and_nonnull<overlay::OverlayDialect>(op.getDialect()))
    return true;
  return isa<ReshapeOp, RebindRowsOp>(op) &&
         getRowSpace(op.getResult(0).getType()) == RowSpace::Node;
}

static std::string nameOf(func::FuncOp func, unsigned argument) {
  auto name = func.getArgAttrOfType<StringAttr>(argument, attribute::name);
  return name ? name.str() : defaultInputName(argument);
}

namespace {
/// The ops of a function that are computed before its program.
struct Outline {
  SetVector<Operation *> ops;
  /// Arguments of the function, and values of the ops that others read.
  SetVector<Value> arguments, results;
};

struct OverlayOutlinePrepare
    : gnn::impl::OverlayOutlinePrepareBase<OverlayOutlinePrepare> {
  void runOnOperation() override {
    if (failed(overlay::verifyForm(getOperation(), OverlayForm::Layers)))
      return signalPassFailure();
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (overlay::hasLayers(func) && failed(outline(func)))
        return signalPassFailure();
  }

  /// Whether `op` is one of `ops`, or in a region of one.
  static bool isInside(Operation *op, const SetVector<Operation *> &ops) {
    while (op && !ops.contains(op))
      op = op->getParentOp();
    return op;
  }

  FailureOr<Outline> find(func::FuncOp func) {
    Outline outline;
    SetVector<Operation *> &moved = outline.ops;
    // Views of what is computed before are computed before, too.
    auto isMoved = [&](Operation &op) {
      return !isOfProgram(op) ||
             (isa<ReshapeOp, RebindRowsOp>(op) &&
              moved.contains(op.getOperand(0).getDefiningOp()));
    };
    for (Operation &op : func.front().without_terminator()) {
      if (!isMoved(op))
        continue;
      SetVector<Value> operands;
      operands.insert(op.operand_begin(), op.operand_end());
      getUsedValuesDefinedAbove(op.getRegions(), operands);
      for (Value operand : operands) {
        if (isa<BlockArgument>(operand))
          outline.arguments.insert(operand);
        else if (!moved.contains(operand.getDefiningOp()))
          return op.emitOpError("expected values that no layer computes");
      }
      moved.insert(&op);
    }
    for (Operation *op : outline.ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !isInside(user, outline.ops);
            }))
          outline.results.insert(result);
    return outline;
  }

  LogicalResult outline(func::FuncOp func) {
    FailureOr<Outline> found = find(func);
    if (failed(found))
      return failure();
    if (found->ops.empty()) {
      refused(getArgument(), func.getLoc())
          << "no computation comes before the program";
      return success();
    }
    OpBuilder builder(func);
    SmallVector<Type> inputs, results;
    for (Value argument : found->arguments)
      inputs.push_back(argument.getType());
    for (Value result : found->results)
      results.push_back(result.getType());
    std::string name = (func.getSymName() + ".prepare").str();
    if (Operation *other = getOperation().lookupSymbol(name))
      return emitError(other->getLoc())
             << "@" << name << " has the name of what is computed before @"
             << func.getSymName();
    StringSet<> names;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      names.insert(nameOf(func, i));
    auto prepare = func::FuncOp::create(
        builder, func.getLoc(), name, builder.getFunctionType(inputs, results));
    Block *body = prepare.addEntryBlock();
    IRMapping map;
    for (auto [i, argument] : llvm::enumerate(found->arguments)) {
      map.map(argument, body->getArgument(i));
      unsigned number = cast<BlockArgument>(argument).getArgNumber();
      if (DictionaryAttr attrs = func.getArgAttrDict(number))
        prepare.setArgAttrs(i, attrs);
    }
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    for (Operation *op : found->ops)
      inside.clone(*op, map);
    SmallVector<Value> returned;
    unsigned next = 0;
    for (auto [i, result] : llvm::enumerate(found->results)) {
      returned.push_back(map.lookup(result));
      while (!names.insert(("prepare." + Twine(next)).str()).second)
        ++next; // an argument has it
      auto named = builder.getStringAttr("prepare." + Twine(next));
      prepare.setResultAttr(i, attribute::name, named);
      unsigned number = func.getNumArguments();
      if (failed(func.insertArgument(
              number, result.getType(),
              builder.getDictionaryAttr(
                  builder.getNamedAttr(attribute::name, named)),
              result.getLoc())))
        return failure();
      Value(result).replaceUsesWithIf(
          func.getArgument(number), [&](OpOperand &use) {
            return !isInside(use.getOwner(), found->ops);
          });
    }
    func::ReturnOp::create(inside, func.getLoc(), returned);
    for (Operation *op : llvm::reverse(found->ops.getArrayRef()))
      op->erase();
    passed(getArgument(), func.getLoc(), "Outlined")
        << counted(found->results.size(), "value") +
               " computed before the program";
    return success();
  }
};
} // namespace
