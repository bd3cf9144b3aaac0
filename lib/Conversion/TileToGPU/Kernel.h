//===- Kernel.h - A kernel under construction -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gpu.func whose arguments are added as its body asks for them, and the
// launch on the host side that passes them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_KERNEL_H
#define GNN_LIB_CONVERSION_TILETOGPU_KERNEL_H

#include "KernelFunc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

namespace gnn::tile {

/// Short names for index and float arithmetic at one insertion point.
struct Emitter {
  mlir::OpBuilder builder;
  mlir::Location loc;

  mlir::Value index(int64_t value);
  mlir::Value i32(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value ceilDiv(mlir::Value a, int64_t b);
  /// `a` over `b`, of an index that is not negative.
  mlir::Value divide(mlir::Value a, int64_t b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value isZero(mlir::Value index);
  /// An index as an i32, and back.
  mlir::Value word(mlir::Value index);
  mlir::Value toIndex(mlir::Value word);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// A constant of `type`: float, integer, index, or a vector of these.
  mlir::Value constant(mlir::Type type, double value);
  /// `value` as a constant of `type`: an element, or a vector of it.
  mlir::Value constant(mlir::Type type, mlir::TypedAttr value);
  /// The digits of an index, outermost first: what is left over, then one for
  /// each entry of `basis`.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value value,
                                             llvm::ArrayRef<int64_t> basis);
  /// Element `indices` of an i32 array, as an index.
  mlir::Value loadIndex(mlir::Value array, mlir::Value at);
  /// `width` consecutive elements from `indices`: a scalar for width 1.
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices, int64_t width);
  /// Stores a scalar or vector to consecutive elements.
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices);
  /// `function` of a scalar, or of each part of a vector.
  mlir::Value
  forEachPart(mlir::Value value,
              llvm::function_ref<mlir::Value(mlir::Value)> function);
  /// The value that the lane at `lane xor offset` has.
  mlir::Value shuffleXor(mlir::Value value, int64_t offset);
  /// Runs `body` where `condition` holds; always where it is null.
  void guard(mlir::Value condition, llvm::function_ref<void()> body);
};

/// The kernel of one template op.
class Kernel {
  mlir::Operation *op;
  mlir::FlatSymbolRefAttr graph;
  KernelFunc func;

public:
  /// An empty kernel for `op`, named `name`, in `module`. The host side is
  /// built in front of `op`.
  Kernel(mlir::Operation *op, mlir::FlatSymbolRefAttr graph,
         mlir::gpu::GPUModuleOp module, llvm::StringRef name);

  /// Builds at the end of the kernel's body.
  Emitter device;
  /// Builds in front of the template op.
  Emitter host;

  /// Says where the value of a buffer comes from: the op that wrote it.
  void setOrigin(mlir::Value memref, mlir::Location from) {
    origins.insert({memref, from});
  }

  /// The device side of a host buffer, whose dynamic extent is that of `rows`
  /// (unused for static shapes): the first rows of it, where it is read by
  /// those of a shorter space too. Read-only buffers become `llvm.readonly`; no
  /// buffer of a kernel overlaps another one.
  mlir::Value buffer(mlir::Value memref, RowDomain rows, bool readOnly);
  /// The device side of a structure of the graph: an i32 array.
  mlir::Value structure(const StructureKey &key);
  /// The device side of a count of the graph: an index.
  mlir::Value count(const CountKey &key);
  /// The host side of a count of the graph: an index.
  mlir::Value hostCount(const CountKey &key);
  /// The number of rows of a domain, device side and host side.
  mlir::Value rows(RowDomain domain);
  mlir::Value hostRows(RowDomain domain);
  /// Reports an index array that the kernel reads and the template does not
  /// name, or the other way round.
  mlir::LogicalResult checkStructures(llvm::ArrayRef<StructureKey> named) const;
  /// A shared-memory array of the block.
  mlir::Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  mlir::Value blockId(mlir::gpu::Dimension dimension);
  mlir::Value threadId();

  /// Ends the body and launches it with `threads` a block.
  void launch(mlir::Value gridX, mlir::Value gridY, mlir::Value gridZ,
              int64_t threads);

private:
  /// The argument that a host buffer is passed as, and it by its extents.
  struct Buffer {
    mlir::Value argument;
    llvm::SmallDenseMap<mlir::Value, mlir::Value, 1> byExtent;
    /// The one by the nodes of a square graph: they are as many at both ends.
    mlir::Value byNodes;
  };
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Value, mlir::Location> origins;
  std::map<CountKey, mlir::Value> counts, hostCounts;
  /// In the order of their first use.
  llvm::MapVector<StructureKeyAttr, mlir::Value> structures;
};

/// Lowers one template op to a kernel and its launch in front of it.
mlir::LogicalResult lowerGemm(GemmOp op, Kernel &kernel);
mlir::LogicalResult lowerOuter(OuterOp op, Kernel &kernel);

/// The row that an access reaches from row `row` of domain `from`.
mlir::Value reachRow(Kernel &kernel, Emitter &emit, AtAttr at, RowDomain from,
                     mlir::Value row);

/// The positions at which the elements of row `group` of `groups` begin and
/// end.
std::pair<mlir::Value, mlir::Value> reachElements(Kernel &kernel, Emitter &emit,
                                                  RowDomain groups,
                                                  RowDomain elements,
                                                  mlir::Value group);

/// The domain whose count is the number of rows of an operand.
RowDomain rowsOf(AtAttr at, RowDomain groups, RowDomain elements);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_KERNEL_H
