//===- GroupSort.cpp - Stable sorts of elements by small integers ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is passed over once: elements are spread over buckets, each of which
// is then sorted in a core's cache, by one count where its keys lie close
// together and by several digits where they do not. A bucket has consecutive
// keys. Where buckets end is found by counting the elements of finer chunks of
// keys, so that buckets have about as many elements each, whatever the keys. A
// key is a code here: its place among those between the least and the largest
// minor key that each major key has.
//
// The result is defined by the keys; threads and buckets only decide who
// computes what.
//
//===----------------------------------------------------------------------===//

#include "GroupSort.h"

#include "Parallel.h"

#include <algorithm>
#include <limits>

using namespace gnn::runtime;

namespace {
/// Elements of a bucket: what is sorted of them stays in a core's second cache.
constexpr size_t kBucketElements = size_t(1) << 15;
/// Elements that are sorted as one bucket: threads and a pass over memory would
/// cost more than they save.
constexpr size_t kFewElements = 4 * kBucketElements;
/// Most buckets, and chunks that they are made of, where few majors allow it.
constexpr size_t kMostBuckets = 1024, kMostChunks = 8192;
/// Codes of a bucket fit 32 bits.
constexpr int64_t kMostCodes = int64_t(1) << 31;

/// Where the codes and chunks of one major key begin.
struct Major {
  int64_t code = 0;
  uint32_t least = 0;
  uint32_t chunk = 0;
  uint32_t shift = 0;
};

/// Consecutive codes, and the elements that have them.
struct Bucket {
  int64_t code = 0;
  int64_t width = 0;
  size_t begin = 0;
  size_t size = 0;
};

/// The buckets of elements, and which of them each element falls in.
class Buckets {
public:
  explicit Buckets(const SortKeys &keys);

  size_t size() const { return all.size(); }
  const Bucket &operator[](size_t index) const { return all[index]; }
  const Major &major(size_t index) const { return majors[index]; }
  size_t numMajors() const { return majors.size(); }
  unsigned workers() const { return parts; }

  /// The major key that has a code, at or behind `from`.
  size_t findMajor(size_t from, int64_t code) const {
    while (from + 1 < majors.size() && majors[from + 1].code <= code)
      ++from;
    return from;
  }

  /// Calls body(part, element, bucket, code within the bucket) for all
  /// elements, those of a part one after the other and ascending.
  template <typename Body> void forElements(Body body) const;

  /// Calls body(element, place, bucket): where elements lie in the order of
  /// buckets, in which elements of one bucket ascend.
  template <typename Body> void forPlaces(Body body) const;

  /// The codes of all elements in the order of buckets.
  HostArray<uint32_t> spreadCodes() const;

private:
  void findMajors();
  void cutChunks();
  void count();
  void fill(const std::vector<HostArray<uint32_t>> &counts);

  size_t majorOf(size_t element) const {
    return keys.major.empty() ? 0 : static_cast<size_t>(keys.major[element]);
  }
  uint32_t minorOf(size_t element) const {
    return static_cast<uint32_t>(keys.minor[element]);
  }

  const SortKeys &keys;
  const size_t elements;
  unsigned parts;
  std::vector<Major> majors;
  std::vector<size_t> elementsOfMajor;
  int64_t codes = 0;
  size_t chunks = 0;
  std::vector<uint32_t> bucketOfChunk;
  std::vector<Bucket> all;
  /// By part and bucket: where the elements of the part begin.
  std::vector<HostArray<uint32_t>> starts;
};
} // namespace

Buckets::Buckets(const SortKeys &keys)
    : keys(keys), elements(keys.minor.size()), parts(partsOf(elements)) {
  findMajors();
  if (elements <= kFewElements && codes <= kMostCodes) {
    parts = 1;
    all.push_back({0, codes, 0, elements});
    return;
  }
  cutChunks();
  count();
}

/// The least and the largest minor key of each major key.
void Buckets::findMajors() {
  majors.resize(static_cast<size_t>(keys.numMajor));
  if (keys.major.empty()) {
    codes = keys.numMinor;
    elementsOfMajor = {elements};
    return;
  }
  struct Extent {
    int32_t least = std::numeric_limits<int32_t>::max();
    int32_t largest = -1;
    uint32_t size = 0;
  };
  unsigned tables = partsOf(elements, std::max(kItemsOfThread, majors.size()));
  std::vector<std::vector<Extent>> extents(tables);
  forParts(elements, tables, [&](unsigned part, size_t begin, size_t end) {
    std::vector<Extent> found(majors.size());
    for (size_t e = begin; e < end; ++e) {
      Extent &extent = found[static_cast<size_t>(keys.major[e])];
      extent.least = std::min(extent.least, keys.minor[e]);
      extent.largest = std::max(extent.largest, keys.minor[e]);
      ++extent.size;
    }
    extents[part] = std::move(found);
  });
  elementsOfMajor.resize(majors.size());
  for (size_t m = 0; m < majors.size(); ++m) {
    Extent whole;
    for (const std::vector<Extent> &found : extents) {
      whole.least = std::min(whole.least, found[m].least);
      whole.largest = std::max(whole.largest, found[m].largest);
      whole.size += found[m].size;
    }
    elementsOfMajor[m] = whole.size;
    majors[m].code = codes;
    majors[m].least = static_cast<uint32_t>(whole.least);
    if (whole.size)
      codes += int64_t(whole.largest) - whole.least + 1;
  }
}

/// Gives each major key as many chunks of codes as it has of the elements.
void Buckets::cutChunks() {
  size_t wanted =
      std::clamp(elements / (kBucketElements / 16), size_t(16), kMostChunks);
  for (size_t m = 0; m < majors.size(); ++m) {
    Major &major = majors[m];
    major.chunk = static_cast<uint32_t>(chunks);
    int64_t end = m + 1 < majors.size() ? majors[m + 1].code : codes;
    int64_t last = end - major.code - 1;
    if (last < 0)
      continue;
    auto most =
        static_cast<int64_t>(elementsOfMajor[m] * wanted / elements + 1);
    while ((last >> major.shift) >= most)
      ++major.shift;
    chunks += static_cast<size_t>(last >> major.shift) + 1;
  }
}

/// Counts the elements of chunks, and makes buckets of these.
void Buckets::count() {
  parts = partsOf(elements, std::max(kItemsOfThread, chunks));
  std::vector<HostArray<uint32_t>> counts(parts);
  forParts(elements, parts, [&](unsigned part, size_t begin, size_t end) {
    HostArray<uint32_t> found(chunks, 0);
    for (size_t e = begin; e < end; ++e) {
      const Major &major = majors[majorOf(e)];
      ++found[major.chunk + ((minorOf(e) - major.least) >> major.shift)];
    }
    counts[part] = std::move(found);
  });
  fill(counts);
}

void Buckets::fill(const std::vector<HostArray<uint32_t>> &counts) {
  size_t full = std::max(kBucketElements, elements / kMostBuckets);
  bucketOfChunk.resize(chunks);
  size_t major = 0, begin = 0;
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    while (major + 1 < majors.size() && majors[major + 1].chunk <= chunk)
      ++major;
    const Major &of = majors[major];
    int64_t code = of.code + (int64_t(chunk - of.chunk) << of.shift);
    int64_t end =
        std::min(code + (int64_t(1) << of.shift),
                 major + 1 < majors.size() ? majors[major + 1].code : codes);
    size_t size = 0;
    for (const HostArray<uint32_t> &count : counts)
      size += count[chunk];
    if (all.empty() || (all.back().size && all.back().size + size > full) ||
        end - all.back().code > kMostCodes)
      all.push_back({code, 0, begin, 0});
    all.back().size += size;
    all.back().width = end - all.back().code;
    bucketOfChunk[chunk] = static_cast<uint32_t>(all.size() - 1);
    begin += size;
  }
  starts.resize(parts);
  std::vector<uint32_t> next;
  for (const Bucket &bucket : all)
    next.push_back(static_cast<uint32_t>(bucket.begin));
  for (unsigned part = 0; part < parts; ++part) {
    starts[part].assign(next.begin(), next.end());
    for (size_t chunk = 0; chunk < chunks; ++chunk)
      next[bucketOfChunk[chunk]] += counts[part][chunk];
  }
}

template <typename Body> void Buckets::forElements(Body body) const {
  forParts(elements, parts, [&](unsigned part, size_t begin, size_t end) {
    const Major *table = majors.data();
    if (all.size() == 1) {
      for (size_t e = begin; e < end; ++e) {
        const Major &major = table[majorOf(e)];
        body(part, e, 0,
             static_cast<uint32_t>(major.code + minorOf(e) - major.least));
      }
      return;
    }
    const uint32_t *bucketOf = bucketOfChunk.data();
    const Bucket *buckets = all.data();
    for (size_t e = begin; e < end; ++e) {
      const Major &major = table[majorOf(e)];
      uint32_t offset = minorOf(e) - major.least;
      uint32_t bucket = bucketOf[major.chunk + (offset >> major.shift)];
      body(part, e, bucket,
           static_cast<uint32_t>(major.code + offset - buckets[bucket].code));
    }
  });
}

template <typename Body> void Buckets::forPlaces(Body body) const {
  if (all.size() == 1) {
    forRanges(elements, [&](size_t begin, size_t end) {
      for (size_t e = begin; e < end; ++e)
        body(e, e, 0);
    });
    return;
  }
  std::vector<HostArray<uint32_t>> next = starts;
  std::vector<uint32_t *> places;
  for (HostArray<uint32_t> &own : next)
    places.push_back(own.data());
  forElements([&](unsigned part, size_t e, uint32_t bucket, uint32_t) {
    body(e, places[part][bucket]++, bucket);
  });
}

HostArray<uint32_t> Buckets::spreadCodes() const {
  HostArray<uint32_t> codes(elements);
  uint32_t *out = codes.data();
  if (all.size() == 1) {
    forElements(
        [=](unsigned, size_t e, uint32_t, uint32_t code) { out[e] = code; });
    return codes;
  }
  std::vector<HostArray<uint32_t>> next = starts;
  std::vector<uint32_t *> places;
  for (HostArray<uint32_t> &own : next)
    places.push_back(own.data());
  forElements([&](unsigned part, size_t, uint32_t bucket, uint32_t code) {
    out[places[part][bucket]++] = code;
  });
  return codes;
}

//===----------------------------------------------------------------------===//
// Within a bucket
//===----------------------------------------------------------------------===//

namespace {
/// The memory with which a worker sorts buckets.
struct Scratch {
  HostArray<uint32_t> counts, codes[2], places[2];
  /// The groups found so far, bucket after bucket: their codes and sizes.
  HostArray<uint32_t> found, sizes;
};

/// At least `size` values, of any kind.
uint32_t *room(HostArray<uint32_t> &array, size_t size) {
  if (array.size() < size)
    array = HostArray<uint32_t>(size);
  return array.data();
}

uint32_t *zeros(HostArray<uint32_t> &array, size_t size) {
  uint32_t *values = room(array, size);
  std::fill(values, values + size, 0);
  return values;
}

/// Whether one count for each code is little work beside the elements.
bool isDense(const Bucket &bucket) {
  return bucket.width <=
         std::max<int64_t>(4 * static_cast<int64_t>(bucket.size), 1024);
}

/// Sorts (code, place in the bucket) by code, digit after digit. The result is
/// in the arrays returned.
std::pair<const uint32_t *, const uint32_t *>
sortDigits(const Bucket &bucket, const uint32_t *codes, Scratch &scratch) {
  size_t size = bucket.size;
  unsigned bits = 1;
  while (int64_t(1) << bits < bucket.width)
    ++bits;
  unsigned passes = (bits + 10) / 11, width = (bits + passes - 1) / passes;
  const uint32_t mask = (uint32_t(1) << width) - 1;
  const uint32_t *fromCode = codes, *fromPlace = nullptr;
  for (unsigned pass = 0; pass < passes; ++pass) {
    uint32_t *next = zeros(scratch.counts, size_t(mask) + 1);
    unsigned shift = pass * width;
    for (size_t i = 0; i < size; ++i)
      ++next[fromCode[i] >> shift & mask];
    for (uint32_t digit = 0, sum = 0; digit <= mask; ++digit)
      sum += std::exchange(next[digit], sum);
    uint32_t *toCode = room(scratch.codes[pass % 2], size);
    uint32_t *toPlace = room(scratch.places[pass % 2], size);
    for (size_t i = 0; i < size; ++i) {
      uint32_t to = next[fromCode[i] >> shift & mask]++;
      toCode[to] = fromCode[i];
      toPlace[to] = fromPlace ? fromPlace[i] : static_cast<uint32_t>(i);
    }
    fromCode = toCode;
    fromPlace = toPlace;
  }
  return {fromCode, fromPlace};
}

/// Turns the codes of a bucket into places in its sorted order, and points its
/// rows there.
void sortBucket(const Bucket &bucket, uint32_t *codes, int32_t *rows,
                Scratch &scratch) {
  auto begin = static_cast<int32_t>(bucket.begin);
  auto width = static_cast<size_t>(bucket.width);
  if (isDense(bucket)) {
    uint32_t *next = zeros(scratch.counts, width);
    for (size_t i = 0; i < bucket.size; ++i)
      ++next[codes[i]];
    uint32_t sum = 0;
    for (size_t code = 0; code < width; ++code) {
      rows[code] = begin + static_cast<int32_t>(sum);
      sum += std::exchange(next[code], sum);
    }
    for (size_t i = 0; i < bucket.size; ++i)
      codes[i] = next[codes[i]]++;
    return;
  }
  auto [sorted, places] = sortDigits(bucket, codes, scratch);
  size_t row = 0;
  for (size_t i = 0; i < bucket.size; ++i) {
    for (; row <= sorted[i]; ++row)
      rows[row] = begin + static_cast<int32_t>(i);
    codes[places[i]] = static_cast<uint32_t>(i);
  }
  std::fill(rows + row, rows + width,
            begin + static_cast<int32_t>(bucket.size));
}

/// Turns the codes of a bucket into the numbers of its groups, and adds these
/// to those found. Returns how many there are.
size_t findBucketGroups(const Bucket &bucket, uint32_t *codes,
                        Scratch &scratch) {
  size_t before = scratch.found.size(), groups = 0;
  auto width = static_cast<size_t>(bucket.width);
  scratch.found.resize(before + std::min(bucket.size, width));
  scratch.sizes.resize(scratch.found.size());
  uint32_t *found = scratch.found.data() + before;
  uint32_t *sizes = scratch.sizes.data() + before;
  if (isDense(bucket)) {
    uint32_t *count = zeros(scratch.counts, width);
    for (size_t i = 0; i < bucket.size; ++i)
      ++count[codes[i]];
    for (size_t code = 0; code < width; ++code) {
      uint32_t size = std::exchange(count[code], static_cast<uint32_t>(groups));
      if (!size)
        continue;
      found[groups] = static_cast<uint32_t>(code);
      sizes[groups++] = size;
    }
    for (size_t i = 0; i < bucket.size; ++i)
      codes[i] = count[codes[i]];
  } else {
    auto [sorted, places] = sortDigits(bucket, codes, scratch);
    for (size_t i = 0; i < bucket.size; ++i) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        found[groups] = sorted[i];
        sizes[groups++] = 0;
      }
      ++sizes[groups - 1];
      codes[places[i]] = static_cast<uint32_t>(groups - 1);
    }
  }
  scratch.found.resize(before + groups);
  scratch.sizes.resize(before + groups);
  return groups;
}
} // namespace

//===----------------------------------------------------------------------===//
// All buckets
//===----------------------------------------------------------------------===//

struct RowSort::State {
  explicit State(const SortKeys &keys)
      : buckets(keys), places(buckets.spreadCodes()) {}

  const Buckets buckets;
  /// The place in the sorted bucket of each element in the order of buckets.
  HostArray<uint32_t> places;
};

/// Whether elements are in the order of their minor keys as they are.
static bool areSorted(ArrayView<int32_t> keys) {
  size_t steps = keys.empty() ? 0 : keys.size() - 1;
  return findFirst(steps, [&](size_t i) { return keys[i] > keys[i + 1]; }) ==
         steps;
}

RowSort::RowSort(const SortKeys &keys)
    : keys(keys), rows(static_cast<size_t>(keys.numMinor) + 1) {
  if (areSorted(keys.minor)) {
    pointSortedRows();
    return;
  }
  state = std::make_unique<State>(keys);
  const Buckets &buckets = state->buckets;
  std::vector<Scratch> scratch(buckets.workers());
  forTasks(buckets.size(), buckets.workers(), [&](unsigned worker, size_t b) {
    const Bucket &bucket = buckets[b];
    sortBucket(bucket, state->places.data() + bucket.begin,
               rows.data() + bucket.code, scratch[worker]);
  });
  rows.back() = static_cast<int32_t>(keys.minor.size());
}

RowSort::~RowSort() = default;

void RowSort::pointSortedRows() {
  const ArrayView<int32_t> minor = keys.minor;
  forRanges(minor.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (int32_t row = i ? minor[i - 1] + 1 : 0; row <= minor[i]; ++row)
        rows[static_cast<size_t>(row)] = static_cast<int32_t>(i);
  });
  auto last = minor.empty() ? 0 : minor[minor.size() - 1] + 1;
  std::fill(rows.begin() + last, rows.end(),
            static_cast<int32_t>(minor.size()));
}

template <typename Value> Indices RowSort::arrange(Value value) const {
  Indices result(keys.minor.size());
  int32_t *out = result.data();
  if (!state) {
    forRanges(result.size(), [=](size_t begin, size_t end) {
      for (size_t e = begin; e < end; ++e)
        out[e] = value(e);
    });
    return result;
  }
  const Buckets &buckets = state->buckets;
  const uint32_t *places = state->places.data();
  if (buckets.size() == 1) {
    buckets.forPlaces(
        [=](size_t e, size_t, size_t) { out[places[e]] = value(e); });
    return result;
  }
  Indices spread(result.size());
  int32_t *between = spread.data();
  buckets.forPlaces(
      [=](size_t e, size_t place, size_t) { between[place] = value(e); });
  forTasks(buckets.size(), buckets.workers(), [&](unsigned, size_t b) {
    size_t begin = buckets[b].begin, end = begin + buckets[b].size;
    for (size_t i = begin; i < end; ++i)
      out[begin + places[i]] = between[i];
  });
  return result;
}

Indices RowSort::order() const {
  return arrange([](size_t e) { return static_cast<int32_t>(e); });
}

Indices RowSort::apply(ArrayView<int32_t> values) const {
  const int32_t *from = values.data();
  return arrange([=](size_t e) { return from[e]; });
}

Groups gnn::runtime::findGroups(const SortKeys &keys) {
  const Buckets buckets(keys);
  HostArray<uint32_t> codes = buckets.spreadCodes();
  /// The worker that found the groups of a bucket, and which of those found
  /// they are.
  struct Found {
    unsigned worker = 0;
    size_t begin = 0, size = 0;
  };
  std::vector<Found> found(buckets.size());
  std::vector<Scratch> scratch(buckets.workers());
  forTasks(buckets.size(), buckets.workers(), [&](unsigned worker, size_t b) {
    size_t begin = scratch[worker].found.size();
    found[b] = {worker, begin,
                findBucketGroups(buckets[b], codes.data() + buckets[b].begin,
                                 scratch[worker])};
  });
  std::vector<int32_t> base;
  size_t all = 0;
  for (const Found &bucket : found) {
    base.push_back(static_cast<int32_t>(all));
    all += bucket.size;
  }
  Groups result;
  result.minor = Indices(all);
  result.major = Indices(all);
  result.begin = Indices(all + 1);
  forTasks(buckets.size(), buckets.workers(), [&](unsigned, size_t b) {
    const Bucket &bucket = buckets[b];
    const Scratch &from = scratch[found[b].worker];
    size_t major = buckets.findMajor(0, bucket.code);
    auto begin = static_cast<int32_t>(bucket.begin);
    auto group = static_cast<size_t>(base[b]);
    for (size_t i = found[b].begin; i < found[b].begin + found[b].size; ++i) {
      int64_t code = bucket.code + from.found[i];
      major = buckets.findMajor(major, code);
      const Major &of = buckets.major(major);
      result.minor[group] = static_cast<int32_t>(of.least + code - of.code);
      result.major[group] = static_cast<int32_t>(major);
      result.begin[group++] = begin;
      begin += static_cast<int32_t>(from.sizes[i]);
    }
  });
  result.begin[all] = static_cast<int32_t>(keys.minor.size());
  scratch.clear();
  result.ofElement = Indices(keys.minor.size());
  int32_t *out = result.ofElement.data();
  buckets.forPlaces([&](size_t e, size_t place, size_t bucket) {
    out[e] = base[bucket] + static_cast<int32_t>(codes[place]);
  });
  return result;
}
