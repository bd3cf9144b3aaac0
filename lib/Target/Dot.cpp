//===- Dot.cpp - Graph-level dataflow as a picture ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Dot.h"

#include "Describe.h"

#include "llvm/Support/GraphWriter.h"

using namespace mlir;
using namespace gnn;

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
    names[argument] = addNode(describe(func, argument.getArgNumber()),
                              describe(argument.getType()), ", style=rounded");
  }
  unsigned results = 0;
  for (Operation &op : func.getBody().getOps()) {
    if (op.hasTrait<OpTrait::ReturnLike>()) {
      for (Value value : op.getOperands())
        addEdges(value, addNode(describeResult(func, results++),
                                describe(value.getType()), ", style=rounded"));
      continue;
    }
    std::string name = addNode(describe(&op), describeResults(&op), "");
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
