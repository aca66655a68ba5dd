// Common code of all cuSOLVER calls.
#include <runtime/cuda/cuda_solver_call.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/memory/storage.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sinter::codegen {
namespace {

cusolver::data_type solver_type(dtype d) {
    switch (d) {
        case dtype::float64: return cusolver::r_64f;
        case dtype::complex64: return cusolver::c_32f;
        case dtype::complex128: return cusolver::c_64f;
        default: return cusolver::r_32f;
    }
}

struct handle_table {
    std::mutex mutex;
    std::map<const cuda_context*, std::unique_ptr<solver_handle>> of;
};

/// The device's handle, which lives until the process ends; null if the library fails to create one.
solver_handle* handle_on(const cuda_context& c) {
    static handle_table& table = *new handle_table;  // never destroyed: plans may outlive every static object
    const std::lock_guard lock(table.mutex);
    std::unique_ptr<solver_handle>& own = table.of[&c];
    if (!own) {
        const cusolver::library* const l = cusolver::find();
        own = std::make_unique<solver_handle>();
        c.enter();  // a handle belongs to the current context
        if (l->create(&own->handle) != 0 || l->create_params(&own->params) != 0) own->handle = nullptr;
    }
    return own->handle == nullptr ? nullptr : own.get();
}

}  // namespace

solver_call::solver_call(device& where, const call_site& call)
    : solver_(*cusolver::find()),
      here_(cuda_context_of(where)),
      where_(static_cast<kernel_device&>(where)),
      own_(handle_on(*here_)),
      call_(call),
      a_(matrices_of(call.operands[0])),
      type_(call.operands[0].type),
      element_bytes_(static_cast<std::int64_t>(size_of(type_))),
      real_bytes_(static_cast<std::int64_t>(size_of(real_of(type_)))),
      element_(solver_type(type_)),
      real_(solver_type(real_of(type_))),
      count_(a_.count) {}

void solver_call::run(const void* const* operands, void* const* results) const {
    here_->enter();
    const detail::storage_ref space = make_storage_on(where_, dtype::uint8, 1, &scratch_bytes_);
    const places p{operands, results, static_cast<char*>(space->data)};
    const std::lock_guard one_at_a_time(own_->mutex);  // the handle holds the stream
    const auto stream = static_cast<CUstream>(where_.native_stream(where_.stream_now()));
    check("setting a stream", solver_.set_stream(own_->handle, stream));
    for (std::int64_t i = 0; i < count_; ++i) one(i, p);
}

std::int64_t solver_call::reserve(std::int64_t bytes) {
    const std::int64_t at = scratch_bytes_;
    scratch_bytes_ += round_up(std::max<std::int64_t>(bytes, 1), std::int64_t{256});
    return at;
}

const ready_kernel* solver_call::kernel(const layout_source& s) const {
    return &get_kernel(where_, {layout_name(s), [s] { return printed_kernel{layout_text(s), layout_name(s), {}}; }});
}

void solver_call::check(const char* what, cusolver::status failed) const {
    if (failed != 0)
        throw error(fmt::format("{}: cuSOLVER failed with status {} in {}; SINTER_CUSOLVER=off turns it off",
                                where_.name(), failed, what));
}

void solver_call::prepare_inspection(read_part part, bool infinities) {
    inspected_ = part;
    infinities_ = infinities;
    flag_ = reserve(sizeof(int));
    inspects_ = kernel(layout_kernel::inspect);
    spoils_[0] = kernel(layout_kernel::spoil);
    spoils_[1] = kernel({layout_kernel::spoil, real_of(type_), false, false});
    spoils_[2] = kernel({layout_kernel::spoil, complex_of(real_of(type_)), false, false});
}

void solver_call::inspect(const places& p, std::int64_t at) const {
    constexpr std::int64_t inspecting_blocks = 1024;
    void* const flag = p.scratch + flag_;
    where_.fill_zero(flag, sizeof(int));
    launch(inspects_, std::min(inspecting_blocks, divide_up(a_.elements(), std::int64_t{layout_block})), flag,
           moved(p.operands[0], at, element_bytes_), a_.rows, a_.columns, static_cast<std::int64_t>(inspected_),
           std::int64_t{infinities_});
}

void solver_call::spoil(const places& p, dtype type, void* result, std::int64_t elements, bool by_failure) const {
    if (result == nullptr || elements == 0) return;
    const int which = type == type_ ? 0 : is_complex(type) ? 2 : 1;
    launch(spoils_[which], divide_up(elements, std::int64_t{layout_block}), result, p.scratch + flag_,
           by_failure ? info(p) : nullptr, elements);
}

void solver_call::transpose(const ready_kernel* k, void* to, const void* from, std::int64_t rows,
                            std::int64_t columns) const {
    constexpr std::int64_t tile = layout_tile;
    launch(k, divide_up(rows, tile) * divide_up(columns, tile), to, from, rows, columns);
}

void solver_call::copy(void* to, const void* from, std::int64_t elements) const {
    where_.copy_within(to, from, static_cast<std::size_t>(elements * element_bytes_));
}

bool can_solve_by_library(device& where, const call_site& call) {
    const cuda_context* const here = cuda_context_of(where);
    return here != nullptr && call.operands[0].elements() > 0 && cusolver::find() != nullptr &&
           handle_on(*here) != nullptr;
}

bool solves_by_library(device& where, const call_site& call, std::int64_t count) {
    // Up to 64 rows fit in a block's shared memory. Beyond, a block takes n^3 sequential steps and the library n, but
    // the library processes one matrix at a time.
    constexpr std::int64_t few_rows = 64, elements_of_a_matrix = 8192;
    const matrices a = matrices_of(call.operands[0]);
    const std::int64_t n = std::max(a.rows, a.columns);
    const bool pays = n > few_rows && count <= std::max<std::int64_t>(1, n * n / elements_of_a_matrix);
    return (pays || cusolver::takes_small_ones()) && count > 0 && can_solve_by_library(where, call);
}

}  // namespace sinter::codegen
