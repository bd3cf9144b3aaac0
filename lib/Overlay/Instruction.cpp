//===- Instruction.cpp - Encoding of instructions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Instruction.h"

#include <tuple>

using namespace gnn::overlay;
using namespace gnn::runtime;

#define GNN_OVERLAY_BEGIN(Name, text, code, summary)                           \
  bool Name::operator==(const Name &other) const {                             \
    bool same = true;
#define GNN_OVERLAY_FIELD(name, width, summary) same &= name == other.name;
#define GNN_OVERLAY_END(Name)                                                  \
  return same;                                                                 \
  }
#include "GNN/Overlay/Instructions.def"

bool Instruction::operator==(const Instruction &other) const {
  bool same = body == other.body;
#define GNN_OVERLAY_COMMON(name, width, summary) same &= name == other.name;
#include "GNN/Overlay/Instructions.def"
  return same;
}

namespace {
constexpr unsigned opcodeBits = 6;

// Fields of an instruction do not reach past its end.
#define GNN_OVERLAY_COMMON(name, width, summary) +width
constexpr unsigned commonBits = opcodeBits
#include "GNN/Overlay/Instructions.def"
    ;
static_assert(commonBits == 16, "a field of all instructions has moved");
#define GNN_OVERLAY_BEGIN(Name, text, code, summary) static_assert(commonBits
#define GNN_OVERLAY_FIELD(name, width, summary) +width
#define GNN_OVERLAY_END(Name) <= 128, #Name " has more than 128 bits");
#include "GNN/Overlay/Instructions.def"

/// Writes fields behind each other.
class BitWriter {
public:
  void add(uint64_t value, unsigned width) {
    for (unsigned bit = 0; bit < width; ++bit, ++at)
      if (value >> bit & 1)
        bytes[at / 8] |= static_cast<uint8_t>(1 << at % 8);
  }

  EncodedInstruction bytes = {};

private:
  unsigned at = 0;
};

/// Reads fields behind each other.
class BitReader {
public:
  explicit BitReader(const uint8_t *bytes) : bytes(bytes) {}

  uint64_t take(unsigned width) {
    uint64_t value = 0;
    for (unsigned bit = 0; bit < width; ++bit, ++at)
      value |= uint64_t(bytes[at / 8] >> at % 8 & 1) << bit;
    return value;
  }

  /// Whether all bits that are left are 0.
  bool restIsZero() {
    while (at < 8 * instructionBytes)
      if (take(1))
        return false;
    return true;
  }

private:
  const uint8_t *bytes;
  unsigned at = 0;
};

/// A field whose values are from `least` to `most`.
Error checkRange(const char *name, uint64_t value, uint64_t least,
                 uint64_t most) {
  if (least <= value && value <= most)
    return {};
  return failure("expected ", name, " from ", least, " to ", most, ", got ",
                 value);
}

Error checkValues(const Csi &csi) {
  if (Error error = checkRange("type", csi.type, 0, 5))
    return error;
  if (Error error = checkRange("aggregation", csi.aggregation, 0, 4))
    return error;
  return checkRange("activation", csi.activation, 0, 6);
}

Error checkValues(const Load &load) {
  if (Error error = checkRange("space", load.space, 0, 2))
    return error;
  if (load.byDescriptor && load.space == uint64_t(gnn::overlay::Space::Weights))
    return failure("expected edges or features by descriptor, got weights");
  if (load.fiberStride && load.space != uint64_t(gnn::overlay::Space::Weights))
    return failure("expected tiles of weights apart, got those of space ",
                   load.space);
  return {};
}

Error checkValues(const Store &store) {
  if (Error error = checkRange("space", store.space, 1, 2))
    return error;
  if (store.byDescriptor && store.space != uint64_t(gnn::overlay::Space::Edges))
    return failure("expected edges by descriptor, got features");
  if (store.fiber && store.space != uint64_t(gnn::overlay::Space::Features))
    return failure("expected a fiber of features, got one of edges");
  return {};
}

Error checkValues(const Spdmm &spdmm) {
  return checkRange("aggregation", spdmm.aggregation, 1, 4);
}

Error checkValues(const Act &act) {
  if (Error error = checkRange("kind", act.kind, 1, 7))
    return error;
  bool byColumn = act.kind == uint64_t(ActivationKind::Divide) ||
                  act.kind == uint64_t(ActivationKind::Affine);
  if (act.onEdges && byColumn)
    return failure("expected a function of one element on edges, got kind ",
                   act.kind);
  return {};
}

template <typename Body> Error checkValues(const Body &) { return {}; }

/// The limits that encoder and decoder share, besides those of widths.
Error checkValues(const Instruction &instruction) {
  if (Error error = checkRange("buffer", instruction.buffer, 0, outputBuffer))
    return error;
  if (Error error = checkRange("zero", instruction.zero, 0, 0))
    return error;
  return std::visit([](const auto &body) { return checkValues(body); },
                    instruction.body);
}

/// The first field that does not fit its width.
Error checkWidths(const Instruction &instruction) {
  Error found;
  auto check = [&](const char *name, unsigned width, uint64_t value) {
    if (!found && value >> width)
      found = failure("expected ", name, " of ", width, " bits, got ", value);
  };
#define GNN_OVERLAY_COMMON(name, width, summary)                               \
  check(#name, width, instruction.name);
#include "GNN/Overlay/Instructions.def"
  std::visit([&](const auto &body) { visitFields(body, check); },
             instruction.body);
  return found;
}

const char *mnemonicOf(const Instruction &instruction) {
  return std::visit([](const auto &body) { return body.mnemonic; },
                    instruction.body);
}
} // namespace

Expected<EncodedInstruction>
gnn::overlay::encode(const Instruction &instruction) {
  Error error = checkWidths(instruction);
  if (!error)
    error = checkValues(instruction);
  if (error)
    return error.in(mnemonicOf(instruction));
  BitWriter bits;
  bits.add(std::visit([](const auto &body) { return body.opcode; },
                      instruction.body),
           opcodeBits);
#define GNN_OVERLAY_COMMON(name, width, summary)                               \
  bits.add(instruction.name, width);
#include "GNN/Overlay/Instructions.def"
  std::visit(
      [&](const auto &body) {
        visitFields(body, [&](const char *, unsigned width, uint64_t value) {
          bits.add(value, width);
        });
      },
      instruction.body);
  return bits.bytes;
}

Expected<Instruction> gnn::overlay::decode(const uint8_t *bytes) {
  BitReader bits(bytes);
  uint64_t opcode = bits.take(opcodeBits);
  Instruction instruction;
  switch (opcode) {
#define GNN_OVERLAY_BEGIN(Name, text, code, summary)                           \
  case code:                                                                   \
    instruction.body = Name();                                                 \
    break;
#include "GNN/Overlay/Instructions.def"
  default:
    return failure("expected an opcode from 1 to 9, got ", opcode);
  }
#define GNN_OVERLAY_COMMON(name, width, summary)                               \
  instruction.name = bits.take(width);
#include "GNN/Overlay/Instructions.def"
  std::visit(
      [&](auto &body) {
        visitFields(body, [&](const char *, unsigned width, uint64_t &value) {
          value = bits.take(width);
        });
      },
      instruction.body);
  Error error = checkValues(instruction);
  if (!error && !bits.restIsZero())
    error = failure("expected 0 in the bits behind its fields");
  if (error)
    return error.in(mnemonicOf(instruction));
  return instruction;
}
