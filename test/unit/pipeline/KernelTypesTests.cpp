// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/KernelTypes.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(KernelTypes, AStructFitsWhereNothingButAlignmentIsAdded) {
  EXPECT_TRUE(fits(60, 60));
  EXPECT_TRUE(fits(57, 64));
  EXPECT_FALSE(fits(56, 64));
  EXPECT_FALSE(fits(64, 60));
  EXPECT_FALSE(fits(0, 4));
}

TEST(KernelTypes, OfSeveralStructsTheCacheNamesOne) {
  using Names = std::set<std::string>;
  EXPECT_EQ(namedAfter("UNIX-STREAM", {"unix_sock", "xdp_sock"}),
            Names{"unix_sock"});
  EXPECT_EQ(namedAfter("UNIX", {"unix_sock", "xdp_sock"}), Names{"unix_sock"});
  EXPECT_EQ(namedAfter("PING", {"raw_sock", "inet_sock"}),
            (Names{"raw_sock", "inet_sock"}));
  EXPECT_EQ(namedAfter("tcp_bind", {"tcp_sock", "tcp_bind_bucket"}),
            Names{"tcp_bind_bucket"});
}

TEST(KernelTypes, WhatHasNoTypeIsOfItsCaller) {
  RecordedCache Cache = {"kmalloc-96", 96, 96};
  KernelType One = typeOfCaller(Cache, "open_it", false),
             Many = typeOfCaller(Cache, "open_it", true);
  EXPECT_EQ(One.Name, "kmalloc-96@open_it");
  EXPECT_EQ(One.SizeBytes, 96u);
  EXPECT_EQ(One.Source, TypeSource::CallSite);
  EXPECT_EQ(Many.Name, "kmalloc@open_it");
  EXPECT_EQ(Many.SizeBytes, 0u);
}

TEST(KernelTypes, WithoutDebugInformationCachesNameThem) {
  KernelTypes Types = kernelTypes({{"kmalloc-96", 96, 96},
                                   {"dentry", 192, 192},
                                   {"pages", 0, 0},
                                   {"kmem_cache-64", 64, 64, true}});
  EXPECT_EQ(Types.OfCache,
            (std::vector<uint32_t>{NoStruct, 0, NoStruct, NoStruct}));
  ASSERT_EQ(Types.Types.size(), 1u);
  EXPECT_EQ(Types.Types[0].Name, "dentry");
  EXPECT_EQ(Types.Types[0].SizeBytes, 192u);
  EXPECT_EQ(Types.Types[0].Source, TypeSource::Allocator);
}

const ResultType File = {"file", 232, false}, Sock = {"sock", 760, false},
                 Line = {"line", 48, true}, Count = {"atomic_t", 4, false};

TEST(AllocatedTypes, OneStructOfTheSizeIsIt) {
  const AllocatedType AFile = {"file", 232, TypeSource::Variable};
  EXPECT_EQ(allocatedType({Count, File}, {232, 232, true}), AFile);
  EXPECT_EQ(allocatedType({File}, {232, 232, false}), AFile);
  // A cache rounds up, kmalloc() is told the size.
  EXPECT_EQ(allocatedType({File}, {236, 236, true}), AFile);
  EXPECT_FALSE(allocatedType({File}, {236, 236, false}));
  EXPECT_FALSE(allocatedType({File}, {240, 240, true}));
  EXPECT_FALSE(allocatedType({File}, {232, 464, false}));
  EXPECT_FALSE(allocatedType({File}, {}));
  EXPECT_FALSE(allocatedType({}, {232, 232, true}));
  // Two may be it: no one knows.
  EXPECT_FALSE(allocatedType({File, {"inode", 232, false}}, {232, 232, true}));
}

TEST(AllocatedTypes, AStructWithAnArrayAtItsEndMayBeLonger) {
  const AllocatedType ALine = {"line", 48, TypeSource::Variable};
  EXPECT_EQ(allocatedType({Line}, {48, 4096, false}), ALine);
  EXPECT_FALSE(allocatedType({Line}, {40, 4096, false}));
  EXPECT_FALSE(allocatedType({Line}, {4096, 4096, true}));
}

TEST(AllocatedTypes, OnlyLargeStructsTellWhatBeginsWithThem) {
  const std::set<std::string> ASock = {"sock"};
  EXPECT_EQ(beginningsOf({Sock, Count, Line}, {2304, 2304, true}), ASock);
  EXPECT_TRUE(beginningsOf({Sock}, {760, 760, true}).empty());
  EXPECT_TRUE(beginningsOf({Sock}, {2304, 4096, false}).empty());
}

} // namespace
