//===- FilesTest.cpp - Whole files, read and written ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Files.h"

#include "Files.h"
#include "Testing.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
using Names = std::vector<std::string>;

class Files : public ::testing::Test {
protected:
  std::string at(const std::string &name) { return folder.path + "/" + name; }
  Names names() {
    Names result = folder.files();
    std::sort(result.begin(), result.end());
    return result;
  }
  static std::string textOf(const std::string &path) {
    Expected<std::string> text = readFile(path);
    return text ? *text : "error: " + text.message();
  }
  static int modeOf(const std::string &path) {
    struct stat info;
    return ::lstat(path.c_str(), &info) < 0 ? -1 : int(info.st_mode);
  }

  Folder folder;
};

/// Files of this process may have so many bytes.
class Limit {
public:
  explicit Limit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit lower = {bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~Limit() { ::setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before;
};
} // namespace

TEST_F(Files, WritesAndReads) {
  ASSERT_EQ(tryWriteFile(at("a"), {"one", "", "two"}), 0);
  EXPECT_EQ(textOf(at("a")), "onetwo");
  ASSERT_EQ(tryWriteFile(at("a"), {}), 0);
  EXPECT_EQ(textOf(at("a")), "");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Files, KeepsPermissions) {
  mode_t mask = ::umask(027);
  ASSERT_EQ(tryWriteFile(at("a"), {"one"}), 0);
  ::umask(mask);
  EXPECT_EQ(modeOf(at("a")) & 07777, 0640);
  ASSERT_EQ(::chmod(at("a").c_str(), 0751), 0);
  ASSERT_EQ(tryWriteFile(at("a"), {"two"}), 0);
  EXPECT_EQ(modeOf(at("a")) & 07777, 0751);
  EXPECT_EQ(slurp(at("a")), "two");
}

TEST_F(Files, FollowsLinks) {
  ASSERT_EQ(tryWriteFile(at("file"), {"one"}), 0);
  ASSERT_EQ(::symlink("file", at("link").c_str()), 0);
  ASSERT_EQ(::symlink(at("link").c_str(), at("other").c_str()), 0);
  ASSERT_EQ(::symlink("new", at("nowhere").c_str()), 0);
  ASSERT_EQ(tryWriteFile(at("other"), {"two"}), 0);
  ASSERT_EQ(tryWriteFile(at("nowhere"), {"three"}), 0);
  EXPECT_EQ(slurp(at("file")), "two");
  EXPECT_EQ(slurp(at("new")), "three");
  for (const char *link : {"link", "other", "nowhere"})
    EXPECT_TRUE(S_ISLNK(modeOf(at(link)))) << link;
  EXPECT_EQ(names(), (Names{"file", "link", "new", "nowhere", "other"}));
  ASSERT_EQ(::symlink("loop", at("loop").c_str()), 0);
  EXPECT_EQ(tryWriteFile(at("loop"), {"x"}), ELOOP);
}

TEST_F(Files, WritesToWhatIsNoFile) {
  EXPECT_EQ(tryWriteFile("/dev/null", {"one"}), 0);
  EXPECT_TRUE(S_ISCHR(modeOf("/dev/null")));
  EXPECT_EQ(tryWriteFile("/dev/full", {"one"}), ENOSPC);
  EXPECT_TRUE(S_ISCHR(modeOf("/dev/full")));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = slurp(at("pipe")); });
  EXPECT_EQ(tryWriteFile(at("pipe"), {std::string(200000, 'x'), "y"}), 0);
  reader.join();
  EXPECT_EQ(read, std::string(200000, 'x') + "y");
  EXPECT_TRUE(S_ISFIFO(modeOf(at("pipe"))));
}

// As /dev/stdout is one: what was written before stays, and the file is not
// another one.
TEST_F(Files, WritesToDescriptors) {
  int file = ::open(at("a").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(file, "one", 3), 3);
  ASSERT_EQ(tryWriteFile("/dev/fd/" + std::to_string(file), {"two"}), 0);
  ASSERT_EQ(::write(file, "three", 5), 5);
  ::close(file);
  EXPECT_EQ(slurp(at("a")), "onetwothree");
}

TEST_F(Files, APipeWithoutAReaderIsAnError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(tryWriteFile("/dev/fd/" + std::to_string(ends[1]), {"x"}), EPIPE);
  ::close(ends[1]);
}

TEST_F(Files, LeavesWhatIsThereWhereItFails) {
  ASSERT_EQ(tryWriteFile(at("a"), {"one"}), 0);
  {
    Limit limit(1000);
    std::string large(1001, 'x');
    EXPECT_EQ(tryWriteFile(at("a"), {large}), EFBIG);
    EXPECT_EQ(tryWriteFile(at("b"), {large}), EFBIG);
  }
  EXPECT_EQ(slurp(at("a")), "one");
  {
    NewFile file;
    ASSERT_EQ(file.create(at("c"), {"three"}), 0);
  }
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Files, ErrorsNameThePath) {
  EXPECT_TRUE(contains(writeFile(at("none/a"), {"x"}).message(),
                       "cannot write '" + at("none/a") + "': No such file"));
  EXPECT_TRUE(contains(writeFile(folder.path, {"x"}).message(),
                       "cannot write '" + folder.path + "': Is a directory"));
  EXPECT_EQ(tryWriteFile(at("a"), {"x"}), 0);
  EXPECT_EQ(tryWriteFile(at("a/b"), {"x"}), ENOTDIR);
  if (::geteuid() != 0) {
    ::chmod(at("a").c_str(), 0400);
    EXPECT_EQ(tryWriteFile(at("a"), {"y"}), EACCES);
  }
  EXPECT_EQ(names(), Names{"a"});
}

// Nobody may ever open the other end of it.
TEST_F(Files, ReadsNoNamedPipes) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(contains(readFile(at("pipe")).message(), "got the named pipe"));
}

// As standard input and the <(command) of a shell are some.
TEST_F(Files, ReadsPipesWithoutNames) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "one", 3), 3);
  ::close(ends[1]);
  EXPECT_EQ(textOf("/dev/fd/" + std::to_string(ends[0])), "one");
  ::close(ends[0]);
}

TEST_F(Files, ReadsNoMoreThanAllowed) {
  ASSERT_EQ(tryWriteFile(at("a"), {"12345"}), 0);
  EXPECT_EQ(*readFile(at("a"), 5), "12345");
  EXPECT_TRUE(contains(readFile(at("a"), 4).message(),
                       "expected at most 4 bytes in '" + at("a") + "', got 5"));
  EXPECT_TRUE(contains(readFile("/dev/zero").message(),
                       "expected a file, got the device '/dev/zero'"));
  EXPECT_EQ(textOf("/dev/null"), "");
  EXPECT_TRUE(contains(readFile(folder.path).message(), "got the folder"));
  EXPECT_FALSE(textOf("/proc/self/status").empty());
  EXPECT_GT(physicalMemory(), int64_t(1) << 20);
}
