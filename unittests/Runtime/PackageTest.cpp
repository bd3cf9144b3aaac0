//===- PackageTest.cpp - Packages in files --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Package.h"
#include "Files.h"
#include "TestPlans.h"
#include "Testing.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
std::shared_ptr<const Package>
sumPackage(std::map<std::string, std::string> images = {{"ptx", "// ptx\n"}}) {
  auto package =
      Package::create(*LaunchPlan::parse(sumPlanText()), std::move(images));
  EXPECT_TRUE(package) << package.message();
  return *package;
}
} // namespace

TEST(Package, SavesAndLoads) {
  Folder folder;
  std::string path = folder.path + "/sum.gnnpkg";
  std::string cubin("\x7f"
                    "ELF\0\1",
                    6);
  auto saved = sumPackage({{"ptx", "// ptx\n"}, {"cubin", cubin}});
  Error error = saved->save(path);
  ASSERT_FALSE(error) << error.message();
  auto loaded = Package::load(path);
  ASSERT_TRUE(loaded) << loaded.message();
  EXPECT_EQ((*loaded)->images(), saved->images());
  EXPECT_EQ((*loaded)->plan().json(), saved->plan().json());
  EXPECT_EQ(folder.files().size(), 1u);
  // The same package gives the same bytes.
  std::string bytes = slurp(path);
  ASSERT_FALSE(saved->save(path));
  EXPECT_EQ(slurp(path), bytes);
  EXPECT_TRUE(Package::loadBytes(bytes));
}

TEST(Package, NothingIsLeftOfAFailedSave) {
  Folder folder;
  Error error = sumPackage()->save(folder.path + "/none/sum.gnnpkg");
  EXPECT_TRUE(contains(error.message(), "cannot write"));
  EXPECT_TRUE(folder.files().empty());
}

TEST(Package, EveryTruncationIsAnError) {
  Folder folder;
  std::string path = folder.path + "/sum.gnnpkg";
  ASSERT_FALSE(sumPackage()->save(path));
  std::string bytes = slurp(path);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Package::loadBytes(std::string_view(bytes).substr(0, size)))
        << size;
}

TEST(Package, FlippedBytesAreErrorsOrHarmless) {
  Folder folder;
  std::string path = folder.path + "/sum.gnnpkg";
  ASSERT_FALSE(sumPackage()->save(path));
  std::string bytes = slurp(path);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x5a);
    auto package = Package::loadBytes(bad);
    if (package)
      EXPECT_EQ((*package)->plan().json(), sumPackage()->plan().json());
    else
      EXPECT_NE(package.message(), "");
  }
}

TEST(Package, BadFiles) {
  Folder folder;
  EXPECT_TRUE(contains(Package::load(folder.path + "/none").message(),
                       "cannot open '"));
  EXPECT_TRUE(
      contains(Package::loadBytes("hello").message(), "expected a zip"));
  EXPECT_FALSE(Package::create(LaunchPlan(), {{"p/tx", ""}}));
  std::string path = folder.path + "/sum.gnnpkg";
  ASSERT_FALSE(sumPackage({{"ptx", std::string(100000, 'x')}})->save(path));
  EXPECT_EQ(Package::load(path, 50000).message(),
            path + ": package: expected at most 50000 bytes of all entries "
                   "together, got more with 'kernels.ptx'");
  // All entries together.
  std::string half(30000, 'x');
  ASSERT_FALSE(sumPackage({{"cubin", half}, {"ptx", half}})->save(path));
  EXPECT_TRUE(Package::load(path, 70000));
  EXPECT_EQ(Package::load(path, 50000).message(),
            path + ": package: expected at most 50000 bytes of all entries "
                   "together, got more with 'kernels.ptx'");
  EXPECT_EQ(Package::load(path, 50000).takeError().kind(), ErrorKind::Limit);
}

/// A package whose kernel `sum` reads `bytes` of constants in place of its
/// input.
static Expected<std::shared_ptr<const Package>>
packageWithConstants(const std::string &bytes, const std::string &declared) {
  std::string text = sumPlanText();
  auto replace = [&](const std::string &piece, const std::string &other) {
    text.replace(text.find(piece), piece.size(), other);
  };
  replace("\"version\": 1", "\"version\": 8, \"constants\": " + declared);
  replace("{\"input\": 0}", "{\"constant\": 16, \"bytes\": 48}");
  replace("{\"output\": 0}", "{\"output\": 0, \"written\": true}");
  auto plan = LaunchPlan::parse(text);
  EXPECT_TRUE(plan) << plan.message();
  return Package::create(std::move(*plan), {{"ptx", ""}}, bytes);
}

TEST(Package, KeepsConstants) {
  std::string bytes;
  for (int i = 0; i < 64; ++i)
    bytes += static_cast<char>(i);
  auto saved = packageWithConstants(bytes, "64");
  ASSERT_TRUE(saved) << saved.message();
  auto packed = (*saved)->bytes();
  ASSERT_TRUE(packed) << packed.message();
  auto loaded = Package::loadBytes(*packed);
  ASSERT_TRUE(loaded) << loaded.message();
  EXPECT_EQ((*loaded)->constants(), bytes);
  EXPECT_EQ((*loaded)->images(), (*saved)->images());
  EXPECT_EQ((*loaded)->plan().json(), (*saved)->plan().json());
  // Once a device.
  auto device = std::make_shared<FakeDevice>();
  auto first = (*loaded)->constantsOn(device);
  ASSERT_TRUE(first) << first.message();
  EXPECT_EQ(*first, *(*loaded)->constantsOn(device));
  EXPECT_EQ(std::string(static_cast<const char *>(*first), bytes.size()),
            bytes);
  device->failAllocations = true;
  auto other = packageWithConstants(bytes, "64");
  EXPECT_EQ((*other)->constantsOn(device).message(),
            "constants: out of fake memory");
  EXPECT_EQ(packageWithConstants("four", "64").message(),
            "package: expected constants of 64 bytes, got 4");
  EXPECT_EQ(*sumPackage()->constantsOn(device), nullptr);
}

TEST(Package, LoadsKernelsOnceADevice) {
  auto package = sumPackage();
  auto device = std::make_shared<FakeDevice>();
  auto other = std::make_shared<FakeDevice>();
  EXPECT_EQ(*package->kernelsOn(device), *package->kernelsOn(device));
  EXPECT_EQ(device->loads, 1);
  EXPECT_NE(*package->kernelsOn(device), *package->kernelsOn(other));
  // Its address is that of no other device as long as the package knows it.
  std::weak_ptr<Device> dropped = other;
  other.reset();
  EXPECT_FALSE(dropped.expired());
}

TEST(Package, TakesTheNextFormatWhereOneFails) {
  auto device = std::make_shared<FakeDevice>();
  device->badFormat = "fake";
  EXPECT_TRUE(sumPackage({{"fake", ""}, {"ptx", ""}})->kernelsOn(device));
  EXPECT_EQ(device->loads, 2);
  EXPECT_TRUE(contains(sumPackage({{"fake", ""}})->kernelsOn(device).message(),
                       "kernels for fake: fake: bad image"));
  EXPECT_TRUE(contains(sumPackage({{"cubin", ""}})->kernelsOn(device).message(),
                       "expected kernels as fake or ptx for fake, got cubin"));
}
