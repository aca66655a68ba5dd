// A device that wraps another one, counts the bytes in use and can be told to fail at a later step, so that tests can
// check the state after an exception in the middle of an evaluation.
#pragma once

#include <runtime/devices/device.hpp>
#include <runtime/devices/library_call.hpp>
#include <sinter/device.hpp>

#include <map>
#include <memory>

namespace sinter::test {

/// What the two wrappers below share: the count and the fuse.
struct failing_state {
    std::int64_t live_bytes = 0;
    std::map<void*, std::size_t> blocks;
    int steps_left = -1;  ///< the step that fails, counted down; negative: none

    void step(const char* what) {
        if (steps_left >= 0 && steps_left-- == 0) throw error(std::string("a failing device: ") + what);
    }
};

/// A library's product, each call of which may fail.
class failing_call final : public codegen::library_call {
public:
    failing_call(std::unique_ptr<codegen::library_call> inner, failing_state& state)
        : inner_(std::move(inner)), state_(state) {}
    std::string describe() const override { return inner_->describe(); }
    void run(const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
             const ir::scalar_bits& beta) const override {
        state_.step("library call");
        inner_->run(p, alpha, beta);
    }

private:
    const std::unique_ptr<codegen::library_call> inner_;
    failing_state& state_;
};

/// Base: codegen::device around the host, or codegen::kernel_device around one that runs kernels.
template <class Base>
class failing_device_of : public Base {
public:
    explicit failing_device_of(Base& inner) : inner_(inner) {}
    failing_state state;

    const std::string& name() const override { return inner_.name(); }
    const codegen::device_properties& properties() const override { return inner_.properties(); }
    void* allocate(std::size_t bytes) override {
        state.step("allocate");
        void* p = inner_.allocate(bytes);
        state.blocks[p] = bytes;
        state.live_bytes += static_cast<std::int64_t>(bytes);
        return p;
    }
    void deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept override {
        // A block that is not in use, or of another size, makes the count wrong for good.
        const auto block = state.blocks.find(p);
        state.live_bytes -= block != state.blocks.end() && block->second == bytes ? static_cast<std::int64_t>(bytes)
                                                                                  : std::int64_t{1} << 40;
        if (block != state.blocks.end()) state.blocks.erase(block);
        inner_.deallocate(p, bytes, uses);
    }
    void* allocate_pinned(std::size_t bytes) override { return inner_.allocate_pinned(bytes); }
    void deallocate_pinned(void* p, std::size_t bytes) noexcept override { inner_.deallocate_pinned(p, bytes); }
    void copy_from_host(void* to, const void* from, std::size_t bytes) override {
        state.step("copy_from_host");
        inner_.copy_from_host(to, from, bytes);
    }
    void copy_to_host(void* to, const void* from, std::size_t bytes) override { inner_.copy_to_host(to, from, bytes); }
    void start_copy_to_host(void* to, const void* from, std::size_t bytes) override {
        inner_.start_copy_to_host(to, from, bytes);
    }
    void copy_within(void* to, const void* from, std::size_t bytes) override {
        state.step("copy_within");
        inner_.copy_within(to, from, bytes);
    }
    void fill_zero(void* p, std::size_t bytes) override {
        state.step("fill_zero");
        inner_.fill_zero(p, bytes);
    }
    void synchronize() override { inner_.synchronize(); }
    int acquire_stream() override { return inner_.acquire_stream(); }
    void release_stream(int number) noexcept override { inner_.release_stream(number); }
    void synchronize_stream(int number) override { inner_.synchronize_stream(number); }
    void* native_stream(int number) override { return inner_.native_stream(number); }
    void wait_for_stream(int earlier) override { inner_.wait_for_stream(earlier); }
    void wait_for_mark(const codegen::time_mark& earlier) override { inner_.wait_for_mark(earlier); }
    std::unique_ptr<codegen::library_call> library_for(const codegen::gemm& g,
                                                       const std::vector<int>& alignment) override {
        auto call = inner_.library_for(g, alignment);
        return call ? std::make_unique<failing_call>(std::move(call), state) : nullptr;
    }
    codegen::time_mark* mark() override { return inner_.mark(); }
    double seconds_between(const codegen::time_mark& from, const codegen::time_mark& to) override {
        return inner_.seconds_between(from, to);
    }

protected:
    Base& inner_;
};

class failing_host final : public failing_device_of<codegen::device> {
public:
    using failing_device_of::failing_device_of;
    bool is_host() const override { return true; }
};

class failing_kernel_device final : public failing_device_of<codegen::kernel_device> {
public:
    using failing_device_of::failing_device_of;
    std::string compile(const std::string& source, const codegen::compile_options& options) override {
        state.step("compile");
        return inner_.compile(source, options);
    }
    std::string toolchain() const override { return inner_.toolchain(); }
    // Not a step: an image from the disk cache that does not load is taken for damaged, and compiled again.
    codegen::loaded_kernel* load(const std::string& image, const std::string& entry) override {
        return inner_.load(image, entry);
    }
    void launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) override {
        state.step("launch");
        inner_.launch(kernel, shape, arguments);
    }
};

/// A failing device around `d`, kept to the end as plans are.
inline std::pair<codegen::device*, failing_state*> make_failing(const device& d) {
    if (d.is_host()) {
        auto* made = new failing_host(d.get());
        return {made, &made->state};
    }
    auto* made = new failing_kernel_device(static_cast<codegen::kernel_device&>(d.get()));
    return {made, &made->state};
}

}  // namespace sinter::test
