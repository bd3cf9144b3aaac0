//===- StructureKeysTest.cpp - One lattice, written twice -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler names structures and counts that the runtime builds: both accept
// the same keys.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Structure.h"
#include "GNN/Runtime/Structures.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace gnn;

namespace {
/// Every space in every order, whether it has it or not, and what is no space.
std::vector<std::string> allDomains() {
  const char *orders[] = {"",           ".in_rows",    ".out_rows",
                          ".src_pairs", ".dst_pairs",  ".by_node",
                          ".by_type",   ".by_degree",  ".src_types",
                          ".dst_types", ".node_types", ".edge",
                          "."};
  const char *spaces[] = {"edge",          "src_pair",  "dst_pair",
                          "src",           "dst",       "node",
                          "edge_type",     "node_type", "src_node_type",
                          "dst_node_type", "graph",     "pair"};
  std::vector<std::string> domains = {
      "", "192", "0", "parent_", "parent_192", "parent_parent_edge"};
  for (const char *prefix : {"", "parent_"})
    for (const char *space : spaces)
      for (const char *order : orders)
        domains.push_back(std::string(prefix) + space + order);
  return domains;
}

void compareStructure(const std::string &key, size_t &accepted) {
  std::string problem = tile::checkStructureKey(key);
  auto parsed = runtime::StructureKey::parse(key);
  EXPECT_EQ(problem.empty(), static_cast<bool>(parsed))
      << "'" << key << "', dialect: " << problem
      << ", runtime: " << parsed.message();
  accepted += problem.empty();
}

void compareCount(const std::string &key, size_t &accepted) {
  std::string problem = tile::checkCountKey(key);
  auto parsed = runtime::CountKey::parse(key);
  EXPECT_EQ(problem.empty(), static_cast<bool>(parsed))
      << "'" << key << "', dialect: " << problem
      << ", runtime: " << parsed.message();
  accepted += problem.empty();
}
} // namespace

TEST(StructureKeys, DialectAndRuntimeAcceptTheSame) {
  size_t structures = 0, counts = 0;
  std::vector<std::string> domains = allDomains();
  for (const std::string &a : domains) {
    compareCount("count " + a, counts);
    for (const std::string &b : domains) {
      compareStructure("map " + a + " " + b, structures);
      if (a.find('.') != std::string::npos && b.find('.') != std::string::npos)
        continue; // groups in an order are tried with elements in none
      compareStructure("rows " + a + " " + b, structures);
      compareStructure("tiles " + a + " " + b + " 16", structures);
      compareStructure("tile_rows " + a + " " + b + " 16", structures);
      compareCount("tile_count " + a + " " + b + " 16", counts);
      compareCount("max_row " + a + " " + b, counts);
    }
  }
  // 18 groupings and the graph over 25 domains, three times; 270 maps of a
  // graph and 157 to its parent.
  EXPECT_EQ(structures, 3 * (18 + 25) + 270 + 157);
  EXPECT_EQ(counts, 2 * (18 + 25) + 15);
}

TEST(StructureKeys, TileSizesAndSpacesAreReadAlike) {
  size_t structures = 0, counts = 0;
  for (const char *size : {"", "0", "1", "064", "64", "2147483647",
                           "2147483648", "-1", "+1", "0x10", "16 "}) {
    compareStructure(std::string("tiles dst edge.in_rows ") + size, structures);
    compareCount(std::string("tile_count dst edge.in_rows ") + size, counts);
  }
  EXPECT_EQ(structures, 3u);
  EXPECT_EQ(counts, 3u);
  for (const char *key :
       {"", "map", "map  edge src", " map edge src", "map edge src ",
        "rows dst", "rows dst edge.in_rows 4", "tiles dst edge.in_rows",
        "count", "count edge src", "counts edge", "max_row dst",
        "tile_count dst"}) {
    compareStructure(key, structures);
    compareCount(key, counts);
  }
  EXPECT_EQ(structures, 3u);
  EXPECT_EQ(counts, 3u);
}
