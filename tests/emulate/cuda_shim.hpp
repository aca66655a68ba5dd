// The CUDA keywords and functions of generated kernels, for a host compiler: the emulator puts it before the generated
// source. It includes no system header, because each kernel compiles it again.
#pragma once
#pragma GCC system_header

#include "abi.hpp"
#include "cuda_math.hpp"

// ---- declarations ---------------------------------------------------------------------------------------------------

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
// One block runs at a time, so a block's shared memory is static; the section lets the emulator find and poison it, and
// save it while another block runs.
// If several sources are compiled together, each has a separate section.
#define SINTER_EMULATE_SHARED "emulated_shared"
// Constructors do nothing, which g++ must know: otherwise it emits guards for arrays of classes.
#if defined(__clang__)
#define __shared__ static __attribute__((section(SINTER_EMULATE_SHARED)))
#else
#define __shared__ static constinit __attribute__((section(SINTER_EMULATE_SHARED)))
#endif

typedef decltype(sizeof(0)) size_t;

extern "C" {
extern char __start_emulated_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_emulated_shared[] __attribute__((weak, visibility("hidden")));
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
__attribute__((visibility("default"))) sinter_emulate::image_state sinter_emulate_image = {
    {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {}, nullptr, nullptr, __ehdr_start, _end};
}

#define threadIdx (::sinter_emulate_image.thread)
#define blockIdx (::sinter_emulate_image.block)
#define blockDim (::sinter_emulate_image.block_size)
#define gridDim (::sinter_emulate_image.grid_size)
inline constexpr int warpSize = 32;

namespace sinter_emulate {

/// Starts one thread: `arguments` points to each argument, as a kernel launch passes them.
template <class... A>
struct invocation {
    static_assert((sizeof(A) + ... + 0) <= 4096, "a kernel's parameters may take 4096 bytes");
    __attribute__((always_inline)) invocation(void (*kernel)(A...), A... arguments) { kernel(arguments...); }
};
template <class... A>
__attribute__((always_inline, no_sanitize("thread", "alignment"))) inline void call(void (*kernel)(A...),
                                                                                    void** arguments) {
    invocation<A...>{kernel, *static_cast<A*>(*arguments++)...};  // braces: left to right
}

/// The sizes of a kernel's parameters, followed by 0.
template <auto kernel>
struct parameters;
template <class... A, void (*kernel)(A...)>
struct parameters<kernel> {
    static constexpr size_t bytes[] = {sizeof(A)..., 0};
};

template <class To, class From>
inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}

}  // namespace sinter_emulate

// ---- barriers and fences --------------------------------------------------------------------------------------------

inline void __syncthreads(int line = __builtin_LINE()) { sinter_emulate_image.emulator.block_barrier(false, line); }
inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
    return sinter_emulate_image.emulator.block_barrier(predicate != 0, line);
}
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
    return sinter_emulate_image.emulator.block_barrier(predicate != 0, line) != 0;
}
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
    return sinter_emulate_image.emulator.block_barrier(predicate == 0, line) == 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
    sinter_emulate_image.emulator.warp_exchange(mask, 0, sinter_emulate::collective::sync, line);
}
inline void __threadfence() { sinter_emulate_image.emulator.fence(); }
inline void __threadfence_block() {}
inline void __threadfence_system() { sinter_emulate_image.emulator.fence(); }
inline void __nanosleep(unsigned, int line = __builtin_LINE()) { sinter_emulate_image.emulator.sleep(line); }
inline void __cluster_barrier_arrive(int line = __builtin_LINE()) {
    sinter_emulate_image.emulator.cluster_arrive(line);
}
inline void __cluster_barrier_wait(int line = __builtin_LINE()) { sinter_emulate_image.emulator.cluster_wait(line); }
/// For reading, the only use in generated kernels.
inline void* __cluster_map_shared_rank(const void* own, unsigned block, int line = __builtin_LINE()) {
    return sinter_emulate_image.emulator.in_block(own, block, line);
}
inline void __trap(int line = __builtin_LINE()) { sinter_emulate_image.emulator.fail("__trap() was called", line); }

// ---- warp shuffles, votes and reductions ----------------------------------------------------------------------------

namespace sinter_emulate {

inline unsigned lane() {
    const index3 &t = sinter_emulate_image.thread, &size = sinter_emulate_image.block_size;
    return (t.x + size.x * (t.y + size.y * t.z)) & 31u;
}

/// The value of lane `source` in a shuffle; `source` may be outside the caller's segment of `width` lanes.
template <class T>
inline T shuffle(unsigned mask, T value, int source, bool inside, int line) {
    unsigned long long bits = 0;
    if constexpr (sizeof(T) == 8)
        bits = bit_cast<unsigned long long>(value);
    else
        bits = bit_cast<unsigned>(value);
    const unsigned long long got = sinter_emulate_image.emulator.warp_exchange(mask, bits, collective::shuffle,
                                                                               line)[inside ? source : int(lane())];
    if constexpr (sizeof(T) == 8)
        return bit_cast<T>(got);
    else
        return bit_cast<T>(static_cast<unsigned>(got));
}

inline bool check_width(int width, int line) {
    const bool good = width > 0 && width <= 32 && (width & (width - 1)) == 0;
    if (!good) sinter_emulate_image.emulator.fail("a shuffle's width must be a power of two up to 32", line);
    return good;
}

}  // namespace sinter_emulate

#define SINTER_EMULATE_SHUFFLES(T)                                                                                   \
    inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, int line = __builtin_LINE()) {          \
        sinter_emulate::check_width(width, line);                                                                    \
        const int first = int(sinter_emulate::lane()) & ~(width - 1);                                                \
        return sinter_emulate::shuffle(mask, value, first + (source & (width - 1)), true, line);                     \
    }                                                                                                                \
    inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {   \
        sinter_emulate::check_width(width, line);                                                                    \
        const int lane = int(sinter_emulate::lane()), first = lane & ~(width - 1), source = lane - int(delta);       \
        return sinter_emulate::shuffle(mask, value, source, source >= first, line);                                  \
    }                                                                                                                \
    inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) { \
        sinter_emulate::check_width(width, line);                                                                    \
        const int lane = int(sinter_emulate::lane()), last = lane | (width - 1), source = lane + int(delta);         \
        return sinter_emulate::shuffle(mask, value, source, source <= last, line);                                   \
    }                                                                                                                \
    inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, int line = __builtin_LINE()) {        \
        sinter_emulate::check_width(width, line);                                                                    \
        const int lane = int(sinter_emulate::lane()), last = lane | (width - 1), source = lane ^ bits;               \
        return sinter_emulate::shuffle(mask, value, source, source <= last, line);                                   \
    }
SINTER_EMULATE_SHUFFLES(int)
SINTER_EMULATE_SHUFFLES(unsigned)
SINTER_EMULATE_SHUFFLES(long)
SINTER_EMULATE_SHUFFLES(unsigned long)
SINTER_EMULATE_SHUFFLES(long long)
SINTER_EMULATE_SHUFFLES(unsigned long long)
SINTER_EMULATE_SHUFFLES(float)
SINTER_EMULATE_SHUFFLES(double)
#undef SINTER_EMULATE_SHUFFLES

inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    const unsigned long long* votes =
        sinter_emulate_image.emulator.warp_exchange(mask, predicate != 0, sinter_emulate::collective::vote, line);
    unsigned ballot = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if ((mask >> lane & 1u) != 0 && votes[lane] != 0) ballot |= 1u << lane;
    return ballot;
}
inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate, line) == mask;
}
/// Threads of the emulator run one at a time: no other lane is ever active, which CUDA allows.
inline unsigned __activemask() { return 1u << sinter_emulate::lane(); }

#define SINTER_EMULATE_REDUX(name, T, combine)                                             \
    inline T name(unsigned mask, T value, int line = __builtin_LINE()) {                   \
        const unsigned long long* lanes = sinter_emulate_image.emulator.warp_exchange(     \
            mask, static_cast<unsigned>(value), sinter_emulate::collective::reduce, line); \
        T x = value;                                                                       \
        for (unsigned lane = 0; lane < 32; ++lane) {                                       \
            if ((mask >> lane & 1u) == 0 || lane == sinter_emulate::lane()) continue;      \
            const T y = static_cast<T>(lanes[lane]);                                       \
            x = combine;                                                                   \
        }                                                                                  \
        return x;                                                                          \
    }
SINTER_EMULATE_REDUX(__reduce_add_sync, int, x + y)
SINTER_EMULATE_REDUX(__reduce_add_sync, unsigned, x + y)
SINTER_EMULATE_REDUX(__reduce_min_sync, int, y < x ? y : x)
SINTER_EMULATE_REDUX(__reduce_min_sync, unsigned, y < x ? y : x)
SINTER_EMULATE_REDUX(__reduce_max_sync, int, y > x ? y : x)
SINTER_EMULATE_REDUX(__reduce_max_sync, unsigned, y > x ? y : x)
SINTER_EMULATE_REDUX(__reduce_and_sync, unsigned, x& y)
SINTER_EMULATE_REDUX(__reduce_or_sync, unsigned, x | y)
SINTER_EMULATE_REDUX(__reduce_xor_sync, unsigned, x ^ y)
#undef SINTER_EMULATE_REDUX

// ---- atomics (threads run one at a time: a plain update is atomic) --------------------------------------------------

#define SINTER_EMULATE_ATOMIC(name, T, update)                                                    \
    __attribute__((no_sanitize("thread"))) inline T name(T* at, T value) {                        \
        sinter_emulate_image.emulator.access(at, sizeof(T), sinter_emulate::access_kind::atomic); \
        const T old = *at;                                                                        \
        *at = update;                                                                             \
        return old;                                                                               \
    }
SINTER_EMULATE_ATOMIC(atomicAdd, int, old + value)
SINTER_EMULATE_ATOMIC(atomicAdd, unsigned, old + value)
SINTER_EMULATE_ATOMIC(atomicAdd, unsigned long long, old + value)
SINTER_EMULATE_ATOMIC(atomicAdd, float, old + value)
SINTER_EMULATE_ATOMIC(atomicAdd, double, old + value)
SINTER_EMULATE_ATOMIC(atomicSub, int, old - value)
SINTER_EMULATE_ATOMIC(atomicSub, unsigned, old - value)
SINTER_EMULATE_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u)
SINTER_EMULATE_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)
SINTER_EMULATE_ATOMIC(atomicExch, int, value)
SINTER_EMULATE_ATOMIC(atomicExch, unsigned, value)
SINTER_EMULATE_ATOMIC(atomicExch, unsigned long long, value)
SINTER_EMULATE_ATOMIC(atomicExch, float, value)
SINTER_EMULATE_ATOMIC(atomicMin, int, value < old ? value : old)
SINTER_EMULATE_ATOMIC(atomicMin, unsigned, value < old ? value : old)
SINTER_EMULATE_ATOMIC(atomicMax, int, value > old ? value : old)
SINTER_EMULATE_ATOMIC(atomicMax, unsigned, value > old ? value : old)
SINTER_EMULATE_ATOMIC(atomicAnd, unsigned, old& value)
SINTER_EMULATE_ATOMIC(atomicOr, unsigned, old | value)
#undef SINTER_EMULATE_ATOMIC

#define SINTER_EMULATE_CAS(T)                                                                     \
    __attribute__((no_sanitize("thread"))) inline T atomicCAS(T* at, T expected, T value) {       \
        sinter_emulate_image.emulator.access(at, sizeof(T), sinter_emulate::access_kind::atomic); \
        const T old = *at;                                                                        \
        if (old == expected) *at = value;                                                         \
        return old;                                                                               \
    }
SINTER_EMULATE_CAS(int)
SINTER_EMULATE_CAS(unsigned)
SINTER_EMULATE_CAS(unsigned long long)
#undef SINTER_EMULATE_CAS

// ---- memory access hints --------------------------------------------------------------------------------------------

template <class T>
inline T __ldg(const T* at) {
    return *at;
}
template <class T>
inline T __ldcs(const T* at) {
    return *at;
}
/// From the cache that all blocks share: like a volatile read, it finds what atomics have written.
template <class T>
inline T __ldcg(const T* at) {
    return *static_cast<const volatile T*>(at);
}
template <class T>
inline T __ldca(const T* at) {
    return *at;
}
template <class T>
inline void __stcs(T* at, T value) {
    *at = value;
}
template <class T>
inline void __stcg(T* at, T value) {
    *at = value;
}
template <class T>
inline void __stwb(T* at, T value) {
    *at = value;
}

// ---- bits -----------------------------------------------------------------------------------------------------------

inline float __int_as_float(int x) { return sinter_emulate::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return sinter_emulate::bit_cast<float>(x); }
inline int __float_as_int(float x) { return sinter_emulate::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return sinter_emulate::bit_cast<unsigned>(x); }
inline double __longlong_as_double(long long x) { return sinter_emulate::bit_cast<double>(x); }
inline long long __double_as_longlong(double x) { return sinter_emulate::bit_cast<long long>(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31u));
}
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline int __float2int_rn(float x) { return static_cast<int>(__builtin_lrintf(x)); }
/// The greater of each pair of bytes.
inline unsigned __vmaxu4(unsigned x, unsigned y) {
    unsigned made = 0;
    for (unsigned byte = 0xffu; byte != 0; byte <<= 8) made |= (x & byte) > (y & byte) ? x & byte : y & byte;
    return made;
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

// ---- hooks of the compiler's sanitizers -----------------------------------------------------------------------------
// The source is compiled with -fsanitize=thread,alignment,bounds but not linked with their libraries: these functions
// replace them and call the emulator's own checks.

#define SINTER_EMULATE_HOOK extern "C" __attribute__((used, visibility("hidden"), no_sanitize("thread"))) void
#define SINTER_EMULATE_ACCESS(name, kind, bytes)                                           \
    SINTER_EMULATE_HOOK __tsan_##name##bytes(void* p) {                                    \
        sinter_emulate_image.emulator.access(p, bytes, sinter_emulate::access_kind::kind); \
    }
#define SINTER_EMULATE_ACCESSES(bytes)                                   \
    SINTER_EMULATE_ACCESS(read, read, bytes)                             \
    SINTER_EMULATE_ACCESS(write, write, bytes)                           \
    SINTER_EMULATE_ACCESS(volatile_read, volatile_read, bytes)           \
    SINTER_EMULATE_ACCESS(volatile_write, volatile_write, bytes)         \
    SINTER_EMULATE_ACCESS(unaligned_read, read, bytes)                   \
    SINTER_EMULATE_ACCESS(unaligned_write, write, bytes)                 \
    SINTER_EMULATE_ACCESS(unaligned_volatile_read, volatile_read, bytes) \
    SINTER_EMULATE_ACCESS(unaligned_volatile_write, volatile_write, bytes)
SINTER_EMULATE_ACCESS(read, read, 1)
SINTER_EMULATE_ACCESS(write, write, 1)
SINTER_EMULATE_ACCESS(volatile_read, volatile_read, 1)
SINTER_EMULATE_ACCESS(volatile_write, volatile_write, 1)
SINTER_EMULATE_ACCESSES(2)
SINTER_EMULATE_ACCESSES(4)
SINTER_EMULATE_ACCESSES(8)
SINTER_EMULATE_ACCESSES(16)
SINTER_EMULATE_HOOK __tsan_read_range(void* p, unsigned long n) {
    sinter_emulate_image.emulator.access(p, n, sinter_emulate::access_kind::read);
}
SINTER_EMULATE_HOOK __tsan_write_range(void* p, unsigned long n) {
    sinter_emulate_image.emulator.access(p, n, sinter_emulate::access_kind::write);
}
// clang calls these to copy or fill more than a register.
SINTER_EMULATE_HOOK* __tsan_memcpy(void* to, const void* from, unsigned long n) {
    __tsan_read_range(const_cast<void*>(from), n);
    __tsan_write_range(to, n);
    return __builtin_memcpy(to, from, n);
}
SINTER_EMULATE_HOOK* __tsan_memmove(void* to, const void* from, unsigned long n) {
    __tsan_read_range(const_cast<void*>(from), n);
    __tsan_write_range(to, n);
    return __builtin_memmove(to, from, n);
}
SINTER_EMULATE_HOOK* __tsan_memset(void* to, int value, unsigned long n) {
    __tsan_write_range(to, n);
    return __builtin_memset(to, value, n);
}
SINTER_EMULATE_HOOK __tsan_func_entry(void*) {}
SINTER_EMULATE_HOOK __tsan_func_exit(void*) {}
SINTER_EMULATE_HOOK __tsan_init() {}
#undef SINTER_EMULATE_ACCESS
#undef SINTER_EMULATE_ACCESSES

namespace sinter_emulate {
struct found_at {  ///< a source location, as the compiler passes it
    const char* file;
    unsigned line, column;
};
}  // namespace sinter_emulate
SINTER_EMULATE_HOOK __ubsan_handle_type_mismatch_v1(void* where, void*) {
    sinter_emulate_image.emulator.fail("an access is not aligned as its type must be",
                                       int(static_cast<sinter_emulate::found_at*>(where)->line));
}
SINTER_EMULATE_HOOK __ubsan_handle_out_of_bounds(void* where, void*) {
    sinter_emulate_image.emulator.fail("an index is outside its array",
                                       int(static_cast<sinter_emulate::found_at*>(where)->line));
}
#define SINTER_EMULATE_OVERFLOW(of, ...)                                                              \
    SINTER_EMULATE_HOOK __ubsan_handle_##of##_overflow(void* where, __VA_ARGS__) {                    \
        sinter_emulate_image.emulator.fail("a signed " #of " overflows, which is undefined",          \
                                           int(static_cast<sinter_emulate::found_at*>(where)->line)); \
    }
SINTER_EMULATE_OVERFLOW(add, void*, void*)
SINTER_EMULATE_OVERFLOW(sub, void*, void*)
SINTER_EMULATE_OVERFLOW(mul, void*, void*)
SINTER_EMULATE_OVERFLOW(divrem, void*, void*)
SINTER_EMULATE_OVERFLOW(negate, void*)
#undef SINTER_EMULATE_OVERFLOW
#undef SINTER_EMULATE_HOOK
