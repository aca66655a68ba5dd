// One case in MatX: operands and results as its tensors, an executor, and the clock of its stream.
#pragma once

#include <bench/measure/trial.hpp>

#include <matx.h>

#include <limits>
#include <type_traits>

namespace bench {

// Two programs are compiled from these files. MATX_EN_JIT is MatX's own option.
#ifdef MATX_EN_JIT
using executor = matx::CUDAJITExecutor;
#else
using executor = matx::cudaExecutor;
#endif

template <class T, int Rank>
using tensors = std::vector<matx::tensor_t<T, Rank>>;

inline void check(cudaError_t status) {
    if (status != cudaSuccess) throw sinter::error(cudaGetErrorString(status));
}

/// The stream of all cases. MatX allocates what its kernels hand on, for each evaluation, from the device's pool; kept
/// there, memory is not asked for anew after each synchronisation.
inline cudaStream_t stream() {
    static const cudaStream_t only = [] {
        cudaMemPool_t pool;
        check(cudaDeviceGetDefaultMemPool(&pool, 0));
        std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
        check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
        cudaStream_t s;
        check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        return s;
    }();
    return only;
}

static __global__ void hold_for(long long nanoseconds) {
    long long now, end;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
    end += nanoseconds;
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now < end);
}

/// Events of the stream, as bench/peers/hand's stream_clock has them.
struct matx_clock {
    struct mark_t {
        cudaEvent_t event;
        mark_t() {
            check(cudaEventCreate(&event));
            check(cudaEventRecord(event, stream()));
        }
        mark_t(const mark_t&) = delete;
        ~mark_t() { cudaEventDestroy(event); }
    };
    mark_t mark() const { return {}; }
    double seconds(const mark_t& from, const mark_t& to) const {
        check(cudaEventSynchronize(to.event));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, from.event, to.event));
        return ms * 1e-3;
    }
    void synchronize() const { check(cudaStreamSynchronize(stream())); }
    bool hold(double seconds) const {
        hold_for<<<1, 1, 0, stream()>>>(static_cast<long long>(seconds * 1e9));
        return true;
    }
};

/// An extent as MatX counts; its option MATX_INDEX_32_BIT makes that 32 bits.
template <int Rank>
matx::index_t extent(const sinter::shape<Rank>& s, int axis) {
    return static_cast<matx::index_t>(s.extent[axis]);
}

/// An axis of the operand, among the extents that matx::clone takes.
constexpr auto kept = static_cast<matx::index_t>(matx::matxKeepDim);

/// An uninitialised tensor in device memory; MatX's default is managed memory.
template <class T, int Rank>
matx::tensor_t<T, Rank> made(const sinter::shape<Rank>& extents) {
    matx::index_t shape[Rank];
    for (int a = 0; a < Rank; ++a) shape[a] = extent(extents, a);
    return matx::make_tensor<T>(shape, matx::MATX_DEVICE_MEMORY);
}

/// One tensor of operand `seed` per set.
template <class T, int Rank>
tensors<T, Rank> operands(const trial& t, std::uint32_t seed, const sinter::shape<Rank>& extents) {
    const auto values = t.operand<T>(seed, extents.size());
    tensors<T, Rank> sets;
    for (std::size_t i = 0; i < t.sets; ++i) {
        sets.push_back(made<T>(extents));
        check(cudaMemcpy(sets[i].Data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    return sets;
}

/// Every byte 255: NaN, or -1, which no case has as a result.
template <class Tensor>
void poison(const Tensor& x) {
    check(cudaMemset(x.Data(), 255, static_cast<std::size_t>(x.TotalSize()) * sizeof(*x.Data())));
}

/// Measures `call(executor, out, i)`, which computes a result of these extents from the operands of set i. Indices
/// that argmin and argmax find are those of the whole array; `columns` is what they are taken modulo.
template <class T, int Rank, class F>
void contest(const trial& t, const sinter::shape<Rank>& extents, F call, std::int64_t columns = 0) {
    tensors<T, Rank> results;
    for (std::size_t i = 0; i < t.sets; ++i) results.push_back(made<T>(extents));
    const executor on(stream());
    matx_clock clock;
    report r;
    r.time = time_calls(clock, t.sets, t.once, [&](std::size_t i) { call(on, results[i], i); });
    poison(results[0]);
    check(cudaDeviceSynchronize());
    call(on, results[0], 0);
    clock.synchronize();
    std::vector<T> values(static_cast<std::size_t>(results[0].TotalSize()));
    check(cudaMemcpy(values.data(), results[0].Data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    const auto of = [&](T v) {
        return columns > 0 && v >= T(0) ? double(static_cast<std::int64_t>(v) % columns) : double(v);
    };
    for (const T v : values) r.unwritten += double(v) != double(v) || (std::is_integral_v<T> && v == T(-1));
    for (const std::int64_t i : sampled_indices(std::int64_t(values.size()))) r.samples.push_back(of(values[i]));
    print(t, r);
}

}  // namespace bench
