// The host as a device.
#include <runtime/host/host_device.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/host/blas.hpp>
#include <runtime/host/tiles.hpp>
#include <runtime/memory/pool.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/system/parallel.hpp>

#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace sinter::codegen {
namespace {

using clock = std::chrono::steady_clock;

struct host_mark final : time_mark {
    clock::time_point when = clock::now();
};

/// One core cannot saturate the memory of most machines, so large copies are divided among cores.
constexpr std::int64_t piece = 1 << 20;

template <class F>
void for_each_piece(std::size_t bytes, F f) {
    parallel_loop(static_cast<std::int64_t>(bytes), piece,
                  [&](std::int64_t first, std::int64_t last) { f(first, static_cast<std::size_t>(last - first)); });
}

device_properties describe_host() {
    const int cores = tbb::info::default_concurrency();
    device_properties m;
    m.name = fmt::format("host, {} core{}", cores, cores == 1 ? "" : "s");
    m.arch = 0;
    m.multiprocessors = cores;
    m.threads_per_multiprocessor = 1;
    m.shared_per_block = m.dynamic_shared_per_block = 0;
    m.l2_bytes = 1u << 20;
    m.bytes_per_second = std::min(10e9 * cores, 200e9);  // rough: per core, up to one socket's bandwidth
    return m;
}

/// A product by the BLAS, or by Sinter's own tiles.
class host_product final : public library_call {
public:
    host_product(const device& where, const gemm& g) : where_(where), what_(g) {}

    std::string describe() const override {
        return fmt::format("{}: {}", blas_takes(what_) ? blas_name() : "tiles", codegen::describe(what_));
    }
    void run(const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta) const override {
        if (capture* const c = where_.recording())
            return c->record([what = what_, p, alpha, beta] { multiply(what, p, alpha, beta); });
        multiply(what_, p, alpha, beta);
    }

private:
    static void multiply(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha,
                         const ir::scalar_bits& beta) {
        if (blas_takes(g) && !is_tiny(g))  // a call of a BLAS takes longer than such a product
            run_blas(g, p, alpha, beta);
        else
            run_tiles(g, p, alpha, beta);
    }

    const device& where_;
    const gemm what_;
};

class host_device final : public device {
public:
    const std::string& name() const override { return name_; }
    const device_properties& properties() const override { return properties_; }
    bool is_host() const override { return true; }

    void* allocate(std::size_t bytes) override { return pool_.allocate(bytes); }
    void deallocate(void* p, std::size_t bytes, stream_uses) noexcept override { pool_.deallocate(p, bytes); }

    void copy_from_host(void* to, const void* from, std::size_t bytes) override { copy_within(to, from, bytes); }
    void copy_to_host(void* to, const void* from, std::size_t bytes) override { copy_within(to, from, bytes); }
    void copy_within(void* to, const void* from, std::size_t bytes) override {
        if (capture* const c = recording()) return c->record([=, this] { copy_within(to, from, bytes); });
        for_each_piece(bytes, [&](std::int64_t at, std::size_t n) {
            std::memcpy(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at, n);
        });
    }
    void fill_zero(void* p, std::size_t bytes) override {
        if (capture* const c = recording()) return c->record([=, this] { fill_zero(p, bytes); });
        for_each_piece(bytes,
                       [&](std::int64_t at, std::size_t n) { std::memset(static_cast<std::byte*>(p) + at, 0, n); });
    }
    void synchronize() override {}

    std::unique_ptr<library_call> library_for(const gemm& g, const std::vector<int>&) override {
        // A product that a BLAS computes except for its epilogue is faster as BLAS plus one loop than by the tiles.
        const bool takes = blas_has(g.a.type) ? blas_takes(g) : tiles_take(g);
        return takes ? std::make_unique<host_product>(*this, g) : nullptr;
    }

    time_mark* mark() override { return new host_mark; }
    double seconds_between(const time_mark& from, const time_mark& to) override {
        const std::chrono::duration<double> d =
            static_cast<const host_mark&>(to).when - static_cast<const host_mark&>(from).when;
        return d.count();
    }

private:
    const std::string name_ = "host";
    const device_properties properties_ = describe_host();
    pool pool_{host_memory(), "host", limit_from_environment()};

    friend pool* codegen::host_pool(device& where);
};

}  // namespace

pool* host_pool(device& where) {
    auto* const host = dynamic_cast<host_device*>(&where);
    return host == nullptr ? nullptr : &host->pool_;
}

device& host_device_instance() {
    static constinit std::atomic<host_device*> host{nullptr};
    return created_once(host, [] { return new host_device; });
}

}  // namespace sinter::codegen
