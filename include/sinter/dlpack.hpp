// DLPack: zero-copy exchange of arrays with other libraries (PyTorch, CuPy, JAX, NumPy ...).
//
// The structures are those of DLPack 1.1, https://dmlc.github.io/dlpack/latest/c_api.html. A program that also uses the
// official <dlpack/dlpack.h> (1.0 or newer) must include it first; its declarations are then used.
#pragma once

#include <sinter/wrap.hpp>

#include <optional>

#if !defined(DLPACK_DLPACK_H_)
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

extern "C" {

enum DLDeviceType : std::int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
enum DLDataTypeCode {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e5m2 = 12
};

struct DLPackVersion {
    std::uint32_t major;
    std::uint32_t minor;
};
struct DLDevice {
    DLDeviceType device_type;
    std::int32_t device_id;
};
struct DLDataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct DLTensor {
    void* data;
    DLDevice device;
    std::int32_t ndim;
    DLDataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements
    std::uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    DLTensor dl_tensor;
};

}  // extern "C"
#elif !defined(DLPACK_MAJOR_VERSION)
#error "sinter: <sinter/dlpack.hpp> needs <dlpack/dlpack.h> 1.0 or newer, and an older one was included; update it"
#endif

namespace sinter {
namespace detail {

/// The other library's CUstream; empty if it is not known.
using other_stream = std::optional<void*>;

DLManagedTensorVersioned* to_dlpack(storage_ref values, other_stream consumer);
DLManagedTensor* to_dlpack_unversioned(storage_ref values, other_stream consumer);
storage_ref from_dlpack(DLManagedTensorVersioned* tensor, dtype type, int rank, other_stream producer);
storage_ref from_dlpack(DLManagedTensor* tensor, dtype type, int rank, other_stream producer);

}  // namespace detail

/// The array, or an expression's values, as a DLPack tensor over the same memory. The caller owns it and calls its
/// deleter once. Waits for the device, so that the elements can be read on any stream. If the consumer's CUstream is
/// given (null is CUDA's default stream), that stream waits instead of the host, and its work until the deleter call is
/// ordered before any other use of the memory. An array with other references is flagged read-only;
/// `to_dlpack(std::move(a))` of the only reference gives a writable tensor. Throws for a device that DLPack does not
/// support.
template <operand A>
[[nodiscard]] DLManagedTensorVersioned* to_dlpack(A&& a, detail::other_stream consumer = {}) {
    return detail::to_dlpack(std::move(detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]), consumer);
}
/// As above for consumers of DLPack before 1.0, which has no read-only flag: shared values are copied.
template <operand A>
[[nodiscard]] DLManagedTensor* to_dlpack_unversioned(A&& a, detail::other_stream consumer = {}) {
    return detail::to_dlpack_unversioned(std::move(detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]),
                                         consumer);
}

/// An array over the memory of a DLPack tensor, with its strides, on the tensor's device. Takes ownership: the deleter
/// is called once, when no array, expression or running work uses the memory. If it throws, the caller keeps the
/// tensor. The producer's writes must be complete, unless its CUstream is given: then Sinter's work waits on the device
/// for that stream's work so far. Throws, naming both sides, if the dtype or rank is not T and Rank, the device is
/// unknown here, the major version is not 1, or the elements are misaligned.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> from_dlpack(DLManagedTensorVersioned* tensor, detail::other_stream producer = {}) {
    return array<T, Rank>(detail::from_dlpack(tensor, dtype_of<T>, Rank, producer));
}
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> from_dlpack(DLManagedTensor* tensor, detail::other_stream producer = {}) {
    return array<T, Rank>(detail::from_dlpack(tensor, dtype_of<T>, Rank, producer));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(to_dlpack, "to_dlpack(x)")
SINTER_DETAIL_USAGE(to_dlpack_unversioned, "to_dlpack_unversioned(x)")
SINTER_DETAIL_USAGE_OF_LOADS(from_dlpack, "from_dlpack<float, 2>(tensor), with the dtype and the rank")

}  // namespace sinter
