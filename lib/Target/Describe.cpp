//===- Describe.cpp - Ops and types in a few words ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;

std::string gnn::describe(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    os << type;
    return text;
  }
  ArrayRef<int64_t> shape = tensor.getShape();
  if (RowsAttr rows = getRows(type)) {
    os << stringifyRowSpace(rows.getSpace()) << " of "
       << rows.getGraph().getValue();
    shape = shape.drop_front();
    os << ", ";
  }
  llvm::interleave(
      shape, os,
      [&](int64_t size) {
        if (ShapedType::isDynamic(size))
          os << "?";
        else
          os << size;
      },
      "x");
  os << (shape.empty() ? "" : "x") << tensor.getElementType();
  return text;
}

std::string gnn::describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    if (!isa<GNNDialect>(attribute.getValue().getDialect()))
      continue;
    std::string value;
    llvm::raw_string_ostream(value) << attribute.getValue();
    // #gnn<reduce sum> or #gnn.reduce<sum>
    StringRef word = StringRef(value).rtrim('>');
    word = word.drop_front(word.find_last_of(" <") + 1);
    text += (" " + word).str();
  }
  return text;
}

std::string gnn::describeResults(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      op->getResultTypes(), os, [&](Type type) { os << describe(type); }, "; ");
  return text;
}

std::string gnn::describe(func::FuncOp func, unsigned argument) {
  if (auto name = func.getArgAttrOfType<StringAttr>(argument, attribute::name))
    return name.getValue().str();
  return "argument " + std::to_string(argument);
}

std::string gnn::describeResult(func::FuncOp func, unsigned result) {
  if (auto name = func.getResultAttrOfType<StringAttr>(result, attribute::name))
    return name.getValue().str();
  return "result " + std::to_string(result);
}

std::string gnn::describeSchedule(Attribute schedule) {
  if (auto several = dyn_cast<ArrayAttr>(schedule))
    return llvm::join(llvm::map_range(several, describeSchedule), "; ");
  std::string printed;
  llvm::raw_string_ostream(printed) << schedule;
  StringRef text = StringRef(printed).trim('"');
  if (text.consume_front("#") && text.consume_back(">"))
    text = text.drop_front(text.find('<') + 1);
  return text.str();
}
