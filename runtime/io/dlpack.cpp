// Converts arrays to and from DLPack's structures.
#include <codegen/ir/print.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/dlpack.hpp>
#include <sinter/scoped.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace sinter {
namespace codegen {
namespace {

constexpr int codes[] = {kDLBool, kDLUInt, kDLInt, kDLFloat, kDLComplex};  // in dtype_kind's order

DLDataType dlpack_type(dtype d) {
    const int code = d == dtype::bfloat16      ? static_cast<int>(kDLBfloat)
                     : d == dtype::float8_e4m3 ? static_cast<int>(kDLFloat8_e4m3fn)
                     : d == dtype::float8_e5m2 ? static_cast<int>(kDLFloat8_e5m2)
                                               : codes[static_cast<int>(kind_of(d))];
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(d)), 1};
}

std::optional<dtype> dtype_from(const DLDataType& type) {
    for (int i = 0; i < dtype_count; ++i) {
        const DLDataType known = dlpack_type(static_cast<dtype>(i));
        if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return static_cast<dtype>(i);
    }
    return std::nullopt;
}

DLDevice dlpack_device(const device& where) {
    if (where.is_host()) return {kDLCPU, 0};
    int index = 0;
    if (std::sscanf(where.name().c_str(), "cuda(%d)", &index) != 1)
        throw error(fmt::format("to_dlpack: device {} has no number in DLPack; move the array first: x.to(host())",
                                where.name()));
    return {kDLCUDA, index};
}

device& device_from(const DLDevice& where) {
    switch (where.device_type) {
        case kDLCPU:
        case kDLCUDAHost: return host().get();
        case kDLCUDA:
        case kDLCUDAManaged: return cuda(where.device_id).get();
        default:
            throw error(
                fmt::format("from_dlpack: the tensor is on a device of type {}, which is neither the host nor "
                            "CUDA; copy it to one of them first",
                            static_cast<int>(where.device_type)));
    }
}

/// Orders the work so far on a consumer's stream before all later uses of the memory.
void take_back(detail::storage& s, void* consumer) noexcept {
    const detail::scoped own(chosen_stream, {});  // the device's own stream, also while a graph is recorded
    try {
        s.where->wait_for_native(consumer);
        order_read(s);
    } catch (const error&) {  // errors are reported where the results are used
    }
}

/// The owner of an exported tensor's memory and extents.
template <class Managed>
struct exported {
    Managed tensor{};
    detail::storage_ref share;
    std::int64_t extents[ir::max_rank];
    std::int64_t strides[ir::max_rank];
    detail::other_stream consumer;

    ~exported() {
        if (consumer) take_back(*share.get(), *consumer);
    }
};

template <class Managed>
Managed* make_exported(detail::storage_ref share, detail::other_stream consumer) {
    const DLDevice where = dlpack_device(*share->where);
    refuse_in_capture("to_dlpack()");
    if (consumer) {
        order_read(*share.get());
        share->where->let_native_wait(*consumer);
    } else {
        share->where->synchronize();
    }
    auto made = std::make_unique<exported<Managed>>();
    std::copy_n(share->extents, ir::max_rank, made->extents);
    std::copy_n(share->strides, ir::max_rank, made->strides);
    DLTensor& t = made->tensor.dl_tensor;
    t.data = share->bytes ? share->data : nullptr;
    t.device = where;
    t.ndim = share->rank;
    t.dtype = dlpack_type(share->type);
    t.shape = made->extents;
    t.strides = made->strides;
    made->share = std::move(share);
    made->consumer = consumer;
    made->tensor.manager_ctx = made.get();
    made->tensor.deleter = [](Managed* self) { delete static_cast<exported<Managed>*>(self->manager_ctx); };
    return &made.release()->tensor;
}

bool is_sole(const detail::storage_ref& s) { return s->writable && s->references.load(std::memory_order_acquire) == 1; }

/// Takes ownership of a tensor. `self` is the managed structure to pass to its deleter.
template <class Managed>
detail::storage_ref import(Managed* self, bool read_only, dtype type, int rank, detail::other_stream producer) {
    const DLTensor& t = self->dl_tensor;
    const std::optional<dtype> have = dtype_from(t.dtype);
    if (!have)
        throw error(
            fmt::format("from_dlpack: elements of type code {}, {} bits and {} lanes are not supported; convert "
                        "the tensor to bool, an integer, a floating or a complex type",
                        t.dtype.code, t.dtype.bits, t.dtype.lanes));
    if (*have != type || t.ndim != rank)
        throw error(
            fmt::format("from_dlpack: the tensor holds {} of rank {}; asked for {} of rank {}; take it as it is "
                        "and convert it with astype<T>(...) or a view",
                        name(*have), t.ndim, name(type), rank));
    if (rank > 0 && t.shape == nullptr)
        throw error(fmt::format("from_dlpack: the tensor of rank {} has no shape; its exporter must fill it in", rank));
    detail::foreign_memory memory;
    memory.data = t.data ? static_cast<char*>(t.data) + t.byte_offset : nullptr;
    memory.type = type;
    memory.where = &device_from(t.device);
    memory.writable = !read_only;
    memory.owner = self;
    if (self->deleter)
        memory.release = [](void* owner) {
            auto* managed = static_cast<Managed*>(owner);
            managed->deleter(managed);
        };
    if (producer) {
        refuse_in_capture("from_dlpack() from a stream");
        memory.where->wait_for_native(*producer);
    }
    const detail::storage_ref s = detail::wrap_memory(memory, rank, t.shape, t.strides);
    if (producer) s->uses.store(stream_uses::only(memory.where->stream_now()).bits(), std::memory_order_relaxed);
    return s;
}

}  // namespace
}  // namespace codegen

namespace detail {

DLManagedTensorVersioned* to_dlpack(storage_ref values, other_stream consumer) {
    const bool sole = codegen::is_sole(values);
    DLManagedTensorVersioned* made = codegen::make_exported<DLManagedTensorVersioned>(std::move(values), consumer);
    made->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    made->flags = sole ? 0 : DLPACK_FLAG_BITMASK_READ_ONLY;
    return made;
}

DLManagedTensor* to_dlpack_unversioned(storage_ref values, other_stream consumer) {
    if (!codegen::is_sole(values)) values = unshared(values);
    return codegen::make_exported<DLManagedTensor>(std::move(values), consumer);
}

storage_ref from_dlpack(DLManagedTensorVersioned* tensor, dtype type, int rank, other_stream producer) {
    if (tensor->version.major != DLPACK_MAJOR_VERSION)
        throw error(
            fmt::format("from_dlpack: the tensor is of DLPack version {}.{}, and this library knows version 1; "
                        "export it as that",
                        tensor->version.major, tensor->version.minor));
    return codegen::import(tensor, (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0, type, rank, producer);
}

storage_ref from_dlpack(DLManagedTensor* tensor, dtype type, int rank, other_stream producer) {
    return codegen::import(tensor, false, type, rank, producer);
}

}  // namespace detail
}  // namespace sinter
