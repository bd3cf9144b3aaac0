//===- ScheduleFields.h - The fields of schedules ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of schedules, whose fields are in ScheduleFields.def.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_SCHEDULEFIELDS_H
#define GNN_DIALECT_TILE_IR_SCHEDULEFIELDS_H

#include "GNN/Lattice/Lattice.h"

#include "mlir/IR/OpImplementation.h"

#include <cstdint>
#include <optional>

namespace gnn::tile {
class GemmScheduleAttr;
class ScheduleInterface;
class TraversalScheduleInterface;
class TraverseOp;

/// From `least` to `most`, or the powers of two among them.
struct FieldRange {
  int64_t least = 0, most = 0;
  bool arePowers = false;
};

/// The ranges of ScheduleFields.def.
namespace range {
inline constexpr FieldRange none, words{1, 1}; // as many as the enum has
constexpr FieldRange from(int64_t least, int64_t most) { return {least, most}; }
constexpr FieldRange upTo(int64_t most) { return from(1, most); }
constexpr FieldRange powers(int64_t least, int64_t most) {
  return {least, most, /*arePowers=*/true};
}
} // namespace range

/// Whether results have the same bits at each value of a field, or sums may be
/// added up in another order.
enum class ResultBits { Same, Other };
inline constexpr ResultBits sameBits = ResultBits::Same,
                            otherBits = ResultBits::Other;

/// A field of a schedule. Its value is a number, 0 if it is open; that of the
/// first word is 1.
struct ScheduleField {
  llvm::StringRef name;
  FieldRange range;
  llvm::StringRef rule = ""; ///< the pass that chooses what is left open
  ResultBits bits = otherBits;
  llvm::SmallVector<llvm::StringRef> words = {};

  /// The value as text.
  std::string str(int64_t value) const;
  /// Whether the range has the value.
  bool has(int64_t value) const;
  /// The range as errors say it: `from 1 to 32`, `in {1, 2, 4}`.
  std::string describeRange() const;
  /// All words, or the range in powers of two.
  llvm::SmallVector<int64_t> list() const;
};

/// Empty if every set field has a value of its range, as parsed ones have; else
/// the first other one and its range.
std::string explainRanges(ScheduleInterface schedule);

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Sets the field of that name, of a schedule of that kind, in `values`.
/// Errors: an unknown field, a field that is set, and an invalid text.
llvm::LogicalResult setField(llvm::MutableArrayRef<int64_t> values,
                             llvm::StringRef kind,
                             llvm::ArrayRef<ScheduleField> table,
                             llvm::StringRef name, llvm::StringRef text,
                             EmitError emitError);

/// The fields as in the IR: `<lanes = 8, row_walk = team>`, without open ones.
mlir::ParseResult parseFields(mlir::AsmParser &parser,
                              llvm::SmallVectorImpl<int64_t> &values,
                              llvm::StringRef kind,
                              llvm::ArrayRef<ScheduleField> table);
void printFields(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> values,
                 llvm::StringRef kind, llvm::ArrayRef<ScheduleField> table);

/// A field of a struct, 0 or none if it is open.
template <typename T>
using FieldOf = std::conditional_t<std::is_enum_v<T>, std::optional<T>, T>;

/// The fields that determine the layout of a traversal.
struct TraverseSchedule {
#define GNN_TRAVERSE_FIELD(type, name, ...) FieldOf<type> name{};
#include "GNN/Dialect/Tile/IR/ScheduleFields.def"
  /// A block has one lane, which takes its rows one after the other:
  /// `#gnn_tile.core_schedule`.
  bool isOneLane = false;

  TraverseSchedule() = default;
  explicit TraverseSchedule(TraversalScheduleInterface schedule);
  /// The fields of the op, none without a schedule.
  explicit TraverseSchedule(TraverseOp op);
  /// Open fields for the core of a CPU.
  static TraverseSchedule ofCore();
  /// Positions that a block takes: rows, or elements of a walk by edges.
  int64_t getBlockPositions() const;
  /// Fields that exclude each other; empty if there are none.
  std::string explainConflict() const;
  /// The first field that is not as on a core and that a core's schedule lacks;
  /// empty if there is none.
  llvm::StringRef findFieldOfGPU() const;
  /// `#gnn_tile.core_schedule` if a block has one lane, unless that schedule
  /// lacks a field, which `explainSchedule` then refuses on a CPU.
  TraversalScheduleInterface get(mlir::MLIRContext *context) const;
  void setOn(TraverseOp op) const;
};

/// The fields that determine the layout of a product:
/// `#gnn_tile.gemm_schedule`.
struct ProductSchedule {
#define GNN_PRODUCT_FIELD(type, name, ...) FieldOf<type> name{};
#include "GNN/Dialect/Tile/IR/ScheduleFields.def"

  ProductSchedule() = default;
  explicit ProductSchedule(GemmScheduleAttr schedule);
  GemmScheduleAttr get(mlir::MLIRContext *context) const;
};

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_SCHEDULEFIELDS_H
