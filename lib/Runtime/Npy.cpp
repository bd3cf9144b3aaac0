//===- Npy.cpp - NumPy arrays in files ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Npy.h"

#include "Archive.h"
#include "Guarded.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

using namespace gnn::runtime;

namespace {
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxDimensions = 32;

struct NpyType {
  const char *descr;
  DataType type;
  bool readable;
};

constexpr NpyType kNpyTypes[] = {
    {"<f4", DataType::F32, true}, {"<f8", DataType::F64, true},
    {"|i1", DataType::I8, true},  {"<i2", DataType::I16, true},
    {"<i4", DataType::I32, true}, {"<i8", DataType::I64, true},
    {"|u1", DataType::U8, true},  {"<u2", DataType::U16, true},
    {"<u4", DataType::U32, true}, {"<u8", DataType::U64, true},
    {"|b1", DataType::I1, true},  {"<f2", DataType::F16, false},
};

/// The fields of a header.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the Python literal that a header is: a dict of three known keys.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  std::optional<Header> parse() {
    Header header;
    bool seen[3] = {};
    if (!take('{'))
      return std::nullopt;
    while (!take('}')) {
      std::optional<std::string> key = quoted();
      if (!key || !take(':'))
        return std::nullopt;
      size_t field = *key == "descr"           ? 0
                     : *key == "fortran_order" ? 1
                     : *key == "shape"         ? 2
                                               : 3;
      if (field == 3 || seen[field] || !value(field, header))
        return std::nullopt;
      seen[field] = true;
      if (!take(',') && peek() != '}')
        return std::nullopt;
    }
    skip();
    if (!text.empty() || !seen[0] || !seen[1] || !seen[2])
      return std::nullopt;
    return header;
  }

private:
  void skip() {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n'))
      text.remove_prefix(1);
  }
  char peek() {
    skip();
    return text.empty() ? '\0' : text.front();
  }
  bool take(char c) {
    if (peek() != c || text.empty())
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    skip();
    if (text.substr(0, word.size()) != word)
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> quoted() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find(quote, 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string result(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    return result;
  }
  bool value(size_t field, Header &header) {
    if (field == 0) {
      std::optional<std::string> descr = quoted();
      header.descr = descr.value_or("");
      return descr.has_value();
    }
    if (field == 1) {
      header.fortranOrder = take("True");
      return header.fortranOrder || take("False");
    }
    return shape(header.shape);
  }
  bool shape(std::vector<int64_t> &sizes) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t size = 0;
      skip();
      auto [end, status] =
          std::from_chars(text.data(), text.data() + text.size(), size);
      if (status != std::errc() || size < 0 || sizes.size() == kMaxDimensions)
        return false;
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      sizes.push_back(size);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
};

std::string readable() {
  std::string text;
  for (const NpyType &row : kNpyTypes)
    if (row.readable)
      text += std::string(row.descr) + ", ";
  return text + "<U";
}

/// Bytes a shape takes; none where they pass 63 bits.
std::optional<int64_t> bytesOf(const std::vector<int64_t> &shape,
                               int64_t elementBytes) {
  if (std::count(shape.begin(), shape.end(), 0))
    return 0;
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return std::nullopt;
  return bytes;
}

void appendUtf8(std::string &text, uint32_t c) {
  auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xc0 | c >> 6);
    add(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  } else {
    add(0xf0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3f));
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  }
}

/// Elements of `width` UTF-32 characters each, zeros at the end left out.
Expected<std::vector<std::string>> parseText(const std::string &bytes,
                                             size_t width) {
  std::vector<std::string> strings;
  for (size_t begin = 0; begin < bytes.size(); begin += 4 * width) {
    std::vector<uint32_t> characters(width);
    std::memcpy(characters.data(), bytes.data() + begin, 4 * width);
    while (!characters.empty() && characters.back() == 0)
      characters.pop_back();
    std::string text;
    for (uint32_t c : characters) {
      if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return failure("element ", strings.size(),
                       ": expected a Unicode character, got ", c);
      appendUtf8(text, c);
    }
    strings.push_back(std::move(text));
  }
  return strings;
}

/// The header and where the data begins.
Expected<Header> parseHeader(std::string_view bytes, size_t &dataBegin) {
  if (bytes.size() < 10 || bytes.substr(0, kMagic.size()) != kMagic)
    return failure("expected a .npy array, got ", bytes.size(),
                   " bytes that begin otherwise");
  auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[i]));
  };
  size_t version = byte(6), begin = 10, length = byte(8) | byte(9) << 8;
  if (version < 1 || version > 3)
    return failure("expected .npy version 1 to 3, got ", version);
  if (version > 1) {
    if (bytes.size() < 12)
      return failure("expected a header, got the end of the file");
    begin = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > bytes.size() - begin)
    return failure("expected a header of ", length, " bytes, got ",
                   bytes.size() - begin);
  std::optional<Header> header =
      HeaderParser(bytes.substr(begin, length)).parse();
  if (!header)
    return failure("expected a header with a plain descr, fortran_order and a "
                   "shape of at most ",
                   kMaxDimensions, " sizes, got something else");
  if (header->fortranOrder && header->shape.size() > 1)
    return failure("expected C order, got Fortran order");
  dataBegin = begin + length;
  return std::move(*header);
}

/// Bytes of an element of text: 4 for each of its characters; none where
/// `descr` is no text.
std::optional<int64_t> textBytes(std::string_view descr) {
  int64_t width = 0;
  if (descr.size() < 3 || descr.substr(0, 2) != "<U")
    return std::nullopt;
  descr.remove_prefix(2);
  auto [end, status] =
      std::from_chars(descr.data(), descr.data() + descr.size(), width);
  if (status != std::errc() || end != descr.data() + descr.size() ||
      width < 1 || width > (int64_t(1) << 32))
    return std::nullopt;
  return 4 * width;
}
} // namespace

int64_t NpyArray::size() const {
  return isText ? static_cast<int64_t>(strings.size())
                : static_cast<int64_t>(bytes.size()) / byteSize(dtype);
}

std::string NpyArray::describe() const {
  std::string text = isText ? "text[" : std::string(name(dtype)) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + std::to_string(shape[i]);
  return text + "]";
}

Expected<NpyArray> gnn::runtime::parseNpy(std::string bytes) {
  return guarded("array", [&]() -> Expected<NpyArray> {
    size_t dataBegin = 0;
    Expected<Header> header = parseHeader(bytes, dataBegin);
    if (!header)
      return header.takeError();
    NpyArray array;
    array.shape = header->shape;
    std::optional<int64_t> elementBytes = textBytes(header->descr);
    array.isText = elementBytes.has_value();
    for (const NpyType &row : kNpyTypes)
      if (row.readable && header->descr == row.descr) {
        array.dtype = row.type;
        elementBytes = byteSize(row.type);
      }
    if (!elementBytes)
      return failure("expected an element type of ", readable(), "; got '",
                     header->descr, "'");
    std::optional<int64_t> expected = bytesOf(array.shape, *elementBytes);
    int64_t got = static_cast<int64_t>(bytes.size() - dataBegin);
    if (!expected || *expected != got)
      return failure("expected ",
                     expected ? std::to_string(*expected) : "over 2^63",
                     " bytes for ", array.describe(), ", got ", got);
    bytes.erase(0, dataBegin);
    if (!array.isText) {
      array.bytes = std::move(bytes);
      return array;
    }
    auto strings = parseText(bytes, static_cast<size_t>(*elementBytes) / 4);
    if (!strings)
      return strings.takeError();
    array.strings = std::move(*strings);
    return array;
  });
}

Expected<NpyArray> gnn::runtime::readNpy(const std::string &path,
                                         int64_t maxBytes) {
  Expected<std::string> bytes = readFile(path, maxBytes);
  if (!bytes)
    return bytes.takeError();
  Expected<NpyArray> array = parseNpy(std::move(*bytes));
  if (!array)
    return array.takeError().in(path);
  return array;
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Calls `body` with a null pointer of the C++ type of a number array; false
/// for text and half floats.
template <typename Body>
static bool withType(const NpyArray &array, Body body) {
  if (array.isText)
    return false;
  switch (array.dtype) {
  case DataType::F32:
    return body(static_cast<float *>(nullptr)), true;
  case DataType::F64:
    return body(static_cast<double *>(nullptr)), true;
  case DataType::I8:
    return body(static_cast<int8_t *>(nullptr)), true;
  case DataType::I16:
    return body(static_cast<int16_t *>(nullptr)), true;
  case DataType::I32:
    return body(static_cast<int32_t *>(nullptr)), true;
  case DataType::I64:
    return body(static_cast<int64_t *>(nullptr)), true;
  case DataType::I1:
  case DataType::U8:
    return body(static_cast<uint8_t *>(nullptr)), true;
  case DataType::U16:
    return body(static_cast<uint16_t *>(nullptr)), true;
  case DataType::U32:
    return body(static_cast<uint32_t *>(nullptr)), true;
  case DataType::U64:
    return body(static_cast<uint64_t *>(nullptr)), true;
  case DataType::F16:
  case DataType::BF16:
    return false;
  }
  return false;
}

template <typename T>
static Expected<std::vector<int32_t>> narrow(const NpyArray &array) {
  ArrayView<T> values = array.values<T>();
  std::vector<int32_t> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = static_cast<int32_t>(values[i]);
    if (static_cast<T>(result[i]) != values[i] ||
        (result[i] < 0) != (values[i] < T(0)))
      return failure("element ", i, ": expected an integer of 32 bits, got ",
                     +values[i]);
  }
  return result;
}

Expected<std::vector<int32_t>> NpyArray::toInt32() const {
  return guarded("array", [&]() -> Expected<std::vector<int32_t>> {
    Expected<std::vector<int32_t>> result =
        failure("expected integers, got ", describe());
    withType(*this, [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      if constexpr (std::is_integral_v<T>)
        result = narrow<T>(*this);
    });
    return result;
  });
}

Expected<std::vector<float>> NpyArray::toFloat() const {
  return guarded("array", [&]() -> Expected<std::vector<float>> {
    std::vector<float> result;
    bool known = withType(*this, [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      for (T value : values<T>())
        result.push_back(static_cast<float>(value));
    });
    if (!known)
      return failure("expected numbers, got ", describe());
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The header of version 1, padded so that the data begin at a multiple of 64.
static std::string packHeader(const char *descr,
                              const std::vector<int64_t> &shape) {
  std::string text = std::string("{'descr': '") + descr +
                     "', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    text += std::to_string(size) + ", ";
  if (shape.size() > 1)
    text.resize(text.size() - 2);
  else if (shape.size() == 1)
    text.resize(text.size() - 1); // (3,)
  text += "), }";
  size_t total = (10 + text.size() + 1 + 63) / 64 * 64;
  text.append(total - 10 - text.size() - 1, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xff),
             static_cast<char>(text.size() >> 8)};
  return header + text;
}

Expected<std::string>
gnn::runtime::npyHeader(DataType dtype, const std::vector<int64_t> &shape) {
  return guarded("array", [&]() -> Expected<std::string> {
    const char *descr = nullptr;
    for (const NpyType &row : kNpyTypes)
      if (row.type == dtype)
        descr = row.descr;
    if (!descr)
      return failure("expected an element type that NumPy has, got ",
                     name(dtype));
    bool negative = std::any_of(shape.begin(), shape.end(),
                                [](int64_t size) { return size < 0; });
    if (negative || !bytesOf(shape, byteSize(dtype)) ||
        shape.size() > kMaxDimensions)
      return failure("expected a shape of at most ", kMaxDimensions,
                     " sizes of 0 or more");
    return packHeader(descr, shape);
  });
}

//===----------------------------------------------------------------------===//
// Archives of arrays
//===----------------------------------------------------------------------===//

struct NpzFile::State {
  std::unique_ptr<Archive> archive;
  /// Bytes that arrays may still take.
  int64_t bytesLeft = 0;
};

NpzFile::NpzFile(std::unique_ptr<State> state) : state(std::move(state)) {}

NpzFile::~NpzFile() = default;

Expected<std::unique_ptr<NpzFile>> NpzFile::open(const std::string &path,
                                                 int64_t maxBytes) {
  return guarded("npz", [&]() -> Expected<std::unique_ptr<NpzFile>> {
    auto archive = Archive::open(path);
    if (!archive)
      return archive.takeError();
    return std::unique_ptr<NpzFile>(new NpzFile(
        std::make_unique<State>(State{std::move(*archive), maxBytes})));
  });
}

Expected<std::unique_ptr<NpzFile>> NpzFile::openBytes(std::string_view bytes,
                                                      int64_t maxBytes) {
  return guarded("npz", [&]() -> Expected<std::unique_ptr<NpzFile>> {
    auto archive = Archive::openBytes(bytes);
    if (!archive)
      return archive.takeError();
    return std::unique_ptr<NpzFile>(new NpzFile(
        std::make_unique<State>(State{std::move(*archive), maxBytes})));
  });
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> result;
  for (const std::string &name : state->archive->names())
    if (name.size() > 4 && name.substr(name.size() - 4) == ".npy")
      result.push_back(name.substr(0, name.size() - 4));
  return result;
}

bool NpzFile::has(const std::string &name) const {
  return state->archive->has(name + ".npy");
}

Expected<NpyArray> NpzFile::read(const std::string &name) const {
  if (!has(name))
    return failure("expected an array '", name, "', got none");
  if (state->archive->has(name)) // NumPy may take it for the array
    return failure("expected an array '", name, "' once, got entries '", name,
                   "' and '", name, ".npy'");
  Expected<std::string> bytes =
      state->archive->read(name + ".npy", state->bytesLeft);
  if (!bytes)
    return bytes.takeError();
  state->bytesLeft -= static_cast<int64_t>(bytes->size());
  Expected<NpyArray> array = parseNpy(std::move(*bytes));
  if (!array)
    return array.takeError().in(name);
  return array;
}
