// The public handle of a device's pool, and the adapter between a user's allocator and the pool.
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/host/host_device.hpp>
#include <runtime/memory/pool.hpp>
#include <sinter/memory.hpp>

#include <fmt/format.h>

#include <utility>

namespace sinter {
namespace codegen {
namespace {

constexpr std::size_t block_alignment = 256;

class user_memory final : public memory_source {
public:
    user_memory(const device& where, std::shared_ptr<memory_allocator> from) : where_(where), from_(std::move(from)) {}

    void* allocate(std::size_t bytes) override {
        enter_cuda(where_);
        return from_->allocate(bytes, block_alignment);
    }
    void release(void* p, std::size_t bytes) noexcept override {
        try {
            enter_cuda(where_);
        } catch (const error&) {  // the device has failed; free the memory nevertheless, for the allocator's accounting
        }
        from_->deallocate(p, bytes, block_alignment);
    }
    state query() const noexcept override { return {}; }

private:
    const device& where_;
    const std::shared_ptr<memory_allocator> from_;
};

pool* find_pool(device& where) { return where.is_host() ? host_pool(where) : cuda_pool(where); }

pool& pool_of(device& where) { return *find_pool(where); }

}  // namespace
}  // namespace codegen

memory_pool::memory_pool(const device& of) : where_(&of.get()) {
    if (codegen::find_pool(*where_) == nullptr)
        throw error(fmt::format("memory_pool: {} has no pool of its own; use that of host() or cuda()", of.name()));
}

std::size_t memory_pool::used_bytes() const { return codegen::pool_of(*where_).used_bytes(); }
std::size_t memory_pool::free_bytes() const { return codegen::pool_of(*where_).cached_bytes(); }
std::size_t memory_pool::peak_bytes() const { return codegen::pool_of(*where_).peak_bytes(); }
void memory_pool::reset_peak() { codegen::pool_of(*where_).reset_peak(); }
std::size_t memory_pool::limit() const { return codegen::pool_of(*where_).limit(); }
void memory_pool::set_limit(std::size_t bytes) { codegen::pool_of(*where_).set_limit(bytes); }
std::size_t memory_pool::free_all_blocks() {
    where_->synchronize();
    return codegen::pool_of(*where_).trim();
}

void memory_pool::set_allocator(std::shared_ptr<memory_allocator> from) {
    codegen::pool_of(*where_).set_source(from ? std::make_unique<codegen::user_memory>(*where_, std::move(from))
                                              : nullptr);
}

}  // namespace sinter
