//===- Dot.cpp - Graph-level dataflow as a picture ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Dot.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/GraphWriter.h"

using namespace mlir;
using namespace gnn;

/// "edge 8x16" of tensor<?x8x16xf32, #gnn.rows<@g, edge>>; the whole type of
/// what is no tensor.
static std::string describe(Type type) {
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
    os << (shape.empty() ? "" : ", ");
  }
  llvm::interleave(shape, os, "x");
  os << (shape.empty() ? " " : "x") << tensor.getElementType();
  return text;
}

/// "aggregate sum": the op's name and its words, which are enum attributes of
/// the dialect.
static std::string describe(Operation *op) {
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

namespace {

/// Writes one function.
class FunctionWriter {
public:
  FunctionWriter(func::FuncOp func, unsigned number, llvm::raw_ostream &os)
      : func(func), prefix("f" + std::to_string(number) + "_"), os(os) {}

  void write();

private:
  std::string addNode(const Twine &first, const Twine &second,
                      StringRef style) {
    std::string name = prefix + std::to_string(nodes++);
    os << "    " << name << " [label=\"" << llvm::DOT::EscapeString(first.str())
       << "\\n"
       << llvm::DOT::EscapeString(second.str()) << "\"" << style << "];\n";
    return name;
  }
  void addEdges(ValueRange operands, StringRef to) {
    for (Value operand : operands)
      os << "    " << names.lookup(operand) << " -> " << to << ";\n";
  }

  func::FuncOp func;
  std::string prefix;
  llvm::raw_ostream &os;
  unsigned nodes = 0;
  DenseMap<Value, std::string> names;
};

} // namespace

void FunctionWriter::write() {
  os << "  subgraph cluster_" << prefix << " {\n    label=\""
     << llvm::DOT::EscapeString(func.getName().str()) << "\";\n";
  for (BlockArgument argument : func.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = func.getArgAttrOfType<StringAttr>(number, "gnn.name");
    names[argument] =
        addNode(name ? name.getValue() : "argument " + Twine(number),
                describe(argument.getType()), ", style=rounded");
  }
  unsigned results = 0;
  for (Operation &op : func.getBody().getOps()) {
    if (op.hasTrait<OpTrait::ReturnLike>()) {
      for (Value value : op.getOperands())
        addEdges(value, addNode("result " + Twine(results++),
                                describe(value.getType()), ", style=rounded"));
      continue;
    }
    std::string types;
    llvm::raw_string_ostream typeStream(types);
    llvm::interleave(
        op.getResultTypes(), typeStream,
        [&](Type type) { typeStream << describe(type); }, "; ");
    std::string name = addNode(describe(&op), types, "");
    addEdges(op.getOperands(), name);
    for (Value result : op.getResults())
      names[result] = name;
  }
  os << "  }\n";
}

void gnn::printDot(ModuleOp module, llvm::raw_ostream &os) {
  os << "digraph module {\n  node [shape=box];\n";
  unsigned number = 0;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      FunctionWriter(func, number++, os).write();
  os << "}\n";
}
