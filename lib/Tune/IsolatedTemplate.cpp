//===- IsolatedTemplate.cpp - One template of a function ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/IsolatedTemplate.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using tile::TileOpInterface;

TileOpInterface gnn::tune::findTemplate(ModuleOp module) {
  TileOpInterface found;
  module.walk([&](TileOpInterface op) { found = op; });
  return found;
}

TileOpInterface IsolatedTemplate::op() const { return findTemplate(*module); }

static SmallVector<TileOpInterface> listTemplates(func::FuncOp func) {
  return llvm::to_vector(func.getOps<TileOpInterface>());
}

/// Leaves the template of that number, and its function, alone in `module`.
static func::FuncOp eraseOthers(ModuleOp module, StringRef function,
                                size_t number) {
  func::FuncOp kept;
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (func.getName() == function)
      kept = func;
    else
      func.erase();
  }
  for (auto [i, op] : llvm::enumerate(listTemplates(kept)))
    if (i != number)
      op->erase();
  return kept;
}

namespace {
/// The buffers that a template reads and writes.
struct Buffers {
  llvm::SetVector<Value> read, written;

  explicit Buffers(TileOpInterface op) {
    for (const tile::BufferAccess &access : tile::getAccesses(op))
      (access.isWrite ? written : read).insert(access.buffer);
  }
};
} // namespace

/// Whether one of `read` lies where `written` does. Places in the workspace
/// that share memory begin at the same byte.
static bool isRead(Value written, const llvm::SetVector<Value> &read) {
  auto place = written.getDefiningOp<memref::ViewOp>();
  return llvm::any_of(read, [&](Value value) {
    auto other = value.getDefiningOp<memref::ViewOp>();
    return value == written ||
           (place && other &&
            isEqualConstantIntOrValue(place.getByteShift(),
                                      other.getByteShift()));
  });
}

/// Makes inputs of the results that the template does not write, and leaves
/// arguments no roles: it belongs to no pass of another function.
static void describeArguments(func::FuncOp func, const Buffers &buffers,
                              IsolatedTemplate &result) {
  func->setAttr(attribute::excerpt, UnitAttr::get(func.getContext()));
  func->removeAttr(attribute::gradientOf);
  func->removeAttr(attribute::pass);
  for (BlockArgument argument : func.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (func.getArgAttr(number, "gnn.workspace"))
      continue;
    for (StringRef name : {attribute::role, attribute::key, attribute::of})
      func.removeArgAttr(number, StringAttr::get(func.getContext(), name));
    if (buffers.written.contains(argument)) {
      result.outputs.push_back(number);
      result.readsOutput.push_back(isRead(argument, buffers.read));
      continue;
    }
    func.removeArgAttr(number,
                       StringAttr::get(func.getContext(), "bufferize.result"));
    result.inputs.push_back(number);
  }
}

/// Elements of a row: of all dimensions but the first.
static int64_t widthOf(MemRefType type) {
  int64_t width = 1;
  for (int64_t size : type.getShape().drop_front(type.getRank() > 0))
    width *= ShapedType::isDynamic(size) ? 1 : size;
  return width;
}

static IsolatedTemplate isolate(ModuleOp module, StringRef function,
                                size_t number) {
  IsolatedTemplate result;
  result.module = module.clone();
  func::FuncOp func = eraseOthers(*result.module, function, number);
  TileOpInterface op = findTemplate(*result.module);
  Buffers buffers(op);
  describeArguments(func, buffers, result);
  for (Value buffer : buffers.written) {
    if (isa<BlockArgument>(buffer))
      continue;
    ++result.numPlaces;
    result.readsPlaces |= isRead(buffer, buffers.read);
    auto type = cast<MemRefType>(buffer.getType());
    result.arePlacesF32 &= type.getElementType().isF32();
    result.placeWidth = std::gcd(result.placeWidth, widthOf(type));
  }
  result.key = tile::TemplateKey(op);
  llvm::raw_string_ostream stream(result.text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  result.module->print(stream, flags);
  return result;
}

std::vector<IsolatedTemplate> gnn::tune::isolateTemplates(ModuleOp module,
                                                          StringRef function) {
  std::vector<IsolatedTemplate> result;
  auto func = module.lookupSymbol<func::FuncOp>(function);
  if (!func)
    return result;
  for (size_t i = 0, count = listTemplates(func).size(); i < count; ++i)
    result.push_back(isolate(module, function, i));
  return result;
}
