//===- KernelSignature.cpp - Arguments of a kernel ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/KernelSignature.h"

using namespace gnn::runtime;

Expected<KernelSignature>
KernelSignature::create(std::vector<KernelParameter> parameters,
                        std::vector<Term> terms, std::vector<Array> arrays) {
  KernelSignature signature;
  signature.list = std::move(parameters);
  signature.numbers = std::move(terms);
  signature.memory = std::move(arrays);
  if (Error error = signature.verify())
    return error;
  return signature;
}

/// Whether a parameter is one that a launch can pass.
static Error verifyParameter(const KernelParameter &parameter) {
  if (parameter.size != 8 && (parameter.isMemory() || parameter.size != 4))
    return failure("expected a pointer of 8 bytes or a number of 4 or 8, got ",
                   parameter.size);
  if (parameter.alignment < 1 || parameter.bytes < 0)
    return failure("expected an alignment of 1 or more and 0 or more bytes, "
                   "got ",
                   parameter.alignment, " and ", parameter.bytes);
  return {};
}

Error KernelSignature::verify() const {
  auto isParameter = [&](size_t number, KernelParameter::Kind kind) {
    return number < list.size() && list[number].kind == kind;
  };
  for (size_t i = 0; i < list.size(); ++i)
    if (Error error = verifyParameter(list[i]))
      return error.in("parameter " + std::to_string(i));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Term &term = numbers[i];
    if (term.op && (term.left >= i || term.right >= i))
      return failure("term ", i, ": expected operands in front of it, got ",
                     term.left, " and ", term.right);
    if (term.argument &&
        !isParameter(*term.argument, KernelParameter::Kind::Number))
      return failure("term ", i,
                     ": expected the number of a parameter that is "
                     "a number, got ",
                     *term.argument);
  }
  for (size_t i = 0; i < memory.size(); ++i) {
    const Array &array = memory[i];
    auto isTerm = [&](size_t term) { return term < numbers.size(); };
    bool areTerms = isTerm(array.offset);
    for (const std::vector<size_t> *terms : {&array.sizes, &array.strides})
      for (size_t term : *terms)
        areTerms &= isTerm(term);
    if (!areTerms || array.sizes.size() != array.strides.size())
      return failure("array ", i,
                     ": expected as many strides as sizes, all of "
                     "them and the offset terms, got ",
                     array.sizes.size(), " and ", array.strides.size(), " of ",
                     numbers.size(), " terms");
    if (array.elementBytes < 1 ||
        !isParameter(array.argument, KernelParameter::Kind::Memory))
      return failure("array ", i,
                     ": expected elements of 1 or more bytes in "
                     "the memory of a parameter, got ",
                     array.elementBytes, " and parameter ", array.argument);
  }
  return {};
}

Error KernelSignature::checkCount(size_t values, size_t bytes) const {
  if (values != list.size())
    return failure("expected ", list.size(), " arguments, got ", values);
  if (bytes != list.size())
    return failure("expected bytes of ", list.size(), " arguments, got ",
                   bytes);
  return {};
}

static Error checkBytes(size_t argument, int64_t needed, int64_t bytes) {
  if (bytes >= needed)
    return {};
  return failure("argument ", argument, ": expected ", needed, " bytes, got ",
                 bytes);
}

Error KernelSignature::checkArguments(ArrayView<void *> values,
                                      ArrayView<int64_t> bytes) const {
  if (Error error = checkCount(values.size(), bytes.size()))
    return error;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].isMemory())
      continue;
    if (bytes[i] >= 0)
      if (Error error = checkBytes(i, list[i].bytes, bytes[i]))
        return error;
    if (bytes[i] == 0) // Nothing is read or written there.
      continue;
    auto address =
        reinterpret_cast<uintptr_t>(*static_cast<void **>(values[i]));
    auto alignment = static_cast<uintptr_t>(list[i].alignment);
    if (uintptr_t more = address % alignment)
      return failure("argument ", i, ": expected a multiple of ", alignment,
                     " bytes as address, got ", more, " more");
  }
  return {};
}

/// The values of all terms; nothing where one has more than 64 bits.
std::vector<std::optional<int64_t>>
KernelSignature::evaluate(ArrayView<int64_t> arguments) const {
  std::vector<std::optional<int64_t>> values;
  values.reserve(numbers.size());
  for (const Term &term : numbers) {
    if (!term.op) {
      values.push_back(term.argument ? arguments[*term.argument] : term.value);
      continue;
    }
    std::optional<int64_t> left = values[term.left], right = values[term.right];
    values.push_back(left && right ? apply(*term.op, *left, *right)
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
    return {apply(op, *value, *other.value)};
  }
};
} // namespace

Error KernelSignature::checkMemory(ArrayView<int64_t> arguments,
                                   ArrayView<int64_t> bytes) const {
  if (Error error = checkCount(arguments.size(), bytes.size()))
    return error;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].isMemory())
      if (Error error = checkBytes(i, list[i].bytes, bytes[i]))
        return error;
  std::vector<std::optional<int64_t>> values = evaluate(arguments);
  for (const Array &array : memory) {
    // Elements up to the last one, or none where an extent is zero.
    Checked last{values[array.offset]};
    bool isEmpty = false;
    for (size_t i = 0; i < array.sizes.size(); ++i) {
      std::optional<int64_t> size = values[array.sizes[i]],
                             stride = values[array.strides[i]];
      isEmpty |= size == 0;
      last = last + (Checked{size} - Checked{1}) * Checked{stride};
      for (std::optional<int64_t> value : {size, stride})
        if (value && *value < 0)
          return failure("argument ", array.argument,
                         ": expected an array of extents and strides "
                         "of 0 or more, got ",
                         *value);
    }
    if (values[array.offset] && *values[array.offset] < 0)
      return failure("argument ", array.argument,
                     ": expected an array from an offset of 0 or "
                     "more, got ",
                     *values[array.offset]);
    if (isEmpty)
      continue;
    Checked needed = (last + Checked{1}) * Checked{array.elementBytes};
    if (!needed.value)
      return failure("argument ", array.argument,
                     ": expected an array of under 2^63 bytes, got more");
    if (Error error =
            checkBytes(array.argument, *needed.value, bytes[array.argument]))
      return error;
  }
  return {};
}
