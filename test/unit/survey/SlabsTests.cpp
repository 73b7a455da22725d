// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the allocator takes for an object, by hand.

#include "hybrid/survey/Slabs.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

constexpr const char *Head = "slabinfo - version: 2.1\n"
                             "# name <active_objs> <num_objs> <objsize> ...\n";

TEST(Slabs, Slabinfo) {
  auto Caches = readSlabinfo(std::string(Head) +
                             "dentry 100 126 192 21 1 : tunables 0 0 0 : "
                             "slabdata 6 6 0\nfilp 7 16 256 16 1 : tunables\n");
  ASSERT_TRUE(Caches);
  ASSERT_EQ(Caches->size(), 2u);
  EXPECT_EQ(Caches->at("dentry").Objects, 100u);
  EXPECT_EQ(Caches->at("dentry").ObjectBytes, 192u);
  EXPECT_EQ(Caches->at("filp").PerSlab, 16u);
  EXPECT_FALSE(readSlabinfo(""));
  EXPECT_FALSE(readSlabinfo("dentry 1 1 1 1 1\n"));
  EXPECT_FALSE(readSlabinfo(std::string(Head) + "dentry 1 x 192 21 1\n"));
  EXPECT_FALSE(readSlabinfo(std::string(Head) + "dentry 1 1 192 0 1\n"));
}

TEST(Slabs, CachesMade) {
  auto Made = cachesMade(
      "x = kmem_cache_create(\"cred_jar\", sizeof(struct cred), 0, 0, NULL);\n"
      "y = KMEM_CACHE(vm_area_struct, SLAB_PANIC);\n"
      "struct proto tcp_prot = {\n .name = \"TCP\",\n .close = tcp_close,\n"
      " .obj_size = sizeof(struct tcp_sock),\n};\n"
      "z = kmem_cache_create_usercopy(\"names\", 4096, 0, 0, 0, 4096, NULL);");
  EXPECT_EQ(Made, (std::map<std::string, std::string>{
                      {"cred_jar", "cred"},
                      {"vm_area_struct", "vm_area_struct"},
                      {"TCP", "tcp_sock"}}));
}

TEST(Slabs, OwnCache) {
  // 21 of 192 bytes are 4032 of 4096; 22 need 186 each, by words 184.
  auto Price = priceInCache(192, 4, {100, 192, 21, 1}, 4096);
  ASSERT_TRUE(Price);
  EXPECT_EQ(Price->Shrink, 8u);
  EXPECT_EQ(Price->SmallerObjectBytes, 184u);
  EXPECT_EQ(Price->SmallerPerSlab, 22u);
  EXPECT_FALSE(Price->InReach);
  EXPECT_EQ(*Price->bytes(), 100u * (4096 / 21));
  EXPECT_TRUE(priceInCache(192, 8, {100, 192, 21, 1}, 4096)->InReach);
  // Aligned to lines: 176 bytes take 192; 22 in a page are 128 each.
  auto Lines = priceInCache(176, 0, {100, 192, 21, 1}, 4096);
  EXPECT_EQ(Lines->SmallerObjectBytes, 128u);
  EXPECT_EQ(Lines->Shrink, 48u);
  EXPECT_EQ(Lines->SmallerPerSlab, 32u);
  EXPECT_FALSE(priceInCache(200, 0, {100, 192, 21, 1}, 4096));
}

TEST(Slabs, Kmalloc) {
  EXPECT_EQ(priceByKmalloc(100, 0, 1, 4096).ObjectBytes, 128u);
  EXPECT_EQ(priceByKmalloc(100, 0, 1, 4096).Shrink, 4u);
  EXPECT_EQ(priceByKmalloc(8, 0, 1, 4096).Shrink, 0u);
  EXPECT_EQ(priceByKmalloc(193, 1, 1, 4096).ObjectBytes, 256u);
  EXPECT_TRUE(priceByKmalloc(193, 1, 1, 4096).InReach);
  EXPECT_EQ(priceByKmalloc(8193, 0, 3, 4096).ObjectBytes, 16384u);
  EXPECT_EQ(*priceByKmalloc(8193, 0, 3, 4096).bytes(), 3u * 16384);
}

TEST(Survey, RanksBySaving) {
  std::vector<SurveyRow> Rows(3);
  Rows[0].Name = "cheap";
  Rows[0].Objective = 10;
  Rows[0].Proposed = {{5, 1, {}}};
  Rows[1].Name = "dear"; // a small share of much
  Rows[1].Objective = 100;
  Rows[1].Proposed = {{90, 1, {}}};
  Rows[2].Name = "best as it is";
  Rows[2].Objective = 1000;
  rank(Rows);
  EXPECT_EQ(Rows[0].Name, "dear");
  EXPECT_EQ(Rows[1].Name, "cheap");
  EXPECT_EQ(Rows[2].Name, "best as it is");
  EXPECT_DOUBLE_EQ(Rows[0].gain(), 0.1);
}

} // namespace
} // namespace kst
