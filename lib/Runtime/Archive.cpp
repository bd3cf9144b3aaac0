//===- Archive.cpp - Zip archives -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Archive.h"

#include "Guarded.h"

#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sys/stat.h>

using namespace gnn::runtime;

namespace {
/// The message of libzip, where that is of use.
const char *textOf(zip_error_t *error) {
  return zip_error_code_zip(error) == ZIP_ER_INVAL
             ? "a place outside of the archive"
             : zip_error_strerror(error);
}

/// A zip_error_t that cleans up after itself.
struct ZipError {
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  std::string text() { return zip_error_strerror(&error); }
  zip_error_t error;
};

struct ZipCloser {
  void operator()(zip_t *archive) const { zip_discard(archive); }
  void operator()(zip_file_t *file) const { zip_fclose(file); }
  void operator()(zip_source_t *source) const { zip_source_free(source); }
};

constexpr size_t kChunk = size_t(1) << 16;
} // namespace

struct Archive::Handle {
  std::unique_ptr<zip_t, ZipCloser> zip;
};

Archive::Archive() : handle(std::make_unique<Handle>()) {}

Archive::~Archive() = default;

Expected<std::unique_ptr<Archive>>
Archive::wrap(std::unique_ptr<Archive> archive) {
  zip_t *zip = archive->handle->zip.get();
  std::set<std::string> seen;
  for (zip_int64_t i = 0, n = zip_get_num_entries(zip, 0); i < n; ++i)
    if (const char *name =
            zip_get_name(zip, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS)) {
      // Readers differ in which one they take.
      if (!seen.insert(name).second)
        return failure("expected each entry once, got '", name, "' again");
      archive->entryNames.push_back(name);
    }
  return archive;
}

Expected<std::unique_ptr<Archive>> Archive::open(const std::string &path) {
  return guarded("archive", [&]() -> Expected<std::unique_ptr<Archive>> {
    // Where it is none, the error of libzip says so.
    struct stat info;
    bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && !S_ISREG(info.st_mode))
      return failure("expected a zip archive in a regular file, got '", path,
                     "'");
    std::unique_ptr<Archive> archive(new Archive());
    int code = 0;
    archive->handle->zip.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive->handle->zip) {
      ZipError error;
      zip_error_set(&error.error, code, errno);
      // Also the error of places in the file that are not there.
      if (exists && code == ZIP_ER_NOENT)
        return failure("expected a zip archive, got '", path,
                       "', whose directory leads out of the file");
      if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN)
        return failure("cannot open '", path, "': ", error.text());
      return failure("expected a zip archive, got '", path,
                     "': ", error.text());
    }
    auto wrapped = wrap(std::move(archive));
    if (!wrapped)
      return wrapped.takeError().in(path);
    return wrapped;
  });
}

Expected<std::unique_ptr<Archive>> Archive::openBytes(std::string_view bytes) {
  return guarded("archive", [&]() -> Expected<std::unique_ptr<Archive>> {
    std::unique_ptr<Archive> archive(new Archive());
    ZipError error;
    std::unique_ptr<zip_source_t, ZipCloser> source(zip_source_buffer_create(
        bytes.data(), bytes.size(), /*freep=*/0, &error.error));
    if (source)
      archive->handle->zip.reset(
          zip_open_from_source(source.get(), ZIP_RDONLY, &error.error));
    if (!archive->handle->zip)
      return failure("expected a zip archive, got ", bytes.size(),
                     " bytes: ", error.text());
    (void)source.release(); // the archive owns it now
    return wrap(std::move(archive));
  });
}

bool Archive::has(const std::string &name) const {
  return std::find(entryNames.begin(), entryNames.end(), name) !=
         entryNames.end();
}

Expected<std::string> Archive::read(const std::string &name,
                                    int64_t maxBytes) const {
  return guarded(name.c_str(), [&]() -> Expected<std::string> {
    zip_t *zip = handle->zip.get();
    std::unique_ptr<zip_file_t, ZipCloser> file(
        zip_fopen(zip, name.c_str(), 0));
    if (!file && !has(name))
      return failure("expected an entry '", name, "', got none");
    if (!file)
      return failure("entry '", name, "': expected its bytes, got: ",
                     textOf(zip_get_error(zip)));
    // More than the archive says do not come, or it is no such archive.
    auto most = static_cast<uint64_t>(std::max<int64_t>(maxBytes, 0));
    zip_stat_t info;
    bool isKnown = zip_stat(zip, name.c_str(), 0, &info) == 0 &&
                   (info.valid & ZIP_STAT_SIZE);
    if (isKnown && info.size > most)
      return limitExceeded("entry '", name, "': expected at most ", maxBytes,
                           " bytes, got ", info.size);
    if (isKnown)
      most = info.size;
    std::string bytes;
    for (;;) {
      size_t size = bytes.size();
      if (bytes.capacity() - size < kChunk)
        bytes.reserve(
            std::max(size + kChunk, std::min<size_t>(2 * size, most + kChunk)));
      bytes.resize(size + kChunk);
      zip_int64_t count = zip_fread(file.get(), bytes.data() + size, kChunk);
      if (count < 0)
        return failure("entry '", name, "': expected its bytes, got: ",
                       textOf(zip_file_get_error(file.get())));
      bytes.resize(size + static_cast<size_t>(count));
      if (bytes.size() > most && isKnown)
        return failure("entry '", name, "': expected ", most,
                       " bytes, as the archive says, got more");
      if (bytes.size() > most)
        return limitExceeded("entry '", name, "': expected at most ", most,
                             " bytes, got more");
      if (count == 0)
        return bytes;
    }
  });
}

/// Adds the entries, all with one date; false on an error of `zip`.
static bool addEntries(zip_t *zip,
                       const std::map<std::string, std::string> &entries) {
  for (const auto &[name, content] : entries) {
    zip_source_t *source =
        zip_source_buffer(zip, content.data(), content.size(), /*freep=*/0);
    if (!source)
      return false;
    zip_int64_t index =
        zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return false;
    }
    // The first day zip can tell: 1 January 1980.
    if (zip_file_set_dostime(zip, static_cast<zip_uint64_t>(index), 0,
                             1 << 5 | 1, 0) < 0)
      return false;
  }
  return true;
}

Expected<std::string>
gnn::runtime::packArchive(const std::map<std::string, std::string> &entries) {
  return guarded("archive", [&]() -> Expected<std::string> {
    ZipError error;
    std::unique_ptr<zip_source_t, ZipCloser> target(
        zip_source_buffer_create(nullptr, 0, /*freep=*/0, &error.error));
    if (!target)
      return failure("archive: ", error.text());
    std::unique_ptr<zip_t, ZipCloser> zip(zip_open_from_source(
        target.get(), ZIP_CREATE | ZIP_TRUNCATE, &error.error));
    if (!zip)
      return failure("archive: ", error.text());
    zip_source_keep(target.get());
    if (!addEntries(zip.get(), entries) || zip_close(zip.get()) < 0)
      return failure("archive: ", zip_strerror(zip.get()));
    (void)zip.release(); // closed
    zip_stat_t stat;
    if (zip_source_stat(target.get(), &stat) < 0 ||
        zip_source_open(target.get()) < 0)
      return failure("archive: cannot read back what was packed");
    std::string bytes(stat.size, '\0');
    zip_int64_t count = zip_source_read(target.get(), bytes.data(), stat.size);
    zip_source_close(target.get());
    if (count != static_cast<zip_int64_t>(stat.size))
      return failure("archive: cannot read back what was packed");
    return bytes;
  });
}
