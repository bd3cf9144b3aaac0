//===- VerifyForm.cpp - The contract at the beginning of a stage ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Stages/Passes.h"

#include "BlockForms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace gnn {
#define GEN_PASS_DEF_VERIFYFORM
#include "GNN/Transforms/Stages/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

llvm::ArrayRef<OptionWord<Form>> OptionWords<Form>::list() {
  static const OptionWord<Form> words[] = {
      {"tensors", Form::Tensors},  {"buffers", Form::Buffers},
      {"blocked", Form::Blocked},  {"loops", Form::Loops},
      {"lanes", Form::Lanes},      {"kernels", Form::Kernels},
      {"binaries", Form::Binaries}};
  return words;
}

static std::optional<Form> getFormOf(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) ||
      llvm::any_of(op->getResultTypes(), isTensor))
    return Form::Tensors;
  if (isa<tile::TileOpInterface>(op))
    return op->getParentOfType<tile::BlocksOp>() ? Form::Blocked
                                                 : Form::Buffers;
  if (auto loop = dyn_cast<tile::BlocksOp>(op))
    return gnn::getFormOf(loop);
  if (isa<gpu::GPUModuleOp>(op))
    return Form::Kernels;
  if (isa<gpu::BinaryOp>(op))
    return Form::Binaries;
  return std::nullopt;
}

/// Whether `op` is what threads of a block do, and nothing else has.
static bool isOfBlock(Operation *op) {
  return isa<tile::TeamsOp, tile::ArrayOp, tile::StageOp, tile::ContractOp,
             tile::LoadRowsOp, tile::StoreRowsOp, tile::WalkOp,
             tile::ParallelOp>(op);
}

/// The first op of the earliest form.
static std::pair<Operation *, std::optional<Form>>
findEarliest(ModuleOp module) {
  std::pair<Operation *, std::optional<Form>> found = {nullptr, std::nullopt};
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<Form> form = getFormOf(op);
    if (form && (!found.first || *form < *found.second))
      found = {op, form};
    bool isFirst = found.second == Form::Tensors;
    return isFirst ? WalkResult::interrupt() : WalkResult::advance();
  });
  // A function that does nothing has a form by its arguments.
  for (auto function : module.getOps<func::FuncOp>())
    if (!found.first && !function.isExternal() &&
        llvm::any_of(function.getArgumentTypes(),
                     llvm::IsaPred<TensorType, FloatType>))
      found = {function, Form::Tensors};
  return found;
}

std::optional<Form> gnn::getForm(ModuleOp module) {
  return findEarliest(module).second;
}

/// The form that a stage takes, and who makes it.
static StringRef describe(Form form) {
  switch (form) {
  case Form::Tensors:
    return "ops on tensors";
  case Form::Buffers:
    return "templates on buffers, as gnn-tile-pipeline makes them";
  case Form::Blocked:
    return "templates in loops over blocks, as gnn-block-pipeline makes them";
  case Form::Loops:
    return "loops and vectors in loops over blocks, as gnn-loops-pipeline "
           "makes them";
  case Form::Lanes:
    return "threads in loops over blocks, as gnn-lanes-pipeline makes them";
  case Form::Kernels:
    return "kernels, as gnn-gpu-pipeline makes them";
  case Form::Binaries:
    return "binaries, as gnn-ptx-pipeline makes them";
  }
  llvm_unreachable("all forms are handled");
}

//===----------------------------------------------------------------------===//
// Orders of rows
//===----------------------------------------------------------------------===//

/// The operands whose rows are those of an op's results; none of templates,
/// which change the order of rows and check that themselves, and of ops with
/// control flow.
static SmallVector<Value> getRowsGivenOn(Operation *op) {
  if (isa<tile::TileOpInterface, CallOpInterface, RegionBranchOpInterface>(op))
    return {};
  SmallVector<Value> operands(op->getOperands());
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    operands = destination.getDpsInputs();
  llvm::erase_if(operands, [](Value operand) {
    return !isa<TensorType>(operand.getType());
  });
  return operands;
}

/// An order that an op takes rows in, and the other one that it gives them in.
static std::optional<std::pair<tile::OrderAttr, tile::OrderAttr>>
findChangeOfOrder(Operation *op) {
  SmallVector<Value> operands = getRowsGivenOn(op);
  if (operands.empty())
    return std::nullopt;
  for (Type type : op->getResultTypes()) {
    if (!isa<TensorType>(type))
      continue;
    tile::OrderAttr given = tile::getOrder(type);
    bool isTaken = !given;
    for (Value operand : operands) {
      tile::OrderAttr taken = tile::getOrder(operand.getType());
      if (taken && taken != given)
        return std::pair(taken, given);
      isTaken |= taken == given;
    }
    if (!isTaken)
      return std::pair(tile::OrderAttr(), given);
  }
  return std::nullopt;
}

/// Emits an error at the first op that is no template and changes the order of
/// rows.
static LogicalResult verifyOrdersKept(ModuleOp module) {
  auto describe = [](InFlightDiagnostic &diag, tile::OrderAttr order) {
    order ? diag << "in the order " << order : diag << "in their natural order";
  };
  WalkResult walk = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto change = findChangeOfOrder(op);
    if (!change)
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError("expected rows ");
    describe(diag, change->first);
    diag << ", as it takes them, got rows ";
    describe(diag, change->second);
    diag << "; only templates change it";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct VerifyForm : gnn::impl::VerifyFormBase<VerifyForm> {
  using VerifyFormBase::VerifyFormBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateExpandDeviceMathPatterns(patterns);
    populateExpandLanesPatterns(patterns);
    for (auto &pattern : patterns.getNativePatterns())
      expanded.insert(*pattern->getRootKind());
    return success();
  }

  void runOnOperation() override {
    auto [op, found] = findEarliest(getOperation());
    if (found && !isTaken(*found)) {
      emitError(op->getLoc()) << "expected " << describe(form) << ", got '"
                              << op->getName() << "'" << ending(op, *found);
      return signalPassFailure();
    }
    if (found == Form::Tensors && failed(verifyOrdersKept(getOperation())))
      return signalPassFailure();
    if (failed(verifyBlocks()) || (!hasMath && findMath()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Loops over blocks may be in a later form than the stage makes of others.
  bool isTaken(Form found) {
    bool isOfBlocks = form >= Form::Blocked && form <= Form::Lanes;
    return isOfBlocks ? found >= form && found <= Form::Lanes : found == form;
  }

  static StringRef ending(Operation *op, Form form) {
    switch (form) {
    case Form::Tensors:
      return " on tensors";
    case Form::Buffers:
      return isOnRange(op) ? " on a range outside of a loop over blocks"
                           : " on buffers";
    case Form::Blocked:
      return isa<tile::BlocksOp>(op) ? " with templates"
                                     : " in a loop over blocks";
    case Form::Loops:
      return " without threads";
    case Form::Lanes:
      return " of threads";
    default:
      return "";
    }
  }

  /// Templates are where passes find them, and each of these loops has
  /// what its form promises.
  LogicalResult verifyBlocks() {
    if (form < Form::Buffers || form > Form::Lanes)
      return success();
    WalkResult walk =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (auto loop = dyn_cast<tile::BlocksOp>(op))
            return failed(verifyBlockForm(loop)) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
          if (isOfBlock(op) && !op->getParentOfType<tile::BlocksOp>()) { // C1
            op->emitOpError("expected a gnn_tile.blocks around what its "
                            "threads do");
            return WalkResult::interrupt();
          }
          if (!isa<tile::TileOpInterface>(op))
            return WalkResult::advance();
          if (!op->getParentOfType<func::FuncOp>()) // C1
            op->emitOpError("expected a template in a func.func of the module");
          else if (isOnRange(op) &&
                   !op->getParentOfType<tile::BlocksOp>()) // C1
            op->emitOpError("expected a loop over blocks around a range");
          else
            return WalkResult::advance();
          return WalkResult::interrupt();
        });
    return failure(walk.wasInterrupted());
  }

  /// Emits an error at an operation that is not expanded; whether there is one.
  bool findMath() {
    return getOperation()
        .walk([&](Operation *op) {
          if (!expanded.contains(op->getName()) || isFastPower(op))
            return WalkResult::advance();
          auto type = dyn_cast<FloatType>(
              getElementTypeOrSelf(op->getOperand(0).getType()));
          if (type && type.getWidth() > 32) // gnn-verify-device-form says more
            return WalkResult::advance();
          emitError(op->getLoc())
              << "expected kernels without operations that a GPU lacks, as "
                 "gnn-math-pipeline makes them, got '"
              << op->getName() << "'";
          return WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  DenseSet<OperationName> expanded;
};
} // namespace
