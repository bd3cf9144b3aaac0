//===- Npy.h - NumPy arrays in files ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_NPY_H
#define GNN_RUNTIME_NPY_H

#include "GNN/Runtime/ArrayView.h"
#include "GNN/Runtime/DataType.h"
#include "GNN/Runtime/Error.h"
#include "GNN/Runtime/Files.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// An array as a .npy file has it, in C order: numbers, or text.
struct NpyArray {
  /// Text: `strings` holds the elements, as UTF-8.
  bool isText = false;
  /// Numbers: their type, and the elements in `bytes`.
  DataType dtype = DataType::F32;
  std::vector<int64_t> shape;
  std::string bytes;
  std::vector<std::string> strings;

  /// Number of elements.
  int64_t size() const;

  /// The elements as T, whose size must be that of the element type.
  template <typename T> ArrayView<T> values() const {
    return {reinterpret_cast<const T *>(bytes.data()),
            bytes.size() / sizeof(T)};
  }

  /// "f32[3x4]" or "text[5]".
  std::string describe() const;

  /// The elements of an integer or bool array as 32-bit integers; others and
  /// values out of range are errors that name the index.
  Expected<std::vector<int32_t>> toInt32() const;

  /// The elements of a number array as 32-bit floats.
  Expected<std::vector<float>> toFloat() const;
};

/// Reads the bytes of a .npy file of f4, f8, i1 to i8, u1 to u8, bool or text,
/// little-endian, in C order. Other files are errors, and so is a length that
/// contradicts the shape.
Expected<NpyArray> parseNpy(std::string bytes);

/// Reads a .npy file of at most `maxBytes`.
Expected<NpyArray> readNpy(const std::string &path,
                           int64_t maxBytes = physicalMemory());

/// The header of a .npy file, before the data, which are dense in C order.
/// NumPy has no bf16.
Expected<std::string> npyHeader(DataType dtype,
                                const std::vector<int64_t> &shape);

/// A .npz file: a zip archive of .npy files. All files that are read may have
/// `maxBytes` together once unpacked.
class NpzFile {
public:
  static Expected<std::unique_ptr<NpzFile>>
  open(const std::string &path, int64_t maxBytes = physicalMemory());

  /// `bytes` must outlive the file.
  static Expected<std::unique_ptr<NpzFile>>
  openBytes(std::string_view bytes, int64_t maxBytes = physicalMemory());

  ~NpzFile();

  /// Names of the arrays, without ".npy".
  std::vector<std::string> names() const;
  bool has(const std::string &name) const;

  /// The array of that name. Errors begin with it.
  Expected<NpyArray> read(const std::string &name) const;

private:
  struct State;
  explicit NpzFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_NPY_H
