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
using namespace gnn::host;
using runtime::Expr;
using runtime::KernelParameter;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Fills a signature from the ops at the beginning of a kernel.
class Signature::Reader {
public:
  Reader(Signature &result, gpu::GPUFuncOp kernel)
      : result(result), kernel(kernel) {}

  void read() {
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
        parameter.alignment = align.getInt();
      parameter.access = findWriter(argument) ? KernelParameter::Access::Writes
                                              : KernelParameter::Access::Reads;
      parameter.bytes = staticBytes(argument);
      parameter.element = elementType(memref);
    }
    result.list.push_back(parameter);
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
    result.arrays.push_back(std::move(array));
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
    result.terms.push_back(term);
    return result.terms.size() - 1;
  }
  size_t addConstant(int64_t value) {
    Term term;
    term.value = value;
    return add(term);
  }

  Signature &result;
  gpu::GPUFuncOp kernel;
  llvm::DenseMap<Value, size_t> known;
};

Signature::Signature(gpu::GPUFuncOp kernel) { Reader(*this, kernel).read(); }

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

runtime::Error Signature::checkCount(size_t values, size_t bytes) const {
  if (values != list.size())
    return runtime::failure("expected ", list.size(), " arguments, got ",
                            values);
  if (bytes != list.size())
    return runtime::failure("expected bytes of ", list.size(),
                            " arguments, got ", bytes);
  return {};
}

static runtime::Error checkBytes(size_t argument, int64_t needed,
                                 int64_t bytes) {
  if (bytes >= needed)
    return {};
  return runtime::failure("argument ", argument, ": expected ", needed,
                          " bytes, got ", bytes);
}

runtime::Error
Signature::checkArguments(runtime::ArrayView<void *> values,
                          runtime::ArrayView<int64_t> bytes) const {
  if (runtime::Error error = checkCount(values.size(), bytes.size()))
    return error;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].isMemory())
      continue;
    if (bytes[i] >= 0)
      if (runtime::Error error = checkBytes(i, list[i].bytes, bytes[i]))
        return error;
    if (bytes[i] == 0) // Nothing is read or written there.
      continue;
    auto address =
        reinterpret_cast<uintptr_t>(*static_cast<void **>(values[i]));
    auto alignment = static_cast<uintptr_t>(list[i].alignment);
    if (uintptr_t more = address % alignment)
      return runtime::failure("argument ", i, ": expected a multiple of ",
                              alignment, " bytes as address, got ", more,
                              " more");
  }
  return {};
}

/// The values of all terms; nothing where one has more than 64 bits.
std::vector<std::optional<int64_t>>
Signature::evaluate(runtime::ArrayView<int64_t> numbers) const {
  std::vector<std::optional<int64_t>> values;
  values.reserve(terms.size());
  for (const Term &term : terms) {
    if (!term.op) {
      values.push_back(term.argument ? numbers[*term.argument] : term.value);
      continue;
    }
    std::optional<int64_t> left = values[term.left], right = values[term.right];
    values.push_back(left && right ? runtime::apply(*term.op, *left, *right)
                                   : std::nullopt);
  }
  return values;
}

namespace {
/// A number that stays known as long as it has 64 bits.
struct Checked {
  std::optional<int64_t> value;

  Checked operator+(Checked other) const { return with(Expr::Op::Add, other); }
  Checked operator-(Checked other) const { return with(Expr::Op::Sub, other); }
  Checked operator*(Checked other) const { return with(Expr::Op::Mul, other); }

private:
  Checked with(Expr::Op op, Checked other) const {
    if (!value || !other.value)
      return {};
    return {runtime::apply(op, *value, *other.value)};
  }
};
} // namespace

runtime::Error Signature::checkMemory(runtime::ArrayView<int64_t> numbers,
                                      runtime::ArrayView<int64_t> bytes) const {
  if (runtime::Error error = checkCount(numbers.size(), bytes.size()))
    return error;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].isMemory())
      if (runtime::Error error = checkBytes(i, list[i].bytes, bytes[i]))
        return error;
  std::vector<std::optional<int64_t>> values = evaluate(numbers);
  for (const Array &array : arrays) {
    // Elements up to the last one, or none where an extent is zero.
    Checked last{values[array.offset]};
    bool isEmpty = false;
    for (auto [size, stride] : llvm::zip_equal(array.sizes, array.strides)) {
      isEmpty |= values[size] == 0;
      last =
          last + (Checked{values[size]} - Checked{1}) * Checked{values[stride]};
      for (std::optional<int64_t> value : {values[size], values[stride]})
        if (value && *value < 0)
          return runtime::failure("argument ", array.argument,
                                  ": expected an array of extents and strides "
                                  "of 0 or more, got ",
                                  *value);
    }
    if (values[array.offset] && *values[array.offset] < 0)
      return runtime::failure("argument ", array.argument,
                              ": expected an array from an offset of 0 or "
                              "more, got ",
                              *values[array.offset]);
    if (isEmpty)
      continue;
    Checked needed = (last + Checked{1}) * Checked{array.elementBytes};
    if (!needed.value)
      return runtime::failure(
          "argument ", array.argument,
          ": expected an array of under 2^63 bytes, got more");
    if (runtime::Error error =
            checkBytes(array.argument, *needed.value, bytes[array.argument]))
      return error;
  }
  return {};
}
