//===- NpzFuzzer.cpp - Feeds bytes to the loader of .npz files ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first byte of an input chooses how the rest is read: 'z' as an .npz file,
// 'n' as a .npy file, 'a' as arrays that are packed to an .npz file first, so
// that checksums do not stand in the way: (name's number, length in 2 bytes,
// bytes of a .npy file) one after another.

#include "Archive.h"

#include "GNN/Runtime/Npz.h"
#include "GNN/Runtime/Structures.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace gnn::runtime;

static constexpr int64_t kMaxBytes = 1 << 20;

static constexpr const char *kNames[] = {
    "edge_src",      "edge_dst",        "edge_type",  "node_type",
    "dst_node_type", "edge_type_names", "schema",     "node_type_names",
    "feat_indptr",   "feat_indices",    "feat_data",  "feat_dim",
    "label",         "label_names",     "train_mask", "edge_split"};

/// Uses all of a file that loaded.
static void use(const GraphFile &file) {
  (void)statistics(*file.graph);
  int64_t nodes = std::max<int64_t>(file.features.numNodes(), 1);
  if (file.features.dim < kMaxBytes / nodes)
    (void)file.features.dense();
  (void)file.features.dense(3);
}

static void loadPacked(std::string_view bytes) {
  std::map<std::string, std::string> entries;
  while (bytes.size() >= 3) {
    auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const char *name = kNames[byte(0) % std::size(kNames)];
    size_t length = static_cast<size_t>(byte(1) | byte(2) << 8);
    bytes.remove_prefix(3);
    length = std::min(length, bytes.size());
    entries[std::string(name) + ".npy"] = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  Expected<std::string> packed = packArchive(entries);
  if (!packed)
    return;
  Expected<GraphFile> file = GraphFile::loadBytes(*packed, kMaxBytes);
  if (file)
    use(*file);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (bytes.empty())
    return 0;
  char mode = bytes.front();
  bytes.remove_prefix(1);
  if (mode == 'z') {
    Expected<GraphFile> file = GraphFile::loadBytes(bytes, kMaxBytes);
    if (file)
      use(*file);
  } else if (mode == 'n') {
    Expected<NpyArray> array = parseNpy(std::string(bytes));
    if (array) {
      (void)array->toInt32();
      (void)array->toFloat();
    }
  } else if (mode == 'a') {
    loadPacked(bytes);
  }
  return 0;
}
