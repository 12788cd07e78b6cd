#include "core/base/pool_allocator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace rondo {
namespace {

struct Small : Pooled {
  explicit Small(int v) : value(v) {}
  virtual ~Small() = default;
  int value;
};

struct Larger : Small {
  explicit Larger(int v) : Small(v) {}
  double more[20] = {};
};

TEST(PoolAllocator, BlocksThatAreInUseDoNotOverlap) {
  constexpr std::size_t kSizes[] = {1, 15, 16, 17, 100, 511, 512, 513, 4000};
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t size : kSizes) {
      auto* block = static_cast<char*>(pool_allocate(size));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
      std::memset(block, static_cast<int>(blocks.size()), size);
      blocks.emplace_back(block, size);
    }
    for (std::size_t i = 0; i < blocks.size(); i += 2) {
      pool_free(blocks[i].first, blocks[i].second);
      blocks[i].first = static_cast<char*>(pool_allocate(blocks[i].second));
      std::memset(blocks[i].first, static_cast<int>(i), blocks[i].second);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t byte = 0; byte < blocks[i].second; ++byte) {
      ASSERT_EQ(blocks[i].first[byte], static_cast<char>(i));
    }
    pool_free(blocks[i].first, blocks[i].second);
  }
}

TEST(PoolAllocator, NoBytesAreABlockToo) {
  void* block = pool_allocate(0);
  EXPECT_NE(block, nullptr);
  pool_free(block, 0);
  pool_free(nullptr, 0);
}

TEST(PoolAllocator, ObjectsAreDeletedThroughTheirBase) {
  std::vector<std::unique_ptr<Small>> objects;
  for (int i = 0; i < 1000; ++i) {
    objects.push_back(i % 2 == 0 ? std::make_unique<Small>(i) : std::make_unique<Larger>(i));
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(objects[static_cast<std::size_t>(i)]->value, i);
  }
}

TEST(PoolAllocator, BlocksAreGivenBackByOtherThreadsAndOutliveTheirThread) {
  PoolVector<int> numbers;
  std::thread([&] {
    PoolVector<int> made(50, 7);
    numbers.swap(made);
  }).join();
  EXPECT_EQ(numbers, PoolVector<int>(50, 7));
  std::thread([taken = std::move(numbers)] { EXPECT_EQ(taken.size(), 50U); }).join();
}

TEST(PoolAllocator, WhatOneThreadGivesBackAnotherOneTakes) {
  if (!pool_keeps_blocks()) {
    GTEST_SKIP() << "under a sanitizer no block is kept";
  }
  constexpr int kRounds = 20;
  constexpr std::size_t kBlocks = 1000;
  std::set<void*> places;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(pool_allocate(200));
    }
    places.insert(blocks.begin(), blocks.end());
    std::thread([&] {
      pool_free(pool_allocate(200), 200);  // from its first allocation on a thread keeps blocks
      for (void* block : blocks) {
        pool_free(block, 200);
      }
    }).join();
  }
  EXPECT_LT(places.size(), kRounds * kBlocks / 2);
}

/// Gives a block back when its thread ends, after the lists of the thread may have gone.
struct Late {
  PoolVector<int> numbers;
};

TEST(PoolAllocator, ObjectsOfAThreadMayDieAfterItsLists) {
  std::thread([] {
    thread_local Late late;
    late.numbers.assign(20, 1);
    EXPECT_EQ(late.numbers.size(), 20U);
  }).join();
}

}  // namespace
}  // namespace rondo
