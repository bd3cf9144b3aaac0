//===- LatticeTest.cpp - Keys of structures and counts --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As many texts over the names of the lattice are keys as there are
// groupings, maps and counts.
//
//===----------------------------------------------------------------------===//

#include "GNN/Lattice/Lattice.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <string>
#include <utility>
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

/// Each 2,048 elements have the entries of their own, each of them once, and a
/// warp finds side by side what its teams load at once, however many they are.
TEST(Lattice, PlacesOfWords) {
  constexpr int64_t group = 2048, groups = 5;
  for (int64_t first = 0; first < group * groups; first += group) {
    std::vector<int> found(group, 0);
    for (int64_t p = first; p < first + group; ++p) {
      int64_t place = TeamShare::placeOfWord(p);
      EXPECT_EQ(place,
                p / 2048 * 2048 + p % 64 / 4 * 128 + p / 64 % 32 * 4 + p % 4);
      ASSERT_GE(place, first) << p;
      ASSERT_LT(place, first + group) << p;
      ++found[static_cast<size_t>(place - first)];
    }
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), group);
  }
  for (auto [element, place] :
       {std::pair<int64_t, int64_t>{0, 0},
        {3, 3},
        {4, 128},
        {63, 1923},
        {64, 4},
        {127, 1927},
        {1984, 124},
        {2047, 2047},
        {2048, 2048},
        {2052, 2176},
        {(int64_t(1) << 40) + 64, (int64_t(1) << 40) + 4}})
    EXPECT_EQ(TeamShare::placeOfWord(element), place) << element;
  for (int64_t turn = 0; turn < TeamShare::elements; turn += 4)
    for (int64_t share = 1; share < TeamShare::sharesTogether; ++share) {
      int64_t element = share * TeamShare::elements + turn;
      EXPECT_EQ(TeamShare::placeOfWord(element),
                TeamShare::placeOfWord(element - TeamShare::elements) +
                    TeamShare::wordsTogether);
    }
}

/// A block of any size has whole groups of the words of shares to read.
TEST(Lattice, StreamsHaveWholeGroups) {
  for (int64_t count :
       {0, 1, 63, 64, 65, 2047, 2048, 2049, 16383, 16384, 16385, 20000, 100003})
    for (int64_t block = TeamShare::elements; block <= TeamShare::mostOfBlock;
         block *= 2) {
      int64_t last = (count + block - 1) / block * block - 1;
      for (int64_t p = std::max<int64_t>(0, last - 2047); p <= last; ++p)
        ASSERT_LT(TeamShare::placeOfWord(p), TeamShare::streamLength(count))
            << count << " elements, blocks of " << block;
    }
}
