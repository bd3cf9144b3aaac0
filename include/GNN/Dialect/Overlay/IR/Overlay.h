//===- Overlay.h - The gnn_overlay dialect ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header that users of the dialect include.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAY_H
#define GNN_DIALECT_OVERLAY_IR_OVERLAY_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Overlay/Program.h"
#include "GNN/Overlay/Words.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gnn::overlay {

/// The attribute of a module that states the target of its programs.
inline constexpr llvm::StringLiteral targetName = "gnn_overlay.target";

/// The name of a layer that has none of its own.
inline std::string defaultLayerName(LayerType type, uint64_t number) {
  return toWord(type) + std::to_string(number);
}

/// The pieces of a region as its op has them; null: there are none.
mlir::ArrayAttr writePieces(mlir::MLIRContext *context,
                            llvm::ArrayRef<Piece> pieces);

/// The piece of nine fields, which `gnn_overlay.region` has checked.
Piece readPiece(mlir::ArrayAttr fields);

/// The name of part number `part` of a program.
inline std::string partName(uint64_t part) {
  return "part" + std::to_string(part);
}

/// Whether rows of nodes of two graphs are those of the same nodes: one is
/// derived from the other, or both from one graph. The graphs are declared
/// around `from`.
bool haveSameNodes(mlir::Operation *from, mlir::FlatSymbolRefAttr one,
                   mlir::FlatSymbolRefAttr other);

/// Whether the type is rows of nodes with f32 features of one dimension.
bool isNodeRows(mlir::RankedTensorType type);

/// Whether the type is one f32 number for each edge.
bool isEdgeWeights(mlir::RankedTensorType type);

llvm::hash_code hash_value(const Parameters &parameters);

//===----------------------------------------------------------------------===//
// Parts of attributes as text
//===----------------------------------------------------------------------===//

/// An enumerator by its word.
template <typename Enum>
mlir::ParseResult parseWord(mlir::AsmParser &parser, Enum &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef text;
  if (parser.parseKeyword(&text))
    return mlir::failure();
  if (auto found = fromWord<Enum>(std::string_view(text))) {
    value = *found;
    return mlir::success();
  }
  mlir::InFlightDiagnostic diag = parser.emitError(loc, "expected one of ");
  llvm::interleaveComma(Words<Enum>::list, diag,
                        [&](const auto &word) { diag << word.text; });
  return diag << ", got '" << text << "'";
}
template <typename Enum> void printWord(mlir::AsmPrinter &printer, Enum value) {
  printer << toWord(value);
}

/// A number with as few digits as an f32 needs, without its type.
mlir::ParseResult parseNumber(mlir::AsmParser &parser, mlir::FloatAttr &number);
void printNumber(mlir::AsmPrinter &printer, mlir::FloatAttr number);

} // namespace gnn::overlay

#include "GNN/Dialect/Overlay/IR/OverlayDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayAttributes.h.inc"

#include "GNN/Dialect/Overlay/IR/OverlayInterfaces.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayLayerOps.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayProgramOps.h.inc"

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAY_H
