//===- GNNDialect.cpp - The dialect and its attributes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

#include "GNN/Dialect/GNN/IR/GNNDialect.cpp.inc"
#include "GNN/Dialect/GNN/IR/GNNEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/GNN/IR/GNNAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "GNN/Dialect/GNN/IR/GNNTypes.cpp.inc"

#include "GNN/Dialect/GNN/IR/GNNInterfaces.cpp.inc"

namespace {
/// A layer may be a function: its ops may stand wherever it is called, but in
/// the body of a loop.
struct GNNInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void GNNDialect::initialize() {
  addInterfaces<GNNInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "GNN/Dialect/GNN/IR/GNNAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "GNN/Dialect/GNN/IR/GNNTypes.cpp.inc"
      >();
  addRowOps();
  addDenseOps();
  addSparseOps();
  addFeatureOps();
  addLoopOps();
}

//===----------------------------------------------------------------------===//
// Attributes of functions
//===----------------------------------------------------------------------===//

/// Verifies an attribute of an argument or a result of a function.
static LogicalResult verifyBorder(Operation *op, NamedAttribute named) {
  StringRef name = named.getName();
  auto text = dyn_cast<StringAttr>(named.getValue());
  bool isText = name == attribute::name || // G6
                name == attribute::key ||  // G14
                name == attribute::of;     // G16
  if (isText && (!text || text.empty()))
    return op->emitOpError("expected a string that is not empty for ")
           << name << ", got " << named.getValue();
  constexpr StringRef roles[] = {"input", "output", "saved", "gradient"};
  if (name == attribute::role && // G10
      !(text && llvm::is_contained(roles, text.getValue())))
    return op->emitOpError("expected \"input\", \"output\", \"saved\" or "
                           "\"gradient\" for gnn.role, got ")
           << named.getValue();
  return success();
}

/// Whether an attribute says something of the gradients of a whole function.
static bool isOfGradients(StringRef name) {
  return llvm::is_contained({attribute::gradientOf, attribute::pass,
                             attribute::gradients, attribute::gradientOutputs},
                            name);
}

/// The attributes of an argument or a result of a function, `what`.
static LogicalResult verifyAtBorder(Operation *op, StringRef what,
                                    unsigned number, NamedAttribute attribute) {
  if (isOfGradients(attribute.getName())) // G11, G12, G13, G15
    return op->emitOpError("expected ")
           << attribute.getName().getValue() << " at a function, got it at "
           << what << " " << number;
  return verifyBorder(op, attribute);
}

static bool isListOfNames(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && !list.empty() && llvm::all_of(list, llvm::IsaPred<StringAttr>);
}

LogicalResult GNNDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == attribute::target && // G17
      !(isa<ModuleOp>(op) && isa<TargetAttr>(value)))
    return op->emitOpError("expected gnn.target to be a #gnn.target of a "
                           "module, got ")
           << value;
  if (name == attribute::excerpt && // G18
      !(isa<FunctionOpInterface>(op) && isa<UnitAttr>(value)))
    return op->emitOpError("expected gnn.excerpt at a function, without a "
                           "value, got ")
           << value;
  if (!isOfGradients(name))
    return success();
  if (!isa<FunctionOpInterface>(op)) // G11, G12, G13, G15
    return op->emitOpError("expected ") << name << " at a function";
  if (name == attribute::pass) {
    auto pass = dyn_cast<StringAttr>(value);
    if (!pass || (pass != "forward" && pass != "backward")) // G15
      return op->emitOpError("expected \"forward\" or \"backward\" for "
                             "gnn.pass, got ")
             << value;
    if (!op->hasAttr(attribute::gradientOf)) // G15
      return op->emitOpError("expected gnn.gradient_of beside gnn.pass, got "
                             "none");
    return success();
  }
  if (name == attribute::gradientOf) {
    auto of = dyn_cast<FlatSymbolRefAttr>(value);
    if (!of || SymbolTable::lookupNearestSymbolFrom(op, of) == op ||
        !SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op,
                                                                   of)) // G11
      return op->emitOpError("expected another function of the module for "
                             "gnn.gradient_of, got ")
             << value;
    if (!op->hasAttr(attribute::pass)) // G15
      return op->emitOpError("expected gnn.pass beside gnn.gradient_of, got "
                             "none");
    return success();
  }
  bool isInputs = name == attribute::gradients;
  if (!isListOfNames(value) && !(isInputs && isa<UnitAttr>(value))) // G12, G13
    return op->emitOpError("expected a list of names that is not empty")
           << (isInputs ? ", or nothing for all inputs," : "") << " for "
           << name << ", got " << value;
  if (isInputs && cast<SymbolOpInterface>(op).isPrivate()) // G12
    return op->emitOpError("expected gnn.gradients of a function that others "
                           "may call, got a private one");
  if (!isInputs && !op->hasAttr(attribute::gradients)) // G13
    return op->emitOpError("expected gnn.gradients beside "
                           "gnn.gradient_outputs, got none");
  return success();
}

LogicalResult GNNDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned number,
                                                   NamedAttribute attribute) {
  return verifyAtBorder(op, "argument", number, attribute);
}

LogicalResult GNNDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned number, NamedAttribute attribute) {
  return verifyAtBorder(op, "result", number, attribute);
}

//===----------------------------------------------------------------------===//
// #gnn.rows
//===----------------------------------------------------------------------===//

/// `node`, or `block1_src` of a graph with a name of its own: numbers that tell
/// spaces apart would not say of which graph they are.
OpAsmAliasResult RowsAttr::getAlias(raw_ostream &os) const {
  if (StringRef graph = getGraph().getValue(); graph != "g")
    os << graph << "_";
  os << stringifyRowSpace(getSpace());
  return OpAsmAliasResult::FinalAlias;
}

LogicalResult
RowsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                         function_ref<InFlightDiagnostic()> emitError) const {
  StringRef space = stringifyRowSpace(getSpace());
  if (shape.empty()) // C1
    return emitError() << "a tensor of " << space
                       << " rows has a leading dimension that counts them, got "
                          "no dimension";
  int64_t rows = shape.front();
  if (hasDynamicRows(getSpace()) && !ShapedType::isDynamic(rows)) // C2
    return emitError() << "the number of " << space
                       << " rows is known only with a bound graph: expected ?, "
                          "got "
                       << rows;
  if (!hasDynamicRows(getSpace()) && ShapedType::isDynamic(rows)) // C3
    return emitError() << "the number of " << space
                       << " rows is known at compile time: expected a number, "
                          "got ?";
  if (getSpace() == RowSpace::Graph && rows != 1) // C4
    return emitError() << "a graph is one row: expected 1, got " << rows;
  for (int64_t features : shape.drop_front()) {
    if (ShapedType::isDynamic(features)) // C5
      return emitError() << "features are known at compile time: expected a "
                            "number, got ?";
    if (features < 1) // C5
      return emitError()
             << "expected at least 1 feature in each dimension, got "
             << features;
  }
  return success();
}
