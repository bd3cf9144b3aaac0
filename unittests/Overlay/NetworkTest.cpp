//===- NetworkTest.cpp - Switches -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Butterfly.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace gnn::overlay;

TEST(Butterfly, TakesACycleAStage) {
  for (uint32_t ports : {2u, 4u, 16u}) {
    uint32_t stages = 0;
    while (1u << stages < ports)
      ++stages;
    for (uint32_t from = 0; from < ports; ++from)
      for (uint32_t to = 0; to < ports; ++to) {
        Butterfly network(ports, 2);
        network.push(from, {to, from});
        uint32_t cycles = 0, found = ports;
        while (found == ports && cycles < 100) {
          ++cycles;
          network.step([&](const Packet &packet) {
            found = packet.port;
            return true;
          });
        }
        EXPECT_EQ(found, to);
        EXPECT_EQ(cycles, stages);
      }
  }
}

TEST(Butterfly, ServesInputsInTurn) {
  Butterfly network(4, 2);
  std::map<uint32_t, int> arrived;
  for (int cycle = 0; cycle < 100; ++cycle) {
    network.step([&](const Packet &packet) {
      ++arrived[packet.value];
      return true;
    });
    for (uint32_t input : {0u, 2u})
      if (network.takes(input))
        network.push(input, {1, input});
  }
  EXPECT_NEAR(arrived[0], arrived[2], 1);
  // The output gives one a cycle.
  EXPECT_NEAR(arrived[0] + arrived[2], 100, 3);
}

TEST(Butterfly, LosesNothingWhereNobodyTakes) {
  std::mt19937 random(3);
  Butterfly network(16, 3);
  uint32_t pushed = 0;
  std::vector<int> arrived;
  for (int cycle = 0; cycle < 2000; ++cycle) {
    network.step([&](const Packet &packet) {
      // Half of the ports are shut at first.
      if (cycle < 500 && packet.port % 2)
        return false;
      ++arrived[packet.value];
      return true;
    });
    for (uint32_t port = 0; cycle < 1000 && port < 16; ++port)
      if (network.takes(port)) {
        network.push(port, {static_cast<uint32_t>(random() % 16), pushed++});
        arrived.push_back(0);
      }
  }
  EXPECT_GT(pushed, 1000u);
  for (uint32_t value = 0; value < pushed; ++value)
    EXPECT_EQ(arrived[value], 1) << value;
}
