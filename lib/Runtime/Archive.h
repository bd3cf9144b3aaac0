//===- Archive.h - Zip archives ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_ARCHIVE_H
#define GNN_LIB_RUNTIME_ARCHIVE_H

#include "GNN/Runtime/Error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// A zip archive that is read. Nothing it says of its sizes is believed: memory
/// grows with the bytes that really come. An entry that is there twice is an
/// error.
class Archive {
public:
  static Expected<std::unique_ptr<Archive>> open(const std::string &path);

  /// `bytes` must outlive the archive.
  static Expected<std::unique_ptr<Archive>> openBytes(std::string_view bytes);

  ~Archive();

  /// The names of the entries, in the archive's order.
  const std::vector<std::string> &names() const { return entryNames; }

  bool has(const std::string &name) const;

  /// An entry's bytes, unpacked; more than `maxBytes` are an error.
  Expected<std::string> read(const std::string &name, int64_t maxBytes) const;

private:
  struct Handle;
  Archive();
  static Expected<std::unique_ptr<Archive>>
  wrap(std::unique_ptr<Archive> archive);
  std::unique_ptr<Handle> handle;
  std::vector<std::string> entryNames;
};

/// The bytes of an archive with these entries; the same entries always give
/// the same bytes.
Expected<std::string>
packArchive(const std::map<std::string, std::string> &entries);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_ARCHIVE_H
