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

/// The attribute of a module that says what its programs are compiled for.
inline constexpr llvm::StringLiteral targetName = "gnn_overlay.target";

/// Whether the type is rows of nodes with f32 features of one dimension.
bool isNodeRows(mlir::RankedTensorType type);

/// Whether the type is one f32 number for each edge.
bool isEdgeWeights(mlir::RankedTensorType type);

llvm::hash_code hash_value(const Parameters &parameters);
void print(mlir::AsmPrinter &printer, const Parameters &parameters);

} // namespace gnn::overlay

namespace mlir {
/// An enumerator of the overlay as a keyword.
template <typename Enum> FailureOr<Enum> parseOverlayWord(AsmParser &parser) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  if (auto value = gnn::overlay::fromWord<Enum>(std::string_view(text)))
    return *value;
  InFlightDiagnostic diag = parser.emitError(loc, "expected one of ");
  llvm::interleaveComma(gnn::overlay::Words<Enum>::list, diag,
                        [&](const auto &word) { diag << word.text; });
  diag << ", got '" << text << "'";
  return failure();
}

#define GNN_OVERLAY_FIELD_PARSER(Enum)                                         \
  template <> struct FieldParser<::gnn::overlay::Enum> {                       \
    static FailureOr<::gnn::overlay::Enum> parse(AsmParser &parser) {          \
      return parseOverlayWord<::gnn::overlay::Enum>(parser);                   \
    }                                                                          \
  };
GNN_OVERLAY_FIELD_PARSER(LayerType)
GNN_OVERLAY_FIELD_PARSER(Aggregation)
GNN_OVERLAY_FIELD_PARSER(ActivationKind)
GNN_OVERLAY_FIELD_PARSER(Space)
GNN_OVERLAY_FIELD_PARSER(InitValue)
GNN_OVERLAY_FIELD_PARSER(RegionKind)
GNN_OVERLAY_FIELD_PARSER(RegionRole)
#undef GNN_OVERLAY_FIELD_PARSER

template <> struct FieldParser<::gnn::overlay::Parameters> {
  static FailureOr<::gnn::overlay::Parameters> parse(AsmParser &parser);
};
} // namespace mlir

#include "GNN/Dialect/Overlay/IR/OverlayDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayAttributes.h.inc"

#include "GNN/Dialect/Overlay/IR/OverlayInterfaces.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayOps.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayProgramOps.h.inc"

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAY_H
