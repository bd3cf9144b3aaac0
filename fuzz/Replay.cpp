//===- Replay.cpp - Runs a fuzzer's entry over files ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Takes files and folders of inputs. Stands in for libFuzzer where the corpus
// is only to be replayed. With -v first, prints the name of each before it is
// run, to find one that crashes.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const std::filesystem::path &path, bool verbose) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (verbose)
    std::fprintf(stderr, "%s\n", path.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                         bytes.size());
}

int main(int argc, char **argv) {
  size_t count = 0;
  bool verbose = argc > 1 && std::string(argv[1]) == "-v";
  for (int i = verbose ? 2 : 1; i < argc; ++i) {
    std::vector<std::filesystem::path> paths;
    if (std::filesystem::is_directory(argv[i]))
      for (const auto &entry : std::filesystem::directory_iterator(argv[i]))
        paths.push_back(entry.path());
    else
      paths.push_back(argv[i]);
    for (const auto &path : paths)
      replay(path, verbose);
    count += paths.size();
  }
  if (count == 0) {
    std::fprintf(stderr, "expected inputs to replay, got none\n");
    return 1;
  }
  std::printf("replayed %zu inputs\n", count);
  return 0;
}
