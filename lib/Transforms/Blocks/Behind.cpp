//===- Behind.cpp - Memory behind that of buffers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Behind.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Counts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

Behind::Behind(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), "gnn.workspace"))
      workspace = argument;
  func.walk([&](WorkspaceSizeOp op) { size = op; });
}

SmallVector<Value> Behind::take(TraverseOp op, ArrayRef<MemRefType> types,
                                RowDomain domain) {
  Location loc = op.getLoc();
  OpBuilder front(size), at(op);
  Value rows = Counts(front, loc, op.getGraphAttr()).rows(domain);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(front, loc, value);
  };
  Value begin = size.getBytes();
  SmallVector<Value> buffers;
  for (MemRefType type : types) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8) *
                    ShapedType::getNumElements(type.getShape().drop_front());
    Value all = arith::MulIOp::create(front, loc, rows, constant(bytes));
    Value unit = constant(workspaceAlignment);
    all = arith::CeilDivUIOp::create(front, loc, all, unit);
    all = arith::MulIOp::create(front, loc, all, unit);
    buffers.push_back(memref::ViewOp::create(at, loc, type, workspace, begin,
                                             ValueRange(rows)));
    begin = arith::AddIOp::create(front, loc, begin, all);
  }
  end =
      end ? arith::MaxUIOp::create(front, loc, end, begin).getResult() : begin;
  return buffers;
}

void Behind::finish() {
  if (end)
    size.getBytesMutable().assign(end);
}
