// Counts allocations: showing a stored value makes none, an edit none either.

#include <cstdlib>
#include <new>
#include <string>

#include "gtest/gtest.h"
#include "modules/app.h"
#include "modules/module.h"
#include "modules/testing/app_fixture.h"

namespace {
size_t allocations = 0;
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace pure::modules {
namespace {

using pure::testing::ExampleText;

// Lends one value in two extents and takes writes without keeping them; allocates nothing.
class LendingHandle final : public store::StoreHandle {
 public:
  void TakeLook() override {}
  void DropLook() override {}
  Result Find(Bytes, store::Found* found) override {
    static constexpr Bytes kExtents[] = {"hello, ", "world"};
    found->present = true;
    found->revision = 7;
    found->size_bytes = 12;
    found->value = Resource(kExtents, nullptr, nullptr, nullptr);
    return Result::kOk;
  }
  Result FindToStage(Bytes key, store::Found* found) override { return Find(key, found); }
  Result Peek(Bytes, store::Found* found) override {
    found->present = true;
    found->revision = 7;
    return Result::kOk;
  }
  Result Stage(Bytes, uint64_t, absl::Span<const Bytes>) override { return Result::kOk; }
  Result StageErase(Bytes, uint64_t) override { return Result::kOk; }
  Result Commit() override { return Result::kOk; }
  void Discard() override {}
  absl::Span<const store::Staged> staged() const override { return {}; }
  size_t stage_bytes_left() const override { return 1 << 20; }
};

size_t AllocationsOf(App* app, int message, Bytes body, Reply* reply,
                     BodyEncoding encoding = BodyEncoding::kRaw) {
  const Key key("some-key");
  const size_t before = allocations;
  app->Apply(static_cast<uint16_t>(message), key, Condition{}, {body, encoding}, reply);
  return allocations - before;
}

TEST(AppAllocationTest, ShowingAStoredValueAllocatesNothingNotEvenTheFirstTime) {
  std::vector<Error> errors;
  const auto module = Module::Load(ExampleText("objects.pure"), &errors);
  LendingHandle handle;
  App app(module.get(), &handle);
  for (int i = 0; i < 3; ++i) {
    Reply reply;
    EXPECT_EQ(AllocationsOf(&app, module->show(), "", &reply), 0u);
    EXPECT_EQ(reply.result, Result::kOk);
    EXPECT_EQ(reply.body.size_bytes(), 12u);
    EXPECT_EQ(reply.body.spans().size(), 2u);
  }
}

TEST(AppAllocationTest, AnEditAllocatesItsFirstArenaBlockOnly) {
  std::vector<Error> errors;
  const auto module = Module::Load(ExampleText("objects.pure"), &errors);
  LendingHandle handle;
  App app(module.get(), &handle);
  const std::string body(1 << 20, 'b');
  Reply reply;
  EXPECT_LE(AllocationsOf(&app, module->edit(), body, &reply), 1u);
  for (int i = 0; i < 100; ++i) {
    app.Settle(true);
    EXPECT_EQ(AllocationsOf(&app, module->edit(), body, &reply), 0u);
    EXPECT_TRUE(reply.wrote);
  }
}

TEST(AppAllocationTest, ASpliceAllocatesItsAnswerOnlyAndAPartItsListOfPieces) {
  std::vector<Error> errors;
  const auto module = Module::Load(ExampleText("pages.pure"), &errors);
  LendingHandle handle;
  App app(module.get(), &handle);
  for (const Bytes form : {"at=3&cut=6&text=x", "start=3&end=9"}) {
    const int message = module->FindMessage(form[0] == 'a' ? "splice" : "part");
    for (size_t expected : {2u, 1u}) {  // the first time with a block of the arena
      Reply reply;
      EXPECT_LE(AllocationsOf(&app, message, form, &reply, BodyEncoding::kForm), expected);
      EXPECT_EQ(reply.result, Result::kOk);
      app.Settle(true);
    }
  }
}

TEST(AppAllocationTest, AnAppendAllocatesItsAnswerOnly) {
  std::vector<Error> errors;
  const auto module = Module::Load(ExampleText("notes.pure"), &errors);
  LendingHandle handle;
  App app(module.get(), &handle);
  Reply reply;
  (void)AllocationsOf(&app, module->FindMessage("append"), "line", &reply);
  app.Settle(true);
  reply.body.Reset();
  EXPECT_EQ(AllocationsOf(&app, module->FindMessage("append"), "line", &reply), 1u);
}

}  // namespace
}  // namespace pure::modules
