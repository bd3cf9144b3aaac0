//===- TargetFields.cpp - Fields of a target ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/TargetFields.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;

namespace {
template <typename Struct, typename Value> struct Field {
  StringLiteral keyword;
  Value Struct::*value;
};
} // namespace

static constexpr Field<TargetLimits, int64_t> limitFields[] = {
#define GNN_LIMIT(name, keyword, summary) {keyword, &TargetLimits::name},
#include "GNN/Dialect/GNN/IR/TargetFields.def"
};
static constexpr Field<TargetAbilities, bool> abilityFields[] = {
#define GNN_ABILITY(name, keyword, summary) {keyword, &TargetAbilities::name},
#include "GNN/Dialect/GNN/IR/TargetFields.def"
};
static constexpr Field<TargetFigures, double> figureFields[] = {
#define GNN_FIGURE(name, keyword, summary) {keyword, &TargetFigures::name},
#include "GNN/Dialect/GNN/IR/TargetFields.def"
};

static constexpr ArrayRef<Field<TargetLimits, int64_t>>
fieldsOf(const TargetLimits &) {
  return limitFields;
}
static constexpr ArrayRef<Field<TargetAbilities, bool>>
fieldsOf(const TargetAbilities &) {
  return abilityFields;
}
static constexpr ArrayRef<Field<TargetFigures, double>>
fieldsOf(const TargetFigures &) {
  return figureFields;
}

template <typename Struct>
static bool areEqual(const Struct &a, const Struct &b) {
  return llvm::all_of(fieldsOf(a), [&](const auto &field) {
    return a.*field.value == b.*field.value;
  });
}

bool TargetLimits::operator==(const TargetLimits &other) const {
  return areEqual(*this, other);
}
bool TargetAbilities::operator==(const TargetAbilities &other) const {
  return areEqual(*this, other);
}
bool TargetFigures::operator==(const TargetFigures &other) const {
  return areEqual(*this, other);
}

template <typename Struct>
static llvm::hash_code hashFields(const Struct &value) {
  llvm::hash_code hash{0};
  for (const auto &field : fieldsOf(value))
    hash = llvm::hash_combine(
        hash, llvm::bit_cast<uint64_t>(double(value.*field.value)));
  return hash;
}

llvm::hash_code gnn::hash_value(const TargetLimits &limits) {
  return hashFields(limits);
}
llvm::hash_code gnn::hash_value(const TargetAbilities &abilities) {
  return hashFields(abilities);
}
llvm::hash_code gnn::hash_value(const TargetFigures &figures) {
  return hashFields(figures);
}

static void printValue(AsmPrinter &printer, int64_t value) { printer << value; }
static void printValue(AsmPrinter &printer, double value) {
  printer.printFloat(APFloat(value));
}

template <typename Struct>
static void printFields(AsmPrinter &printer, const Struct &value) {
  llvm::ListSeparator comma;
  printer << "{";
  for (const auto &field : fieldsOf(value)) {
    if (value.*field.value == 0)
      continue;
    printer << StringRef(comma) << field.keyword << " = ";
    printValue(printer, value.*field.value);
  }
  printer << "}";
}

void gnn::print(AsmPrinter &printer, const TargetLimits &limits) {
  printFields(printer, limits);
}
void gnn::print(AsmPrinter &printer, const TargetFigures &figures) {
  printFields(printer, figures);
}
void gnn::print(AsmPrinter &printer, const TargetAbilities &abilities) {
  llvm::ListSeparator comma;
  printer << "[";
  for (const auto &field : abilityFields)
    if (abilities.*field.value)
      printer << StringRef(comma) << field.keyword;
  printer << "]";
}

static ParseResult parseValue(AsmParser &parser, int64_t &value) {
  return parser.parseInteger(value);
}
static ParseResult parseValue(AsmParser &parser, double &value) {
  return parser.parseFloat(value);
}

/// Reads the name of a field that was not named before.
template <typename Struct>
static auto parseField(AsmParser &parser, const Struct &value, StringRef what,
                       SmallVectorImpl<StringRef> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  auto fields = fieldsOf(value);
  decltype(fields.begin()) none = nullptr;
  if (parser.parseKeyword(&name))
    return none;
  auto found = llvm::find_if(
      fields, [&](const auto &field) { return field.keyword == name; });
  if (found == fields.end()) {
    parser.emitError(loc, "expected ")
        << what << " of "
        << llvm::join(llvm::map_range(
                          fields,
                          [](const auto &f) -> StringRef { return f.keyword; }),
                      ", ")
        << ", got '" << name << "'";
    return none;
  }
  if (llvm::is_contained(seen, name)) {
    parser.emitError(loc, "expected each ")
        << what << " once, got '" << name << "' twice";
    return none;
  }
  seen.push_back(found->keyword);
  return found;
}

template <typename Struct>
static FailureOr<Struct> parseFields(AsmParser &parser, StringRef what) {
  Struct value;
  SmallVector<StringRef> seen;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Braces, [&]() -> ParseResult {
            auto field = parseField(parser, value, what, seen);
            return failure(!field || parser.parseEqual() ||
                           parseValue(parser, value.*field->value));
          }))
    return failure();
  return value;
}

FailureOr<TargetLimits> FieldParser<TargetLimits>::parse(AsmParser &parser) {
  return parseFields<TargetLimits>(parser, "limit");
}

FailureOr<TargetFigures> FieldParser<TargetFigures>::parse(AsmParser &parser) {
  return parseFields<TargetFigures>(parser, "figure");
}

FailureOr<TargetAbilities>
FieldParser<TargetAbilities>::parse(AsmParser &parser) {
  TargetAbilities value;
  SmallVector<StringRef> seen;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            auto field = parseField(parser, value, "ability", seen);
            if (field)
              value.*field->value = true;
            return failure(!field);
          }))
    return failure();
  return value;
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

TargetLimits TargetLimits::ofGPU() {
  TargetLimits limits;
  limits.lanes = 32;
  limits.threads = 1024;
  limits.processorThreads = 2048;
  limits.processorBlocks = 32;
  limits.sharedBytes = 48 << 10; // without asking for more
  limits.registers = 64 << 10;
  return limits;
}

TargetAttr gnn::findTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(attribute::target))
      return target;
  return nullptr;
}

TargetLimits gnn::getBlockLimits(Operation *op) {
  TargetAttr target = findTarget(op);
  return target && target.getLimits().lanes > 1 ? target.getLimits()
                                                : TargetLimits::ofGPU();
}

bool gnn::shareLanesRows(Operation *op) {
  TargetAttr target = findTarget(op);
  return !target || target.getLimits().lanes > 1;
}

/// The keyword of the first field that is less than 0, or not a number.
template <typename Struct>
static std::optional<StringRef> findNegative(const Struct &value) {
  for (const auto &field : fieldsOf(value))
    if (!(value.*field.value >= 0))
      return StringRef(field.keyword);
  return std::nullopt;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef kind, StringRef, StringRef,
                                 TargetLimits limits, TargetAbilities,
                                 TargetFigures figures) {
  if (kind.empty()) // C1
    return emitError() << "expected a kind of target, got an empty one";
  std::optional<StringRef> negative = findNegative(limits);
  if (!negative)
    negative = findNegative(figures);
  if (negative) // C2
    return emitError() << "expected '" << *negative << "' of at least 0";
  constexpr int64_t mostRegisters = 1024; // more than any core has
  int64_t vector = limits.vector, count = limits.vectorRegisters;
  if (kind == "cpu" && // C3
      (vector > 16 || !llvm::isPowerOf2_64(vector) || count < 8 ||
       count > mostRegisters))
    return emitError() << "expected a vector of 1, 2, 4, 8 or 16 and 8 to "
                       << mostRegisters << " registers, got " << vector
                       << " and " << count;
  return success();
}
