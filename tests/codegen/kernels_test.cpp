// The map of loaded kernels, on a device that only counts: made once, found on disk, made again after a failure.
#include <runtime/cache/embedded.hpp>
#include <runtime/cache/kernels.hpp>

#include <sinter/error.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace sinter::codegen;

class counting_device final : public kernel_device {
public:
    const std::string& name() const override { return name_; }
    const device_properties& properties() const override { return properties_; }
    void* allocate(std::size_t) override { return nullptr; }
    void deallocate(void*, std::size_t, stream_uses) noexcept override {}
    void copy_from_host(void*, const void*, std::size_t) override {}
    void copy_to_host(void*, const void*, std::size_t) override {}
    void copy_within(void*, const void*, std::size_t) override {}
    void fill_zero(void*, std::size_t) override {}
    void synchronize() override {}
    time_mark* mark() override { return new time_mark; }
    double seconds_between(const time_mark&, const time_mark&) override { return 0; }

    std::string compile(const std::string& source, const compile_options&) override {
        ++compiles;
        const int now = ++active_;
        for (int before = max_at_once; before < now && !max_at_once.compare_exchange_weak(before, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        --active_;
        if (source == "wrong") throw sinter::error("refused");
        return "image of " + source;
    }
    std::string toolchain() const override { return tools; }
    loaded_kernel* load(const std::string& image, const std::string& entry) override {
        ++loads;
        if (image == refused_image) throw sinter::error("not loadable");
        auto kernel = std::make_unique<loaded_kernel>();
        kernel->usage.image_bytes = image.size() + entry.size();
        const std::lock_guard lock(mutex_);
        kernels_.push_back(std::move(kernel));
        return kernels_.back().get();
    }
    void launch(loaded_kernel*, const launch_shape&, void**) override {}

    std::atomic<int> compiles{0}, loads{0}, max_at_once{0};
    std::string tools = "tools 1", refused_image;

private:
    std::string name_ = "counting";
    device_properties properties_;
    std::atomic<int> active_{0};
    std::mutex mutex_;
    std::vector<std::unique_ptr<loaded_kernel>> kernels_;
};

/// The process's disk cache, in a folder of this test's; named before anything asks for it.
const std::string folder = [] {
    std::string f = testing::TempDir() + "sinter_kernels_" + std::to_string(::getpid());
    ::setenv("SINTER_CACHE_DIR", f.c_str(), 1);
    return f;
}();

/// The kernels that were made when this program was built, as far as it knows.
const std::string embedded = [] {
    std::string f = testing::TempDir() + "sinter_embedded_" + std::to_string(::getpid());
    append_image(f, cache_text("entry", "known text", {}), 90, "image of known text");
    append_image(f, cache_text("entry", "refused text", {}), 90, "refused");
    ::setenv("SINTER_KERNELS", f.c_str(), 1);
    return f;
}();

class kernels : public testing::Test {
protected:
    void SetUp() override { std::filesystem::remove_all(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    kernel_request request(const std::string& key, const std::string& source) {
        return {key, [this, source] { return ++texts, printed_kernel{source, "entry", {}}; }};
    }
    const ready_kernel& get(counting_device& d, const std::string& key, const std::string& source) {
        return get_kernel(d, request(key, source));
    }

    std::atomic<int> texts{0};
};

TEST_F(kernels, are_taken_from_the_program_before_anything_is_compiled) {
    counting_device d;
    const ready_kernel& k = get(d, "known", "known text");
    EXPECT_TRUE(k.embedded);
    EXPECT_FALSE(k.from_disk);
    EXPECT_EQ(k.usage.image_bytes, std::string("image of known textentry").size());
    EXPECT_EQ(d.compiles, 0);
    d.refused_image = "refused";  // by a driver that is too old, say
    EXPECT_FALSE(get(d, "refused", "refused text").embedded);
    EXPECT_EQ(d.compiles, 1);
    std::filesystem::remove(embedded);
}

TEST_F(kernels, a_class_is_made_once) {
    counting_device d;
    const ready_kernel& k = get(d, "class", "source");
    EXPECT_FALSE(k.from_disk);
    EXPECT_GE(k.compile_seconds, 0.02);
    EXPECT_EQ(k.usage.image_bytes, std::string("image of sourceentry").size());
    EXPECT_EQ(&get(d, "class", "source"), &k);
    EXPECT_EQ(texts, 1);
    EXPECT_EQ(d.compiles, 1);
    EXPECT_NE(&get(d, "other class", "other source"), &k);
    EXPECT_EQ(d.compiles, 2);
}

TEST_F(kernels, another_device_finds_it_on_disk) {
    counting_device first, second, different;
    different.tools = "tools 2";
    get(first, "class", "source");
    const ready_kernel& k = get(second, "class", "source");
    EXPECT_TRUE(k.from_disk);
    EXPECT_LT(k.compile_seconds, 0.02);
    EXPECT_EQ(k.usage.image_bytes, get(first, "class", "source").usage.image_bytes);
    EXPECT_EQ(second.compiles, 0);
    EXPECT_FALSE(get(different, "class", "source").from_disk) << "made by other tools";
    counting_device third;
    EXPECT_FALSE(get(third, "class", "changed source").from_disk);
}

TEST_F(kernels, an_image_on_disk_that_does_not_load_is_compiled_anew) {
    counting_device first, second;
    get(first, "class", "source");
    second.refused_image = "image of source";
    EXPECT_THROW(get(second, "class", "source"), sinter::error);
    EXPECT_EQ(second.compiles, 1);
    EXPECT_EQ(second.loads, 2);
    second.refused_image = "";
    EXPECT_TRUE(get(second, "class", "source").from_disk);
}

TEST_F(kernels, a_failure_is_not_remembered) {
    counting_device d;
    EXPECT_THROW(get(d, "class", "wrong"), sinter::error);
    EXPECT_THROW(get(d, "class", "wrong"), sinter::error);
    EXPECT_EQ(d.compiles, 2);
    EXPECT_NE(get(d, "class", "right").loaded, nullptr);
}

TEST_F(kernels, many_threads_make_one_kernel_and_different_kernels_at_once) {
    counting_device d;
    std::vector<std::thread> threads;
    std::vector<const ready_kernel*> found(32);
    for (std::size_t i = 0; i < found.size(); ++i)
        threads.emplace_back([&, i] {
            const std::string n = std::to_string(i % 8);
            found[i] = &get(d, "class " + n, "source " + n);
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(d.compiles, 8);
    EXPECT_GT(d.max_at_once, 1) << "compiled one by one";
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], found[i % 8]);
}

TEST_F(kernels, several_are_made_at_once) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core compiles one at a time";
    counting_device d;
    const ready_kernel& known = get(d, "class 0", "source 0");
    std::vector<kernel_request> wanted;
    for (int i = 0; i < 8; ++i) wanted.push_back(request("class " + std::to_string(i), "source " + std::to_string(i)));
    make_kernels_ready(d, wanted);
    EXPECT_EQ(d.compiles, 8);
    EXPECT_EQ(texts, 8);
    EXPECT_GT(d.max_at_once, 1) << "compiled one by one";
    EXPECT_EQ(&get_kernel(d, wanted[0]), &known);
    for (const kernel_request& r : wanted) EXPECT_NE(get_kernel(d, r).loaded, nullptr);
    EXPECT_EQ(d.compiles, 8);
}

TEST_F(kernels, of_several_failures_the_first_in_the_list_is_thrown) {
    counting_device d;
    const kernel_request wrong{"wrong", []() -> printed_kernel { throw sinter::error("the first"); }};
    const kernel_request worse{"worse", []() -> printed_kernel { throw sinter::error("the second"); }};
    try {
        make_kernels_ready(d, {request("right", "right"), wrong, worse});
        FAIL() << "nothing was thrown";
    } catch (const sinter::error& e) {
        EXPECT_STREQ(e.what(), "the first");
    }
    EXPECT_NE(get(d, "right", "right").loaded, nullptr);
    EXPECT_EQ(d.compiles, 1);
}

}  // namespace
