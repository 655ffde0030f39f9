#include "transport/epoll/receive_buffers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "gtest/gtest.h"

namespace pure::transport {
namespace {

TEST(ReceiveBuffersTest, EachIsLentOnceUntilItIsGivenBack) {
  ReceiveBuffers buffers(100, 3);
  ASSERT_TRUE(buffers.ok());
  const std::set<uint32_t> taken = {buffers.Take(), buffers.Take(), buffers.Take()};
  EXPECT_EQ(taken, (std::set<uint32_t>{0, 1, 2}));
  EXPECT_EQ(buffers.Take(), ReceiveBuffers::kNone);
  EXPECT_EQ(buffers.lent(), 3u);
  buffers.Give(1);
  EXPECT_EQ(buffers.Take(), 1u);
}

TEST(ReceiveBuffersTest, TheLastGivenIsTheNextTaken) {
  ReceiveBuffers buffers(100, 8);
  const uint32_t first = buffers.Take();
  const uint32_t second = buffers.Take();
  buffers.Give(second);
  buffers.Give(first);
  EXPECT_EQ(buffers.Take(), first) << "its memory is warm";
  EXPECT_EQ(buffers.Take(), second);
}

TEST(ReceiveBuffersTest, BuffersDoNotOverlap) {
  ReceiveBuffers buffers(100, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    ASSERT_EQ(buffers.At(i).size(), 100u);
    std::memset(buffers.At(i).data(), static_cast<int>('a' + i), 100);
  }
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(buffers.At(i)[0], static_cast<char>('a' + i));
    EXPECT_EQ(buffers.At(i)[99], static_cast<char>('a' + i));
  }
}

TEST(ReceiveBuffersTest, MemoryIsTakenFromTheSystemOnlyForBuffersThatWereUsed) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  ReceiveBuffers buffers(page, 64);
  const uint32_t used = buffers.Take();
  buffers.At(used)[0] = 'u';
  unsigned char there[64];
  ASSERT_EQ(mincore(buffers.At(0).data(), 64 * page, there), 0);
  int pages = 0;
  for (const unsigned char one : there) pages += one & 1;
  EXPECT_EQ(pages, 1);
}

TEST(ReceiveBuffersTest, AReturnOfWhatWasNotLentIsCaught) {
  ReceiveBuffers buffers(100, 3);
  EXPECT_DEATH(buffers.Give(0), "not lent");
  (void)buffers.Take();
  EXPECT_DEATH(buffers.Give(3), "not lent");
}

}  // namespace
}  // namespace pure::transport
