//===- ProductLayout.cpp - Tiles of products ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/InPlace.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/Registers.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// The depth of a row of weights is staged whole, or in halves of that: other
/// blocks compute while one loads.
ProductLayout gnn::tile::layOut(GemmOp op, GemmScheduleAttr schedule) {
  if (isInWorkgroup(op.getInput()))
    return layOutInBlock(op, schedule);
  int64_t in = op.getIn();
  int64_t depth = in <= 16 ? 16 : in <= 32 || in > 64 ? 32 : 64;
  return {schedule.getN(),
          depth,
          /*loadsAhead=*/false,
          schedule.isOnTensorCores(),
          /*copiesLeft=*/false,
          /*copiesRight=*/schedule.copiesAsync()};
}

/// The rows take workgroup memory already, and nothing waits for them: little
/// is staged at once.
ProductLayout gnn::tile::layOutInBlock(GemmOp op, GemmScheduleAttr schedule) {
  int64_t depth = op.getIn() <= 16 || op.getIn() > 64 ? 16 : 32;
  return {schedule.getN(), depth, /*loadsAhead=*/false,
          schedule.isOnTensorCores()};
}

/// A block walks many rows. Narrow tiles wait for memory, so that they load
/// more of them at a time.
ProductLayout gnn::tile::layOut(OuterOp, GemmScheduleAttr schedule) {
  int64_t columns = schedule.getN();
  return {columns,
          columns == 16 ? 32 : 16,
          /*loadsAhead=*/true,
          schedule.isOnTensorCores(),
          /*copiesLeft=*/schedule.copiesAsync(),
          /*copiesRight=*/schedule.copiesAsync(),
          ProductSchedule(schedule).runs};
}

/// Why tensor cores cannot multiply it.
static std::string explainKind(Operation *op, GemmScheduleAttr schedule) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!schedule.isOnTensorCores() || element.isF32())
    return "";
  std::string text = "cannot honour the schedule's 'kind': expected operands "
                     "of f32 for tf32x3, got ";
  llvm::raw_string_ostream(text) << element;
  return text;
}

/// Why it cannot be copied: a thread copies 16 bytes of a row at once.
static std::string explainCopies(GemmOp op, GemmScheduleAttr schedule) {
  if (schedule.copiesAsync() && isInWorkgroup(op.getInput()))
    return "cannot honour the schedule's 'copies': expected registers beside "
           "rows in workgroup memory, got async";
  auto type = cast<ShapedType>(op.getWeight().getType());
  bool fits = type.getElementType().isF32() && !op.getTransposed() &&
              op.getOut() % 4 == 0;
  if (!schedule.copiesAsync() || fits)
    return "";
  std::string text = "cannot honour the schedule's 'copies': expected a weight "
                     "of f32 with rows aligned to 16 bytes for async, got ";
  llvm::raw_string_ostream(text)
      << (op.getTransposed() ? "a transposed one of " : "") << type;
  return text;
}
static std::string explainCopies(OuterOp op, GemmScheduleAttr schedule) {
  if (!schedule.copiesAsync())
    return "";
  for (unsigned number : {0, 1}) {
    auto type = cast<ShapedType>(op->getOperand(number).getType());
    auto at = cast<AtAttr>(op.getInputsAt()[number]);
    if (type.getElementType().isF32() && type.getShape().back() % 4 == 0 &&
        at.getOffset() % 4 == 0)
      continue;
    std::string text = "cannot honour the schedule's 'copies': expected rows "
                       "of f32 aligned to 16 bytes for async, got ";
    llvm::raw_string_ostream stream(text);
    stream << type;
    if (at.getOffset())
      stream << " from column " << at.getOffset() << " on";
    return text;
  }
  return "";
}

/// Why its threads cannot have registers so.
static std::string explainRegisters(Operation *op, GemmScheduleAttr schedule) {
  RegisterFields fields(schedule);
  if (fields.areOpen() || shareLanesRows(op))
    return explainRefusal(fields, getBlockLimits(op), ProductLayout::threads);
  return ("cannot honour the schedule's '" +
          Twine(fields.maxRegisters ? "max_registers" : "processor_blocks") +
          "': expected a GPU, got the core of a CPU")
      .str();
}

/// Blocks of other columns would read what one has written over.
std::string gnn::tile::explainRefusal(GemmOp op, GemmScheduleAttr schedule) {
  if (std::string why = explainKind(op, schedule); !why.empty())
    return why;
  if (std::string why = explainCopies(op, schedule); !why.empty())
    return why;
  if (std::string why = explainRegisters(op, schedule); !why.empty())
    return why;
  if (ProductSchedule(schedule).runs)
    return "cannot honour the schedule's 'runs': expected an outer product, "
           "got '" +
           op->getName().getStringRef().str() + "'";
  OpOperand *input = findOverwritten(op, op.getOutputMutable());
  if (input != &op.getInputMutable() || schedule.getN() >= op.getOut())
    return "";
  return "cannot honour the schedule's 'n': expected a tile of all " +
         std::to_string(op.getOut()) +
         " columns where a product is written over its input, got " +
         std::to_string(schedule.getN());
}
std::string gnn::tile::explainRefusal(OuterOp op, GemmScheduleAttr schedule) {
  std::string why = explainKind(op, schedule);
  if (why.empty())
    why = explainCopies(op, schedule);
  return why.empty() ? explainRegisters(op, schedule) : why;
}

template <typename ProductOp>
static FailureOr<ProductLayout> getLayoutOf(ProductOp op) {
  GemmScheduleAttr schedule = op.getScheduleAttr();
  if (!schedule || !schedule.getN())
    return op.emitOpError("expected a complete schedule, got none of 'n' "
                          "(gnn-schedule-pipeline chooses what is left out)");
  if (std::string why = op.explainSchedule(); !why.empty())
    return op.emitOpError(why);
  return layOut(op, schedule);
}

FailureOr<ProductLayout> gnn::tile::getLayout(GemmOp op) {
  return getLayoutOf(op);
}
FailureOr<ProductLayout> gnn::tile::getLayout(OuterOp op) {
  return getLayoutOf(op);
}

Attribute GemmOp::getTileSchedule() { return getScheduleAttr(); }
Attribute OuterOp::getTileSchedule() { return getScheduleAttr(); }
void GemmOp::setTileSchedule(Attribute schedule) {
  setScheduleAttr(cast_if_present<GemmScheduleAttr>(schedule));
}
void OuterOp::setTileSchedule(Attribute schedule) {
  setScheduleAttr(cast_if_present<GemmScheduleAttr>(schedule));
}
template <typename ProductOp>
static std::string explainScheduleOf(ProductOp op) {
  GemmScheduleAttr schedule = op.getScheduleAttr();
  if (!schedule)
    return "";
  std::string why = explainRanges(schedule);
  return why.empty() && schedule.getN() ? explainRefusal(op, schedule) : why;
}
std::string GemmOp::explainSchedule() { return explainScheduleOf(*this); }
std::string OuterOp::explainSchedule() { return explainScheduleOf(*this); }
LogicalResult GemmOp::verifySchedule() { return getLayout(*this); }
LogicalResult OuterOp::verifySchedule() { return getLayout(*this); }
