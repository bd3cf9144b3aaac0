//===- Instruction.h - Instructions of the overlay --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_INSTRUCTION_H
#define GNN_OVERLAY_INSTRUCTION_H

#include "GNN/Runtime/Error.h"

#include <array>
#include <cstdint>
#include <variant>

namespace gnn::overlay {

enum class LayerType : uint64_t {
  Aggregate = 0,
  Linear = 1,
  VectorInner = 2,
  VectorAdd = 3,
  Activation = 4,
  BatchNorm = 5
};

enum class Aggregation : uint64_t {
  None = 0,
  Max = 1,
  Sum = 2,
  Min = 3,
  Mean = 4
};

enum class ActivationKind : uint64_t {
  None = 0,
  Relu = 1,
  Prelu = 2,
  Swish = 3,
  Exp = 4,
  Sigmoid = 5,
  Divide = 6,
  Affine = 7
};

/// The memory that a load or a store is of.
enum class Space : uint64_t { Weights = 0, Edges = 1, Features = 2 };

enum class InitValue : uint64_t { Zero = 0, Lowest = 1, Highest = 2, Bias = 3 };

/// Bits of `unlock`.
enum BufferBit : uint64_t {
  WeightBit = 1,
  EdgeBit = 2,
  FeatureBit = 4,
  OutputBit = 8
};

/// The output as the buffer of an instruction.
constexpr uint64_t outputBuffer = 2;

/// Bytes of units of addresses, of a descriptor, of an edge and of an
/// instruction.
constexpr uint64_t addressUnit = 64;
constexpr uint64_t descriptorBytes = 16;
constexpr uint64_t edgeBytes = 12;
constexpr uint64_t instructionBytes = 16;

/// Structs of fields, as Instructions.def lists them: `opcode`, `mnemonic`, and
/// `visit`, which calls a function of (name, width, field) for each field.
#define GNN_OVERLAY_BEGIN(Name, text, code, summary)                           \
  struct Name {                                                                \
    static constexpr uint64_t opcode = code;                                   \
    static constexpr const char *mnemonic = text;
#define GNN_OVERLAY_FIELD(name, width, summary) uint64_t name = 0;
#define GNN_OVERLAY_END(Name)                                                  \
  bool operator==(const Name &other) const;                                    \
  }                                                                            \
  ;
#include "GNN/Overlay/Instructions.def"

#define GNN_OVERLAY_BEGIN(Name, text, code, summary)                           \
  template <typename Self, typename Visitor>                                   \
  void visitFieldsOf##Name(Self &self, Visitor visitor) {
#define GNN_OVERLAY_FIELD(name, width, summary)                                \
  visitor(#name, width, self.name);
#define GNN_OVERLAY_END(Name)                                                  \
  }                                                                            \
  template <typename Visitor> void visitFields(Name &self, Visitor visitor) {  \
    visitFieldsOf##Name(self, visitor);                                        \
  }                                                                            \
  template <typename Visitor>                                                  \
  void visitFields(const Name &self, Visitor visitor) {                        \
    visitFieldsOf##Name(self, visitor);                                        \
  }
#include "GNN/Overlay/Instructions.def"

/// The fields that all instructions have.
struct CommonFields {
#define GNN_OVERLAY_COMMON(name, width, summary) uint64_t name = 0;
#include "GNN/Overlay/Instructions.def"
};

/// An instruction: fields that all have, and its own.
struct Instruction : CommonFields {
  std::variant<Csi, Load, Store, Init, Gemm, Spdmm, Sddmm, Vadd, Act> body;

  Instruction() = default;
  template <typename Body> Instruction(Body body) : body(body) {}

  /// The fields of that kind of instruction; null: it is another.
  template <typename Body> const Body *as() const {
    return std::get_if<Body>(&body);
  }

  bool operator==(const Instruction &other) const;
  bool operator!=(const Instruction &other) const { return !(*this == other); }
};

using EncodedInstruction = std::array<uint8_t, instructionBytes>;

/// The bytes of an instruction. Errors: a field that does not fit its width.
runtime::Expected<EncodedInstruction> encode(const Instruction &instruction);

/// Decodes 16 bytes. Errors: an unknown opcode, unused bits that are not 0, and
/// values that a field cannot have.
runtime::Expected<Instruction> decode(const uint8_t *bytes);

} // namespace gnn::overlay

#endif // GNN_OVERLAY_INSTRUCTION_H
