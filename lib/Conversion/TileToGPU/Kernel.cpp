//===- Kernel.cpp - A kernel under construction ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body asks for buffers, counts and structures, which become arguments.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Emitter
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value Emitter::i32(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}
Value Emitter::add(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}
Value Emitter::sub(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}
Value Emitter::mul(Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b);
}
Value Emitter::min(Value a, Value b) {
  return arith::MinSIOp::create(builder, loc, a, b);
}
Value Emitter::ceilDiv(Value a, int64_t b) {
  return arith::CeilDivUIOp::create(builder, loc, a, index(b));
}
Value Emitter::divide(Value a, int64_t b) {
  return arith::DivUIOp::create(builder, loc, a, index(b));
}
Value Emitter::bitAnd(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}
Value Emitter::bitXor(Value a, Value b) {
  return arith::XOrIOp::create(builder, loc, a, b);
}
Value Emitter::less(Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
}
Value Emitter::isZero(Value value) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                               index(0));
}
Value Emitter::word(Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}
Value Emitter::toIndex(Value word) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), word);
}
Value Emitter::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}
Value Emitter::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value Emitter::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(element))
    attr = builder.getFloatAttr(floatType, value);
  else
    attr = builder.getIntegerAttr(element, static_cast<int64_t>(value));
  return constant(type, attr);
}

Value Emitter::constant(Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

SmallVector<Value> Emitter::delinearize(Value value, ArrayRef<int64_t> basis) {
  return affine::AffineDelinearizeIndexOp::create(builder, loc, value, basis,
                                                  /*hasOuterBound=*/false)
      .getResults();
}

Value Emitter::loadIndex(Value array, Value at) {
  return toIndex(memref::LoadOp::create(builder, loc, array, at));
}

Value Emitter::load(Value memref, ValueRange indices, int64_t width) {
  if (width == 1)
    return memref::LoadOp::create(builder, loc, memref, indices);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  int64_t bytes = width * element.getIntOrFloatBitWidth() / 8;
  auto load = vector::LoadOp::create(
      builder, loc, VectorType::get({width}, element), memref, indices);
  load.setAlignment(bytes);
  return load;
}

void Emitter::store(Value value, Value memref, ValueRange indices) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(builder, loc, value, memref, indices);
    return;
  }
  int64_t bytes = vector.getNumElements() *
                  vector.getElementType().getIntOrFloatBitWidth() / 8;
  auto store = vector::StoreOp::create(builder, loc, value, memref, indices);
  store.setAlignment(bytes);
}

Value Emitter::forEachPart(Value value, function_ref<Value(Value)> function) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return function(value);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    parts.push_back(
        function(vector::ExtractOp::create(builder, loc, value, i)));
  return vector::FromElementsOp::create(builder, loc, vector, parts);
}

Value Emitter::shuffleXor(Value value, int64_t offset) {
  return forEachPart(value, [&](Value part) {
    return gpu::ShuffleOp::create(builder, loc, part, i32(offset), i32(32),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  });
}

void Emitter::guard(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto ifOp = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  body();
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

Kernel::Kernel(Operation *op, FlatSymbolRefAttr graph, gpu::GPUModuleOp module,
               StringRef name)
    : op(op), graph(graph), func(op, module, name),
      device{func.atEnd(), op->getLoc()}, host{OpBuilder(op), op->getLoc()} {}

Value Kernel::hostCount(const CountKey &key) {
  Value &value = hostCounts[key];
  if (!value)
    value = CountOp::create(host.builder, host.loc, host.builder.getIndexType(),
                            graph.getValue(), key);
  return value;
}

Value Kernel::count(const CountKey &key) {
  Value &value = counts[key];
  if (!value)
    value = func.addScalar(hostCount(key));
  return value;
}

Value Kernel::rows(RowDomain domain) {
  return domain.isFixed() ? device.index(domain.getCount())
                          : count(domain.getCountKey());
}

Value Kernel::hostRows(RowDomain domain) {
  return domain.isFixed() ? host.index(domain.getCount())
                          : hostCount(domain.getCountKey());
}

static bool isSquare(Operation *op, FlatSymbolRefAttr graph) {
  auto declared = graph
                      ? SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, graph)
                      : GraphOp();
  return declared && declared.getKind() == GraphKind::Square;
}

Value Kernel::buffer(Value memref, RowDomain rows, bool readOnly) {
  Buffer &buffer = buffers[memref];
  auto type = cast<MemRefType>(memref.getType());
  if (!buffer.argument) {
    // What is written over is no input that caches may keep.
    readOnly &= !llvm::is_contained(
        cast<DestinationStyleOpInterface>(op).getDpsInits(), memref);
    auto origin = origins.find(memref);
    Location from = origin == origins.end() ? memref.getLoc() : origin->second;
    buffer.argument = func.addPointer(host.builder, memref, from, readOnly);
  }
  if (buffer.argument.getType() == type)
    return buffer.argument;
  bool isByNodes = rows.isKind(RowKind::Node) && isSquare(op, graph);
  if (isByNodes && buffer.byNodes)
    return buffer.byNodes;
  Value extent = this->rows(rows);
  Value &view = buffer.byExtent[extent];
  if (!view) {
    OpBuilder atStart = func.atStart();
    view = withRows(atStart, op->getLoc(), buffer.argument, type, extent);
  }
  if (isByNodes)
    buffer.byNodes = view;
  return view;
}

Value Kernel::structure(const StructureKey &key) {
  OpBuilder &builder = host.builder;
  auto name = StructureKeyAttr::get(builder.getContext(), key);
  if (Value value = structures.lookup(name))
    return value;
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI32Type());
  Value array = StructureOp::create(builder, host.loc, type, graph, name);
  Value argument = func.addPointer(host.builder, array, array.getLoc(),
                                   /*readOnly=*/true);
  OpBuilder atStart = func.atStart();
  Value size = CountSum::entries(key).materialize(
      atStart, device.loc,
      [&](const CountKey &count) { return this->count(count); });
  return structures[name] =
             withRows(atStart, op->getLoc(), argument, type, size);
}

LogicalResult Kernel::checkStructures(ArrayRef<StructureKey> named) const {
  std::set<StructureKey> expected(named.begin(), named.end()), got;
  for (StructureKeyAttr key : llvm::make_first_range(structures))
    got.insert(key.getValue());
  if (expected == got)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("expected a kernel that reads the index arrays {");
  auto list = [&](const std::set<StructureKey> &keys) {
    llvm::interleaveComma(keys, diag,
                          [&](const StructureKey &key) { diag << key.str(); });
  };
  list(expected);
  diag << "}, got {";
  list(got);
  return diag << "}";
}

Value Kernel::shared(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(
      op->getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return func.addShared(
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space));
}

Value Kernel::blockId(gpu::Dimension dimension) {
  return gpu::BlockIdOp::create(device.builder, device.loc, dimension);
}

Value Kernel::threadId() {
  return gpu::ThreadIdOp::create(device.builder, device.loc, gpu::Dimension::x);
}

void Kernel::launch(Value gridX, Value gridY, Value gridZ, int64_t threads) {
  func.launch(host.builder, gpu::KernelDim3{gridX, gridY, gridZ}, threads,
              op->getAttr("schedule"));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

RowDomain gnn::tile::rowsOf(AtAttr at, RowDomain groups, RowDomain elements) {
  if (at.getSpace())
    return at.getSpace();
  return at.getAnchor() == Anchor::Element ? elements : groups;
}

Value gnn::tile::reachRow(Kernel &kernel, Emitter &emit, AtAttr at,
                          RowDomain from, Value row) {
  if (!at.getSpace() || !needsMap(from, at.getSpace()))
    return row;
  Value array = kernel.structure(getMapKey(from, at.getSpace()));
  // A tile is (group, begin, end).
  return emit.loadIndex(array,
                        from.isTiles() ? emit.mul(row, emit.index(3)) : row);
}

std::pair<Value, Value> gnn::tile::reachElements(Kernel &kernel, Emitter &emit,
                                                 RowDomain groups,
                                                 RowDomain elements,
                                                 Value group) {
  Value array = kernel.structure(getRowsKey(groups, elements));
  Value first = group;
  if (groups.isTiles())
    first = emit.add(emit.mul(group, emit.index(3)), emit.index(1));
  return {emit.loadIndex(array, first),
          emit.loadIndex(array, emit.add(first, emit.index(1)))};
}
