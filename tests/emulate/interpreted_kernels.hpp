// Interpreted kernels: the programs from which sources were printed, and which of them are also compiled, to check
// printing.
#pragma once

#include <tests/emulate/block_runner.hpp>
#include <tests/emulate/memory.hpp>
#include <tests/interpret/interpreter.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace sinter::emulate {

/// The image of an interpreted kernel: its source and, if it is also compiled, the object.
struct interpreted_image {
    std::string source, object;

    std::string pack() const;
    /// None for an image of another kind.
    static std::optional<interpreted_image> unpack(const std::string& image);
};

class interpreted_kernels {
public:
    /// SINTER_EMULATE_COMPILE=n: one of n kernels is also compiled, and its results are compared with the
    /// interpreter's. 1: all. 0: all, and only those with warp-wide PTX instructions are interpreted.
    interpreted_kernels(memory& device_memory, block_runner& compiled);

    /// Thread-safe, as the next two are.
    void announce(const std::string& source, const std::shared_ptr<const codegen::device_ir::program>& program);
    bool knows(const std::string& source) const;
    /// A kernel that knows() has been asked for; it is forgotten here.
    std::shared_ptr<const interpret::kernel> take(const std::string& source);
    bool is_compiled_too(const std::string& source) const;

    /// Returns an error, or an empty string.
    std::string run(const interpret::kernel& k, const interpret::launch_request& request);
    /// Also runs `compiled`, which must give the same results.
    std::string run_both(const interpret::kernel& k, const interpret::launch_request& request,
                         const std::function<std::string()>& compiled);

    int compile_one_in = 0;

private:
    /// The device's memory, and the order of its blocks.
    class checked_memory final : public interpret::global_memory {
    public:
        checked_memory(memory& of, global_races& order) : memory_(of), races_(order) {}
        std::pair<const char*, const char*> bounds(const void* p) const override { return memory_.bounds(p); }
        bool holds(const void* p, std::size_t bytes) const override { return memory_.holds(p, bytes); }
        std::string describe(const void* p) const override { return memory_.describe(p); }
        std::string access(const void* p, std::size_t bytes, interpret::access_kind kind) override;
        void start_launch(std::int64_t blocks) override;
        void run_block(std::int64_t block) override { races_.run(block); }
        void fence() override { races_.fence(); }
        void start_cluster() override { races_.start_cluster(); }
        void arrive_at_cluster() override { races_.arrive(); }
        void pass_cluster() override { races_.pass(); }

    private:
        memory& memory_;
        global_races& races_;
        bool has_blocks_ = false;
    };

    memory& memory_;
    checked_memory checked_;
    interpret::runner runner_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<const interpret::kernel>> known_;
};

}  // namespace sinter::emulate
