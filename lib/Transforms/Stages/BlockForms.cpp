//===- BlockForms.cpp - The forms of loops over blocks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that each form has, and those that it has not. The description of
// gnn-verify-form holds the labels that the comments below refer to.
//
//===----------------------------------------------------------------------===//

#include "BlockForms.h"
#include "../Lanes/LaneForms.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// The most elements that one lane holds as a vector: a core's registers have
/// no more.
static constexpr int64_t mostOfLane = 16;

Form gnn::getFormOf(BlocksOp loop) {
  bool hasTemplates =
      loop.getBody()
          ->walk([](TileOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (hasTemplates)
    return Form::Blocked;
  return loop.getThreads() ? Form::Lanes : Form::Loops;
}

bool gnn::isOnRange(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<TraverseOp, GemmOp, OuterOp>([](auto op) { return op.isOnRange(); })
      .Default([](Operation *) { return false; });
}

/// Checks all ops in a loop, up to the first error.
static LogicalResult
verifyAll(BlocksOp loop,
          llvm::function_ref<LogicalResult(Operation *)> verify) {
  return failure(loop.getBody()
                     ->walk<WalkOrder::PreOrder>([&](Operation *op) {
                       return failed(verify(op)) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                     })
                     .wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

/// The schedule of a loop over blocks of these.
static Attribute getSchedules(ArrayRef<TileOpInterface> templates) {
  SmallVector<Attribute> schedules;
  for (TileOpInterface op : templates)
    if (schedules.empty() || schedules.back() != op.getTileSchedule())
      schedules.push_back(op.getTileSchedule());
  return schedules.size() == 1
             ? schedules.front()
             : ArrayAttr::get(schedules.front().getContext(), schedules);
}

/// Checks the index arrays whose structure is known.
template <typename TemplateOp>
static LogicalResult verifyIndexArrays(TemplateOp op) {
  for (auto [key, array] :
       llvm::zip_equal(op.getStructures(), op.getIndexArrays())) {
    auto structure = array.template getDefiningOp<StructureOp>();
    if (!structure || (structure.getKey() == key &&
                       structure.getGraphAttr() == op.getGraphAttr()))
      continue;
    return op.emitOpError("expected the index array '") // C2
           << op.getGraphAttr() << " " << key.str() << "', got '"
           << structure.getGraphAttr() << " " << structure.getKey().str()
           << "'";
  }
  return success();
}

/// Checks that a template has the kind of schedule that its target asks for.
static LogicalResult verifySchedule(TileOpInterface op) {
  TargetAttr target = findTarget(op);
  if (!target)
    return success();
  auto backend = findBackend(target.getKind());
  if (!backend) // of a plugin that is not loaded
    return llvm::consumeError(backend.takeError()), success();
  auto kindOf = [](Attribute schedule) -> const AbstractAttribute & {
    return schedule.getAbstractAttribute();
  };
  Attribute expected = (*backend)->getOpenSchedule(op),
            schedule = op.getTileSchedule();
  if (!schedule || !expected ||
      kindOf(expected).getTypeID() == kindOf(schedule).getTypeID())
    return success();
  return op->emitOpError("expected a #") // C3
         << kindOf(expected).getName() << " for " << target.getKind()
         << ", got " << schedule;
}

static LogicalResult verifyTemplates(BlocksOp loop) {
  if (loop.getThreads()) // C3
    return loop.emitOpError("expected no 'threads' where templates are left");
  if (!loop.getSchedule()) // C3
    return loop.emitOpError("expected 'schedule', that of its template");
  if (!loop.findCost()) // C3
    return loop.emitOpError("expected a gnn_tile.cost in front of it: behind "
                            "this form there is no template to ask");
  LogicalResult all = verifyAll(loop, [&](Operation *op) -> LogicalResult {
    if (!isa<TileOpInterface>(op))
      return success();
    if (!isOnRange(op)) // C2
      return op->emitOpError("expected a template on a range in a loop over "
                             "blocks, got one on all rows");
    if (op->getParentOp() != loop)
      return op->emitOpError(
                 "expected a template that stands by itself in its " // C2
                 "loop over blocks, got one in '")
             << op->getParentOp()->getName() << "'";
    if (failed(verifySchedule(cast<TileOpInterface>(op))))
      return failure();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<TraverseOp, GemmOp, OuterOp>(
            [](auto op) { return verifyIndexArrays(op); })
        .Default(success());
  });
  if (failed(all))
    return failure();
  auto templates = llvm::to_vector(loop.getBody()->getOps<TileOpInterface>());
  bool areShared = llvm::all_of(templates, [](TileOpInterface op) {
    return llvm::any_of(op->getOperands(), isInWorkgroup);
  });
  if (templates.size() != 1 && !areShared) // C2
    return loop.emitOpError("expected one template in a loop over blocks, got ")
           << templates.size();
  Attribute schedule = getSchedules(templates);
  if (schedule != loop.getSchedule()) // C3
    return loop.emitOpError("expected 'schedule' to be that of its template, ")
           << schedule << ", got " << *loop.getSchedule();
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Checks that an array in workgroup memory is used where it is seen: barriers
/// follow from the effects of ops on it.
static LogicalResult verifyArray(ArrayOp array) {
  for (Operation *user : array->getUsers()) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    if (auto memory = dyn_cast<MemoryEffectOpInterface>(user))
      memory.getEffectsOnValue(array.getArray(), effects);
    if (effects.empty()) // C9
      return user->emitOpError("expected an op that reads or writes the array "
                               "in workgroup memory itself, such as a "
                               "transfer, got another use of ")
             << array.getArray().getType();
  }
  return success();
}

/// The op that has to stand outside of teams in place of an upstream op that
/// does not say what each thread has of it; empty where it is none.
static StringRef getSpreadOpFor(Operation *op) {
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return isInWorkgroup(write.getBase()) ? "gnn_tile.stage" : "";
  return isa<vector::ContractionOp>(op) ? "gnn_tile.contract" : "";
}

static LogicalResult verifyLoops(BlocksOp loop) {
  bool saysThreads = false;
  LogicalResult all = verifyAll(loop, [&](Operation *op) -> LogicalResult {
    if (isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect())) // C4
      return op->emitOpError("expected no op of threads before lanes are "
                             "given their parts, by gnn-lanes-pipeline");
    if (isa<memref::AllocaOp>(op)) // C9: of a block, or of a thread?
      return op->emitOpError("expected a gnn_tile.array, which says whose "
                             "memory it is");
    if (auto array = dyn_cast<ArrayOp>(op);
        array && (failed(verifyPrivate(array)) || failed(verifyArray(array)) ||
                  failed(verifyPermuted(array))))
      return failure();
    auto teams = dyn_cast<TeamsOp>(op);
    saysThreads |= isa<TeamsOp, StageOp, ContractOp, StoreRowsOp>(op);
    if (teams)
      return verifyTeams(teams); // C5, C9
    if (op->getParentOfType<TeamsOp>())
      return success();
    if (isa<WalkOp, ParallelOp>(op)) // C5
      return op->emitOpError("expected a gnn_tile.teams around it");
    if (StringRef expected = getSpreadOpFor(op); !expected.empty()) // C5
      return op->emitOpError("expected a ")
             << expected << ", which says what each thread has of it";
    return success();
  });
  if (failed(all) || saysThreads)
    return all;
  return loop.emitOpError(
      "expected a gnn_tile.teams, tiles that are staged, " // C5
      "summed or stored, or the lanes form with 'threads', "
      "got none of them");
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

static LogicalResult verifyLanes(BlocksOp loop) {
  if (failed(loop.verifyOfThreads())) // C6
    return failure();
  return verifyAll(loop, [](Operation *op) -> LogicalResult {
    if (isa<VectorTransferOpInterface, vector::ContractionOp,
            vector::MultiDimReductionOp>(op)) // C7
      return op->emitOpError("expected what one lane does, got an op on "
                             "vectors that lanes share");
    for (Type type : op->getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type);
          vector && vector.getNumElements() > mostOfLane) // C7
        return op->emitOpError("expected vectors of up to ")
               << mostOfLane << " elements, which one lane holds, got " << type;
    return success();
  });
}

LogicalResult gnn::verifyBlockForm(BlocksOp loop) {
  switch (getFormOf(loop)) {
  case Form::Blocked:
    return failure(failed(verifyTemplates(loop)) || failed(verifyRanges(loop)));
  case Form::Loops:
    return verifyLoops(loop);
  default:
    return verifyLanes(loop);
  }
}
