//===- Files.h - Files of the tests -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_FILES_H
#define GNN_UNITTESTS_RUNTIME_FILES_H

#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace gnn::runtime::testing {

/// A folder that goes with the test.
struct Folder {
  Folder() {
    char name[] = "/tmp/gnn-runtime-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    for (const std::string &file : files())
      unlink((path + "/" + file).c_str());
    rmdir(path.c_str());
  }
  std::vector<std::string> files() const {
    std::vector<std::string> result;
    DIR *directory = opendir(path.c_str());
    while (dirent *entry = readdir(directory))
      if (entry->d_name[0] != '.')
        result.push_back(entry->d_name);
    closedir(directory);
    return result;
  }
  std::string path;
};

inline std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace gnn::runtime::testing

#endif // GNN_UNITTESTS_RUNTIME_FILES_H
