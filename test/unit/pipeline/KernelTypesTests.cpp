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

} // namespace
