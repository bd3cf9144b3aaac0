//===- Testing.h - Kernels as text, run on the emulator ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_EMULATOR_TESTING_H
#define GNN_UNITTESTS_EMULATOR_TESTING_H

#include "GNN/Emulator/Emulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gnn::emulator {

/// `kernels` (gpu.funcs) compiled; an error fails the test.
inline std::unique_ptr<Emulator> emulate(const std::string &kernels,
                                         const Options &options = {},
                                         std::string *error = nullptr) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::DLTIDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::nvgpu::NVGPUDialect, mlir::NVVM::NVVMDialect,
                  mlir::scf::SCFDialect, mlir::ub::UBDialect,
                  mlir::vector::VectorDialect>();
  mlir::MLIRContext context(registry);
  std::string text = "gpu.module @kernels {\n" + kernels + "\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context), "k.mlir");
  if (!module) {
    ADD_FAILURE() << "the kernels do not parse";
    return nullptr;
  }
  auto emulator = Emulator::create(*module, options);
  if (!emulator) {
    std::string message = llvm::toString(emulator.takeError());
    if (error)
      *error = message;
    else
      ADD_FAILURE() << message;
    return nullptr;
  }
  return std::move(*emulator);
}

/// The arguments of a launch: vectors as pointers, integers as they are.
class Arguments {
public:
  template <typename... Ts> explicit Arguments(Ts &&...arguments) {
    (add(arguments), ...);
    for (size_t i = 0; i < held.size(); ++i)
      addresses.push_back(&held[i]);
  }

  std::vector<void *> addresses;
  std::vector<int64_t> bytes;

private:
  template <typename T> void add(std::vector<T> &buffer) {
    held.push_back(reinterpret_cast<int64_t>(buffer.data()));
    bytes.push_back(buffer.size() * sizeof(T));
  }
  void add(int64_t value) {
    held.push_back(value);
    bytes.push_back(-1);
  }

  std::vector<int64_t> held;
};

/// Runs a kernel; the error's text, empty where all went well.
inline std::string run(Emulator &emulator, const std::string &kernel,
                       std::array<int64_t, 3> grid,
                       std::array<int64_t, 3> block, const Arguments &arguments,
                       std::optional<uint64_t> seed = std::nullopt,
                       int64_t dynamicSharedBytes = 0) {
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.arguments = arguments.addresses;
  launch.argumentBytes = arguments.bytes;
  launch.seed = seed;
  launch.dynamicSharedBytes = dynamicSharedBytes;
  return llvm::toString(emulator.launch(kernel, launch));
}

/// Numbers from a seed, in [-1, 1).
inline std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

/// Bytes equal, NaNs included.
template <typename T>
bool sameBits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

} // namespace gnn::emulator

#endif // GNN_UNITTESTS_EMULATOR_TESTING_H
