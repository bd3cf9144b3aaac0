//===- NpyBytes.h - Bytes of .npy and .npz files ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_NPYBYTES_H
#define GNN_UNITTESTS_RUNTIME_NPYBYTES_H

#include "Archive.h"

#include "GNN/Runtime/Files.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gnn::runtime::testing {

/// A .npy file with a header as NumPy writes it. `shape` is the literal's
/// inside: "3," or "2, 3".
inline std::string npyBytes(const std::string &descr, const std::string &shape,
                            const std::string &data,
                            const std::string &fortran = "False") {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': " + fortran +
                     ", 'shape': (" + shape + "), }";
  text.resize((10 + text.size() + 64) / 64 * 64 - 11, ' ');
  text += '\n';
  std::string bytes("\x93NUMPY\x01\0", 8);
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text + data;
}

template <typename T> std::string rawBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

/// A vector as a one-dimensional .npy file.
template <typename T>
std::string npy(const char *descr, const std::vector<T> &values) {
  return npyBytes(descr, std::to_string(values.size()) + ",", rawBytes(values));
}

/// ASCII strings as .npy text.
inline std::string npyText(const std::vector<std::string> &strings) {
  size_t width = 1;
  for (const std::string &string : strings)
    width = std::max(width, string.size());
  std::vector<uint32_t> characters(strings.size() * width, 0);
  for (size_t i = 0; i < strings.size(); ++i)
    for (size_t j = 0; j < strings[i].size(); ++j)
      characters[i * width + j] = static_cast<uint32_t>(strings[i][j]);
  return npyBytes("<U" + std::to_string(width),
                  std::to_string(strings.size()) + ",", rawBytes(characters));
}

/// The bytes of an .npz file from those of its .npy files.
inline std::string npz(const std::map<std::string, std::string> &arrays) {
  std::map<std::string, std::string> entries;
  for (const auto &[name, bytes] : arrays)
    entries[name + ".npy"] = bytes;
  return *packArchive(entries);
}

/// A small graph with all arrays: 3 nodes of 2 types, 4 edges of 2 types.
inline std::map<std::string, std::string> smallGraphArrays() {
  return {
      {"edge_src", npy<int32_t>("<i4", {0, 1, 2, 2})},
      {"edge_dst", npy<int32_t>("<i4", {1, 1, 0, 1})},
      {"edge_type", npy<int16_t>("<i2", {0, 0, 1, 1})},
      {"node_type", npy<int16_t>("<i2", {0, 0, 1})},
      {"edge_type_names", npyText({"cites", "wrote"})},
      {"node_type_names", npyText({"paper", "author"})},
      {"feat_indptr", npy<int32_t>("<i4", {0, 2, 3, 3})},
      {"feat_indices", npy<uint16_t>("<u2", {0, 4, 3})},
      {"feat_data", npy<float>("<f4", {1.5f, 2.0f, -1.0f})},
      {"feat_dim", npyBytes("<i4", "", rawBytes<int32_t>({5}))},
      {"label", npy<int32_t>("<i4", {1, 0, -1})},
      {"label_names", npyText({"a", "b"})},
      {"train_mask", npy<uint8_t>("|b1", {1, 0, 0})},
      {"edge_split", npy<int8_t>("|i1", {0, 1, 2, 0})},
  };
}

} // namespace gnn::runtime::testing

#endif // GNN_UNITTESTS_RUNTIME_NPYBYTES_H
