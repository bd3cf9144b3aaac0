//===- Signature.cpp - Arguments of a kernel ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/Signature.h"

#include "GNN/Host/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using runtime::Expr;
using runtime::KernelParameter;
using Term = runtime::KernelSignature::Term;
using Array = runtime::KernelSignature::Array;

namespace {
/// Reads a signature from the ops at the beginning of a kernel.
class SignatureReader {
public:
  explicit SignatureReader(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  runtime::KernelSignature read() {
    for (BlockArgument argument :
         kernel.getBody().getArguments().take_front(kernel.getNumArguments())) {
      addParameter(argument);
      if (isa<MemRefType>(argument.getType()))
        continue;
      Term term;
      term.argument = argument.getArgNumber();
      known[argument] = add(term);
    }
    for (Operation &op : kernel.getBody().front()) {
      if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op))
        addCast(cast);
      else if (op.getNumResults() == 1)
        if (std::optional<size_t> term = addOp(&op))
          known[op.getResult(0)] = *term;
    }
    return std::move(*runtime::KernelSignature::create(
        std::move(parameters), std::move(terms), std::move(arrays)));
  }

private:
  static int64_t elementBytes(MemRefType type) {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }

  static std::optional<runtime::DataType> elementType(MemRefType type) {
    std::string text;
    llvm::raw_string_ostream(text) << type.getElementType();
    auto known = runtime::parseDataType(text);
    return known ? std::optional(*known) : std::nullopt;
  }

  void addParameter(BlockArgument argument) {
    KernelParameter parameter;
    parameter.kind = KernelParameter::Kind::Number;
    if (argument.getType().isInteger(32))
      parameter.size = 4;
    if (auto memref = dyn_cast<MemRefType>(argument.getType())) {
      parameter.kind = KernelParameter::Kind::Memory;
      parameter.alignment = elementBytes(memref);
      if (auto align = kernel.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName()))
        parameter.alignment = std::max<int64_t>(1, align.getInt());
      parameter.access = findWriter(argument) ? KernelParameter::Access::Writes
                                              : KernelParameter::Access::Reads;
      parameter.bytes = staticBytes(argument);
      parameter.element = elementType(memref);
    }
    parameters.push_back(parameter);
  }

  /// The size of an array that is used in its static shape, not through casts.
  static int64_t staticBytes(BlockArgument argument) {
    if (llvm::all_of(argument.getUsers(), [](Operation *user) {
          return isa<memref::ReinterpretCastOp>(user);
        }))
      return 0;
    auto type = cast<MemRefType>(argument.getType());
    int64_t bytes = elementBytes(type);
    for (int64_t size : type.getShape())
      if (llvm::MulOverflow(bytes, size, bytes))
        return std::numeric_limits<int64_t>::max();
    return bytes;
  }

  /// An array whose extents are other numbers than the host passes is checked
  /// by the emulator alone, when a thread gets there.
  void addCast(memref::ReinterpretCastOp op) {
    Array array;
    array.argument = cast<BlockArgument>(op.getSource()).getArgNumber();
    array.elementBytes = elementBytes(op.getType());
    std::optional<size_t> offset = find(op.getMixedOffsets().front());
    if (!offset)
      return;
    array.offset = *offset;
    for (auto [values, terms] :
         {std::pair(op.getMixedSizes(), &array.sizes),
          std::pair(op.getMixedStrides(), &array.strides)})
      for (OpFoldResult value : values) {
        std::optional<size_t> term = find(value);
        if (!term)
          return;
        terms->push_back(*term);
      }
    arrays.push_back(std::move(array));
  }

  std::optional<size_t> addOp(Operation *op) {
    Value value = op->getResult(0);
    // Narrower ones wrap.
    if (!value.getType().isIndex() && !value.getType().isInteger(64))
      return std::nullopt;
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return addConstant(*constant);
    if (isa<arith::IndexCastOp>(op))
      return find(op->getOperand(0));
    auto kind =
        llvm::TypeSwitch<Operation *, std::optional<Expr::Op>>(op)
            .Case([](arith::AddIOp) { return Expr::Op::Add; })
            .Case([](arith::SubIOp) { return Expr::Op::Sub; })
            .Case([](arith::MulIOp) { return Expr::Op::Mul; })
            .Case([](arith::CeilDivSIOp) { return Expr::Op::CeilDiv; })
            .Case([](arith::FloorDivSIOp) { return Expr::Op::FloorDiv; })
            .Case([](arith::MinSIOp) { return Expr::Op::Min; })
            .Case([](arith::MaxSIOp) { return Expr::Op::Max; })
            .Default([](Operation *) { return std::nullopt; });
    if (!kind)
      return std::nullopt;
    std::optional<size_t> left = find(op->getOperand(0));
    std::optional<size_t> right = find(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    Term term;
    term.op = kind;
    term.left = *left;
    term.right = *right;
    return add(term);
  }

  std::optional<size_t> find(OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return addConstant(*constant);
    auto found = known.find(cast<Value>(value));
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  size_t add(Term term) {
    terms.push_back(term);
    return terms.size() - 1;
  }
  size_t addConstant(int64_t value) {
    Term term;
    term.value = value;
    return add(term);
  }

  gpu::GPUFuncOp kernel;
  std::vector<KernelParameter> parameters;
  std::vector<Term> terms;
  std::vector<Array> arrays;
  llvm::DenseMap<Value, size_t> known;
};
} // namespace

runtime::KernelSignature host::readSignature(gpu::GPUFuncOp kernel) {
  return SignatureReader(kernel).read();
}
