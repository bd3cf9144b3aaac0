//===- LatticeTest.cpp - Keys of structures and counts --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of all texts over the names of the lattice, as many are keys as there are
// groupings, maps and counts.
//
//===----------------------------------------------------------------------===//

#include "GNN/Lattice/Lattice.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace gnn;

namespace {
/// Every space in every order, whether it has it or not, and what is no space.
std::vector<std::string> allDomains() {
  const char *orders[] = {"",           ".in_rows",   ".out_rows",
                          ".src_pairs", ".dst_pairs", ".by_node",
                          ".by_type",   ".by_degree", ".degree_windows",
                          ".src_types", ".dst_types", ".node_types",
                          ".edge",      "."};
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

/// Counts `text` if it is a key, and holds its canonical text against it.
template <typename Key> void tryKey(const std::string &text, size_t &accepted) {
  std::string error;
  auto key = Key::parse(text, error);
  EXPECT_EQ(error.empty(), key.has_value()) << text << ": " << error;
  if (key)
    EXPECT_EQ(key->str(), text);
  accepted += key.has_value();
}

void tryStructure(const std::string &text, size_t &accepted) {
  tryKey<StructureKey>(text, accepted);
}

void tryCount(const std::string &text, size_t &accepted) {
  tryKey<CountKey>(text, accepted);
}
} // namespace

TEST(Lattice, KeysAreThoseOfTheTable) {
  size_t structures = 0, counts = 0;
  std::vector<std::string> domains = allDomains();
  for (const std::string &a : domains) {
    tryCount("count " + a, counts);
    for (const std::string &b : domains) {
      tryStructure("map " + a + " " + b, structures);
      if (a.find('.') != std::string::npos && b.find('.') != std::string::npos)
        continue; // groups in an order are tried with elements in none
      tryStructure("rows " + a + " " + b, structures);
      tryStructure("tiles " + a + " " + b + " 16", structures);
      tryStructure("tile_rows " + a + " " + b + " 16", structures);
      tryStructure("long_tiles " + a + " " + b + " 16", structures);
      tryStructure("long_tile_rows " + a + " " + b + " 16", structures);
      tryCount("tile_count " + a + " " + b + " 16", counts);
      tryCount("max_row " + a + " " + b, counts);
      tryCount("long_tile_count " + a + " " + b + " 16", counts);
      tryCount("long_element_count " + a + " " + b + " 16", counts);
    }
  }
  // 18 groupings and the graph over 31 domains, five times; 398 maps of a
  // graph and 229 to its parent.
  EXPECT_EQ(structures, 5 * (18 + 31) + 398 + 229);
  EXPECT_EQ(counts, 4 * (18 + 31) + 15);
}

TEST(Lattice, RowsThatNoTwoLeadTo) {
  auto isInjective = [](const char *from, const char *to) {
    std::string error;
    return gnn::isInjective(*OrderedSpace::parse(from, error),
                            *OrderedSpace::parse(to, error));
  };
  EXPECT_TRUE(isInjective("edge.in_rows", "edge"));
  EXPECT_TRUE(isInjective("edge.in_rows", "parent_edge.out_rows"));
  EXPECT_TRUE(isInjective("edge_type", "parent_edge_type"));
  EXPECT_TRUE(isInjective("dst", "parent_loop"));
  EXPECT_FALSE(isInjective("edge", "parent_loop"));
  std::string error;
  EXPECT_FALSE(OrderedSpace::parse("parent_loop.by_type", error));
  EXPECT_FALSE(StructureKey::parse("map src parent_loop", error));
  EXPECT_FALSE(isInjective("edge", "dst_pair"));
  EXPECT_FALSE(isInjective("edge", "parent_dst_pair"));
  EXPECT_FALSE(isInjective("src_pair", "src"));
  EXPECT_TRUE(isInjective("dst", "src"));
  EXPECT_FALSE(isInjective("src", "dst"));
  EXPECT_FALSE(isInjective("dst.by_type", "src"));
  EXPECT_FALSE(isInjective("dst", "src.by_type"));
}

TEST(Lattice, TileSizesAndSpaces) {
  size_t structures = 0, counts = 0;
  for (const char *size : {"", "0", "1", "064", "64", "2147483647",
                           "2147483648", "-1", "+1", "0x10", "16 "}) {
    tryStructure(std::string("tiles dst edge.in_rows ") + size, structures);
    tryCount(std::string("tile_count dst edge.in_rows ") + size, counts);
  }
  EXPECT_EQ(structures, 3u);
  EXPECT_EQ(counts, 3u);
  for (const char *key :
       {"", "map", "map  edge src", " map edge src", "map edge src ",
        "rows dst", "rows dst edge.in_rows 4", "tiles dst edge.in_rows",
        "count", "count edge src", "counts edge", "max_row dst",
        "tile_count dst"}) {
    tryStructure(key, structures);
    tryCount(key, counts);
  }
  EXPECT_EQ(structures, 3u);
  EXPECT_EQ(counts, 3u);
}
