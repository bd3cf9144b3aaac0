//===- LowerCoreProducts.cpp - Products on the core of a CPU --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel of 4 rows by some columns of the range stays in vector registers
// while the summed dimension goes by: of the right side a row of vectors, of
// the left one scalar a row.
//
//===----------------------------------------------------------------------===//

#include "../Utils/Products.h"
#include "PanelLoops.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LOWERCOREPRODUCTS
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// The common part of gemm and outer
//===----------------------------------------------------------------------===//

PanelLoops::PanelLoops(TileOpInterface op, ValueRange arrays, Panel panel)
    : b(op->getLoc(), op), panel(panel),
      vector(VectorType::get({panel.width}, b.getF32Type())),
      arrays(op, arrays) {}

Value PanelLoops::broadcast(Value value) {
  return vector::BroadcastOp::create(b, vector, value);
}

Value PanelLoops::allocate(int64_t rows, int64_t columns) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return memref::AllocaOp::create(
      b,
      MemRefType::get({rows, columns}, b.getF32Type(),
                      MemRefLayoutAttrInterface(), space),
      b.getI64IntegerAttr(64));
}

void PanelLoops::forEachPanel(Value first, int64_t tile, int64_t size,
                              function_ref<void(ArrayRef<Piece>)> body) {
  tile = std::min(tile, size);
  bool hasMasks = size % tile || tile % panel.width ||
                  (tile > panel.columns() && tile % panel.columns());
  auto piecesFrom = [&](Value begin) {
    SmallVector<Piece> pieces;
    for (int64_t i = 0; i < std::min(tile, panel.columns()); i += panel.width) {
      Piece piece{b.add(begin, i), Value()};
      if (hasMasks)
        piece.mask = vector::CreateMaskOp::create(
            b, VectorType::get({panel.width}, b.getI1Type()),
            b.sub(b.index(size), piece.column));
      pieces.push_back(piece);
    }
    return pieces;
  };
  if (tile <= panel.columns()) {
    body(piecesFrom(first));
    return;
  }
  Value end = b.min(b.add(first, tile), b.index(size));
  b.loop(first, end, b.index(panel.columns()),
         [&](Value begin) { body(piecesFrom(begin)); });
}

Value PanelLoops::load(Value memref, ValueRange indices, Value mask) {
  if (mask)
    return vector::MaskedLoadOp::create(b, vector, memref, indices, mask,
                                        zero());
  return vector::LoadOp::create(b, vector, memref, indices);
}

void PanelLoops::store(Value value, Value memref, ValueRange indices,
                       Value mask) {
  if (mask)
    vector::MaskedStoreOp::create(b, memref, indices, mask, value);
  else
    vector::StoreOp::create(b, value, memref, indices);
}

SmallVector<Value> PanelLoops::multiply(ArrayRef<Value> left,
                                        ArrayRef<Value> right,
                                        ValueRange sums) {
  SmallVector<Value> next;
  for (auto [i, scalar] : llvm::enumerate(left)) {
    Value factor = broadcast(scalar);
    for (auto [j, row] : llvm::enumerate(right))
      next.push_back(
          math::FmaOp::create(b, factor, row, sums[i * right.size() + j]));
  }
  return next;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Half of the registers hold sums: the others a row of the right side, and
/// what is on its way.
static Panel getPanel(CoreRegisters registers) {
  return {registers.vector,
          std::max<int64_t>(1, registers.count / (2 * Panel::rows))};
}

/// Why a product stays as it is; empty where it does not.
template <typename ProductOp> static std::string explainRefusal(ProductOp op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    bool isIndexArray = llvm::is_contained(op.getIndexArrays(), operand);
    if (type && !isIndexArray && !type.getElementType().isF32()) {
      std::string why;
      llvm::raw_string_ostream(why) << "it is of " << type.getElementType();
      return why;
    }
  }
  return "";
}

namespace {
struct LowerCoreProducts : gnn::impl::LowerCoreProductsBase<LowerCoreProducts> {
  using LowerCoreProductsBase::LowerCoreProductsBase;

  void runOnOperation() override {
    auto each = [&](auto op, const ProductLayout &layout) {
      return lower(op, layout);
    };
    if (failed(forEachProductOnRange(getOperation(), each)))
      signalPassFailure();
  }

private:
  template <typename ProductOp>
  LogicalResult lower(ProductOp op, const ProductLayout &layout) {
    if (std::string why = explainRefusal(op); !why.empty()) {
      refused(getArgument(), op.getLoc()) << why;
      return success();
    }
    auto blocks = dyn_cast<BlocksOp>(op->getParentOp());
    if (!blocks)
      return op.emitOpError("expected a product in a loop over blocks, got '")
             << op->getParentOp()->getName() << "'";
    if (layout.onTensorCores)
      return op.emitOpError(
          "cannot honour the schedule's 'kind': expected ffma "
          "on the cores of a CPU, got tf32x3");
    if (layout.copiesRight)
      return op.emitOpError(
          "cannot honour the schedule's 'copies': expected registers on the "
          "cores of a CPU, got async");
    Panel panel = getPanel(getCoreRegisters(op));
    lowerToPanels(op, layout, panel);
    passed(getArgument(), op.getLoc(), "Lowered")
        << ("panels of " + Twine(Panel::rows) + " rows by " +
            Twine(panel.vectors) + " vectors of " + Twine(panel.width))
               .str();
    blocks.setThreads(1);
    op.erase();
    return success();
  }
};
} // namespace
