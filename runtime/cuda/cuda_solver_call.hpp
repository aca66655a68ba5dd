// Common code of all cuSOLVER calls: the handle, work memory, and kernels that convert layouts.
//
// cuSOLVER's matrices are column-major, so a row-major matrix of Sinter is its transpose there.
#pragma once

#include <codegen/cuda/matrix_layout.hpp>
#include <codegen/functions/linalg.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/cuda/cuda_context.hpp>
#include <runtime/cuda/cuda_solver_library.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace sinter::codegen {

/// The library's state for one device; locked for one thread at a time.
struct solver_handle {
    std::mutex mutex;
    cusolver::handle handle = nullptr;
    cusolver::params params = nullptr;
};

class solver_call : public library_function {
public:
    solver_call(device& where, const call_site& call);
    void run(const void* const* operands, void* const* results) const final;

    /// Reserves memory and gets kernels; returns whether the library supports the call.
    virtual bool prepare() = 0;

protected:
    /// The memory of one run.
    struct places {
        const void* const* operands;
        void* const* results;
        char* scratch;
    };
    /// Processes matrix number i.
    virtual void one(std::int64_t i, const places& p) const = 0;

    /// Reserves scratch memory for a run; returns its offset.
    std::int64_t reserve(std::int64_t bytes);
    std::int64_t reserve_elements(std::int64_t count) { return reserve(count * element_bytes_); }
    /// Reserves workspace for a library function; `size` writes the sizes to its last two arguments.
    template <class Size, class... A>
    bool reserve_work(const Size& size, const A&... arguments) {
        here_->enter();
        if (size(own_->handle, own_->params, arguments..., &work_bytes_, &host_bytes_) != 0) return false;
        work_ = reserve(static_cast<std::int64_t>(work_bytes_));
        host_work_.resize(host_bytes_ + 1);
        info_ = reserve(sizeof(int));
        return true;
    }
    const ready_kernel* kernel(const layout_source& s) const;
    const ready_kernel* kernel(layout_kernel which) const { return kernel({which, type_, false, false}); }

    /// Calls a library function with the handle first and the workspace last.
    template <class F, class... A>
    void call_with_work(const char* what, const F& f, const places& p, const A&... arguments) const {
        check(what, f(own_->handle, own_->params, arguments..., p.scratch + work_, work_bytes_,
                      static_cast<void*>(host_work_.data()), host_bytes_, info(p)));
    }
    void check(const char* what, cusolver::status failed) const;
    int* info(const places& p) const { return reinterpret_cast<int*>(p.scratch + info_); }

    template <class... A>
    void launch(const ready_kernel* k, std::int64_t blocks, A... arguments) const {
        void* pointers[] = {&arguments...};
        where_.launch(k->loaded, blocks, layout_block, 0, pointers);
    }
    /// The part of an operand's matrices that is read.
    enum class read_part : std::int64_t { all, lower, upper };
    /// Prepares spoil to look for NaN in the operand's matrices, and for infinity if the library iterates.
    void prepare_inspection(read_part part, bool infinities);
    /// Inspects the matrix that begins at an element of the operand. spoil then fills a result with NaN if something
    /// was found, or, with `by_failure`, if the library's last function failed.
    void inspect(const places& p, std::int64_t at) const;
    void spoil(const places& p, dtype type, void* result, std::int64_t elements, bool by_failure) const;

    /// Writes the transpose of a matrix of rows x columns.
    void transpose(const ready_kernel* k, void* to, const void* from, std::int64_t rows, std::int64_t columns) const;
    void copy(void* to, const void* from, std::int64_t elements) const;

    /// The address of element `at` of an operand or result; null for an unwanted result.
    template <class P>
    P* moved(P* base, std::int64_t at, std::int64_t bytes) const {
        using byte = std::conditional_t<std::is_const_v<P>, const char, char>;
        return base == nullptr ? nullptr : static_cast<P*>(static_cast<byte*>(base) + at * bytes);
    }

    const cusolver::library& solver_;
    const cuda_context* here_;
    kernel_device& where_;
    solver_handle* own_;
    const call_site call_;
    const matrices a_;  ///< of the first operand
    const dtype type_;
    const std::int64_t element_bytes_, real_bytes_;
    const cusolver::data_type element_, real_;
    std::int64_t count_ = 0;  ///< how many times `one` is called

private:
    std::int64_t scratch_bytes_ = 256, work_ = 0, info_ = 0;
    std::size_t work_bytes_ = 0, host_bytes_ = 0;
    std::int64_t flag_ = 0;
    read_part inspected_{};
    bool infinities_ = false;
    const ready_kernel* inspects_ = nullptr;
    const ready_kernel* spoils_[3] = {};  ///< for the operand's dtype, its parts, and complex elements
    mutable std::vector<char> host_work_;
};

/// Whether there is a library, and a nonempty operand.
bool can_solve_by_library(device& where, const call_site& call);

/// Whether matrices of this size go to the library: generated kernels take one block per matrix, the library processes
/// one matrix at a time.
bool solves_by_library(device& where, const call_site& call, std::int64_t count);

/// A prepared library call; null if it should not be used.
template <class Call>
std::unique_ptr<const library_function> prepared(device& where, const call_site& call, bool wanted) {
    if (!wanted) return nullptr;
    auto made = std::make_unique<Call>(where, call);
    if (!made->prepare()) return nullptr;
    return made;
}

}  // namespace sinter::codegen
