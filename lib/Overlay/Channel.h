//===- Channel.h - A channel of the memory ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_CHANNEL_H
#define GNN_LIB_OVERLAY_CHANNEL_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gnn::overlay {

/// A channel whose bandwidth those who transfer share equally. A transfer ends
/// with a cycle: what it leaves of its last one is lost. All numbers are whole,
/// so that results are exact.
class Channel {
public:
  static constexpr uint64_t never = UINT64_MAX;

  /// `bandwidth` / `cyclesOfBandwidth` bytes a cycle.
  Channel(uint64_t bandwidth, uint64_t cyclesOfBandwidth, unsigned users)
      : rate(bandwidth), scale(cyclesOfBandwidth), left(users), is(users) {
    for (unsigned count = 1; count <= users; ++count)
      shares = std::lcm(shares, count);
  }

  /// User `user` begins a transfer at time `now`.
  void start(unsigned user, uint64_t bytes, uint64_t now) {
    advance(now);
    left[user] = Wide(bytes) * scale * shares;
    is[user] = true;
    ++active;
    findNext();
  }

  /// The time when the next transfer ends.
  uint64_t nextEnd() const { return next; }

  /// Takes a transfer of the user that has ended at `now`; false: none has.
  bool finish(unsigned user, uint64_t now) {
    if (!is[user])
      return false;
    advance(now);
    if (left[user] > 0)
      return false;
    is[user] = false;
    --active;
    findNext();
    return true;
  }

private:
  __extension__ typedef unsigned __int128 Wide;

  Wide each() const { return Wide(rate) * (shares / active); }

  uint64_t cyclesFor(Wide work) const {
    return static_cast<uint64_t>((work + each() - 1) / each());
  }

  /// Until somebody starts or ends, time passes and the end stays.
  void findNext() {
    next = never;
    for (size_t user = 0; user < left.size(); ++user)
      if (is[user])
        next = std::min(next, time + cyclesFor(left[user]));
  }

  /// Gives the time until `now` to those who transfer.
  void advance(uint64_t now) {
    if (active && now > time) {
      Wide given = each() * (now - time);
      for (size_t user = 0; user < left.size(); ++user)
        if (is[user])
          left[user] -= std::min(left[user], given);
    }
    time = now;
  }

  uint64_t rate, scale;
  /// A number that all counts of users divide.
  uint64_t shares = 1;
  std::vector<Wide> left;
  std::vector<bool> is;
  unsigned active = 0;
  uint64_t time = 0, next = never;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_CHANNEL_H
