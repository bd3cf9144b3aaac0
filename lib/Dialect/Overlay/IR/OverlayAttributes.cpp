//===- OverlayAttributes.cpp - Attributes of the overlay ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their text and their checks; the labels are those of OverlayAttributes.td.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

using EmitError = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Functions and buffers
//===----------------------------------------------------------------------===//

LogicalResult ActAttr::verify(EmitError emitError, overlay::ActivationKind kind,
                              FloatAttr parameter) {
  if (kind == overlay::ActivationKind::None) // C1
    return emitError() << "expected a function, got none";
  bool takes = kind == overlay::ActivationKind::Prelu ||
               kind == overlay::ActivationKind::Divide;
  if (takes != bool(parameter)) // C2
    return emitError() << "expected " << (takes ? "a" : "no")
                       << " parameter of " << toWord(kind);
  if (parameter &&
      (!parameter.getType().isF32() || !parameter.getValue().isFinite())) // C2
    return emitError() << "expected a finite f32 number as the parameter of "
                       << toWord(kind) << ", got " << parameter;
  if (kind != overlay::ActivationKind::Divide)
    return success();
  double column = parameter.getValue().convertToDouble();
  if (std::signbit(column) || column > 65535 ||
      column != std::floor(column)) // C3
    return emitError() << "expected a whole number from 0 to 65535 as the "
                          "column of a divisor, got "
                       << parameter;
  return success();
}

void gnn::overlay::printNumber(AsmPrinter &printer, FloatAttr number) {
  const APFloat &value = number.getValue();
  SmallString<16> text;
  for (unsigned digits = 6; digits <= 9; ++digits) { // 9 are enough for f32
    text.clear();
    value.toString(text, digits, /*FormatMaxPadding=*/6);
    if (APFloat(value.getSemantics(), text).bitwiseIsEqual(value))
      break;
  }
  printer << text;
  if (text.find('.') == StringRef::npos) // else it is an integer
    printer << ".0";
}

ParseResult gnn::overlay::parseNumber(AsmParser &parser, FloatAttr &number) {
  APFloat value(0.0F);
  if (parser.parseFloat(APFloat::IEEEsingle(), value))
    return failure();
  number = FloatAttr::get(Float32Type::get(parser.getContext()), value);
  return success();
}

Attribute BuffersAttr::parse(AsmParser &parser, Type) {
  uint64_t bits = 0;
  auto parseOne = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    BufferBit bit;
    if (parseWord(parser, bit))
      return failure();
    if (bits & bit) // C1
      return parser.emitError(loc, "expected each buffer once");
    bits |= bit;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return {};
  return parser.getChecked<BuffersAttr>(parser.getContext(), bits);
}

void BuffersAttr::print(AsmPrinter &printer) const {
  llvm::ListSeparator comma;
  printer << "[";
  for (const Word<BufferBit> &word : Words<BufferBit>::list)
    if (getBits() & word.value)
      printer << StringRef(comma) << word.text;
  printer << "]";
}

LogicalResult BuffersAttr::verify(EmitError emitError, uint64_t bits) {
  if (bits == 0 || bits >= 16) // C1
    return emitError() << "expected one of four buffers or more, got the bits "
                       << bits;
  return success();
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

namespace {
struct ParameterField {
  StringLiteral keyword;
  uint64_t Parameters::*value;
};
} // namespace

static constexpr ParameterField parameterFields[] = {
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  {keyword, &Parameters::name},
#include "GNN/Overlay/Parameters.def"
};

llvm::hash_code gnn::overlay::hash_value(const Parameters &parameters) {
  llvm::hash_code hash{0};
  for (const ParameterField &field : parameterFields)
    hash = llvm::hash_combine(hash, parameters.*field.value);
  return hash;
}

void OverlayTargetAttr::print(AsmPrinter &printer) const {
  llvm::ListSeparator comma;
  printer << "<";
  for (const ParameterField &field : parameterFields)
    printer << StringRef(comma) << field.keyword << " = "
            << getValues().*field.value;
  printer << ">";
}

Attribute OverlayTargetAttr::parse(AsmParser &parser, Type) {
  Parameters parameters;
  uint64_t seen = 0;
  auto parseOne = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    const ParameterField *field =
        llvm::find_if(parameterFields, [&](const ParameterField &candidate) {
          return candidate.keyword == keyword;
        });
    if (field == std::end(parameterFields)) {
      InFlightDiagnostic diag = parser.emitError(loc, "expected one of ");
      llvm::interleaveComma(
          parameterFields, diag,
          [&](const ParameterField &known) { diag << known.keyword; });
      return diag << ", got '" << keyword << "'";
    }
    uint64_t bit = uint64_t(1) << (field - std::begin(parameterFields));
    if (seen & bit)
      return parser.emitError(loc, "expected '") << keyword << "' once";
    seen |= bit;
    return failure(parser.parseEqual() ||
                   parser.parseInteger(parameters.*field->value));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalLessGreater,
                                     parseOne))
    return {};
  return parser.getChecked<OverlayTargetAttr>(parser.getContext(), parameters);
}

LogicalResult OverlayTargetAttr::verify(EmitError emitError,
                                        Parameters values) {
  if (!llvm::isPowerOf2_64(values.psys) || values.psys < 2 ||
      values.psys > 16) // C1
    return emitError() << "expected psys to be 2, 4, 8 or 16, got "
                       << values.psys;
  if (values.featureColumns != 16) // C2
    return emitError() << "expected feature_columns to be 16, got "
                       << values.featureColumns;
  if (values.featureRows % values.psys != 0 || values.featureRows > 16384) // C3
    return emitError()
           << "expected feature_rows to be a multiple of psys up to "
              "16384, got "
           << values.featureRows;
  if (values.edges > 65536) // C3
    return emitError() << "expected edges to be at most 65536, got "
                       << values.edges;
  if (values.edges > values.featureRows * values.featureColumns) // C3
    return emitError()
           << "expected weights of edges to fit a feature buffer of "
           << values.featureRows * values.featureColumns << " words, got "
           << values.edges;
  for (const ParameterField &field : parameterFields)
    if (values.*field.value == 0) // C4
      return emitError() << "expected " << field.keyword << " to be positive";
  if (values.pes > 4096 || values.weightRows > 131072 ||
      values.memoryBytes > uint64_t(1) << 44) // C4
    return emitError() << "expected at most 4096 pes, 131072 weight_rows and "
                          "2^44 memory_bytes, got "
                       << values.pes << ", " << values.weightRows << " and "
                       << values.memoryBytes;
  return success();
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

int64_t PartitionAttr::getBlocks() const {
  return llvm::divideCeil(getVertices(), getN1());
}

int64_t PartitionAttr::getNumEntries(int64_t shard) const {
  return getEntries() ? getEntries()[shard] : getBlocks();
}

int64_t PartitionAttr::getNumEntries() const {
  return getSources() ? getSources().size() : getBlocks() * getBlocks();
}

int64_t PartitionAttr::getFibers(int64_t features) const {
  return llvm::divideCeil(features, getN2());
}

LogicalResult PartitionAttr::verify(EmitError emitError, int64_t vertices,
                                    int64_t edges, int64_t n1, int64_t n2,
                                    DenseI64ArrayAttr entries,
                                    DenseI64ArrayAttr sources,
                                    DenseI64ArrayAttr shardEdges) {
  if (n1 < 1 || n2 < 1 || vertices < 0 || edges < 0) // C1
    return emitError() << "expected positive n1 and n2, and no negative number";
  constexpr int64_t ids = int64_t(1) << 31;
  if (vertices >= ids || edges >= ids) // C1
    return emitError() << "expected fewer than " << ids
                       << " vertices and edges, got " << vertices << " and "
                       << edges;
  if (bool(entries) != bool(sources)) // C2
    return emitError() << "expected both entries and sources or neither";
  auto blocks = static_cast<int64_t>(llvm::divideCeil(vertices, n1));
  if (shardEdges) {
    int64_t left = edges;
    for (int64_t count : shardEdges.asArrayRef()) {
      if (count < 0 || count > left) // C4
        return emitError() << "expected numbers of edges of shards of at most "
                           << edges << " together, got " << shardEdges;
      left -= count;
    }
    if (shardEdges.size() != blocks) // C4
      return emitError() << "expected the edges of " << blocks
                         << " shards, got " << shardEdges.size();
  }
  if (!entries)
    return success();
  if (static_cast<int64_t>(entries.size()) != blocks) // C2
    return emitError() << "expected the entries of " << blocks
                       << " shards, got " << entries.size();
  ArrayRef<int64_t> rest = sources;
  for (int64_t count : entries.asArrayRef()) {
    if (count < 0 || count > static_cast<int64_t>(rest.size())) // C2
      return emitError() << "expected as many sources as entries";
    ArrayRef<int64_t> shard = rest.take_front(count);
    if (!llvm::is_sorted(shard) ||
        (count && (shard.front() < 0 || shard.back() >= blocks))) // C3
      return emitError() << "expected sources of a shard that ascend from 0 to "
                         << blocks - 1;
    rest = rest.drop_front(count);
  }
  if (!rest.empty()) // C2
    return emitError() << "expected as many sources as entries";
  return success();
}
