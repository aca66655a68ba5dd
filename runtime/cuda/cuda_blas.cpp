// Maps one matrix product to one cublasLtMatmul.
//
// cuBLASLt's matrices are column-major and Sinter's row-major; a row-major matrix read as column-major is its
// transpose. So D = A B is computed as D' = B' A': cuBLASLt's A is our B, and its rows are our columns. Its bias runs
// along its rows and ours along our columns, which is the same.
#include <runtime/cuda/cuda_blas.hpp>

#include <runtime/cuda/cuda_blas_library.hpp>
#include <runtime/memory/workspace.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace sinter::codegen {
namespace {

using namespace cublaslt;

/// NVIDIA's recommendation for Hopper, enough for all: https://docs.nvidia.com/cuda/cublas/#cublassetworkspace
constexpr std::uint64_t max_workspace = 32u << 20;

constexpr int max_algorithms = 8;  ///< to try when tuning

data_type type_of(dtype d) {
    switch (d) {
        case dtype::float16: return r_16f;
        case dtype::bfloat16: return r_16bf;
        case dtype::float64: return r_64f;
        case dtype::complex64: return c_32f;
        case dtype::complex128: return c_64f;
        default: return r_32f;
    }
}

compute_type compute_type_of(const gemm& g) {
    if (g.computed_in == dtype::float64 || g.computed_in == dtype::complex128) return compute_64f;
    return g.tf32 ? compute_32f_fast_tf32 : compute_32f;
}

/// Owns a library object.
template <class Object, class Destroy>
class owned {
public:
    explicit owned(Destroy destroy) : destroy_(destroy) {}
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    ~owned() {
        if (object_ != nullptr) destroy_(object_);
    }
    Object* address() { return &object_; }
    Object get() const { return object_; }

private:
    Object object_ = nullptr;
    const Destroy destroy_;
};

class cuda_gemm final : public library_call {
public:
    /// `alignment` is that of the kernel's inputs, then of its result.
    cuda_gemm(const library& l, handle h, const gemm& g, const std::vector<int>& alignment, const cuda_context& c,
              device& where)
        : lt_(l), handle_(h), what_(g), alignment_(alignment), here_(c), where_(where) {}

    /// Whether the library has an algorithm for the product.
    bool prepare() {
        if (!describe_product()) return false;
        const std::vector<heuristic_result> found = algorithms(1);
        if (!found.empty()) take(found[0], 1);
        return !found.empty();
    }

    std::vector<std::shared_ptr<const library_call>> others() const override {
        here_.enter();
        std::vector<std::shared_ptr<const library_call>> all;
        const std::vector<heuristic_result> found = algorithms(max_algorithms);
        for (std::size_t i = 1; i < found.size(); ++i) {
            auto call = std::make_shared<cuda_gemm>(lt_, handle_, what_, alignment_, here_, where_);
            if (!call->describe_product()) continue;
            call->take(found[i], static_cast<int>(i) + 1);
            all.push_back(std::move(call));
        }
        return all;
    }

    std::string describe() const override {
        const std::string text = fmt::format("cuBLASLt {}: {}", lt_.version_text, codegen::describe(what_));
        return choice_ == 1 ? text : fmt::format("{}, its choice number {}", text, choice_);
    }

    /// NVIDIA guarantees that a cublasLtMatmulAlgo_t can be stored and reused with the same version.
    std::string algorithm_text() const override {
        return fmt::format("{}, version {}, algorithm {:016x}", describe(), lt_.get_version(),
                           fmt::join(algorithm_.data, " "));
    }

    void run(const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta) const override {
        here_.enter();
        std::unique_lock<std::mutex> one_at_a_time(bias_mutex_, std::defer_lock);
        if (what_.bias >= 0) {
            one_at_a_time.lock();
            lt_.desc_set(desc_.get(), desc_bias_pointer, &p.bias, sizeof p.bias);
        }
        void* const scratch = scratch_ ? scratch_->here() : nullptr;
        const auto stream = static_cast<CUstream>(where_.native_stream(where_.stream_now()));
        const bool adds = what_.c.input >= 0;
        const status failed =
            lt_.matmul(handle_, desc_.get(), &alpha, p.b, b_.get(), p.a, a_.get(), &beta, adds ? p.c : p.d,
                       adds ? c_.get() : d_.get(), p.d, d_.get(), &algorithm_, scratch, workspace_bytes_, stream);
        if (failed != 0)
            throw error(fmt::format("{}: cuBLASLt failed with status {} for {}; SINTER_CUBLASLT=off turns it off",
                                    where_.name(), failed, codegen::describe(what_)));
    }

private:
    using layout = owned<matrix_layout, decltype(library::layout_destroy)>;

    /// Creates the library's descriptors of the product and its matrices.
    bool describe_product() {
        const gemm& g = what_;
        if (lt_.desc_create(desc_.address(), compute_type_of(g), type_of(g.computed_in)) != 0) return false;
        const epilogue after = g.bias >= 0 ? epilogue_bias : epilogue_default;
        const bool made = set(desc_trans_a, g.b.transposed ? op_t : op_n) &&
                          set(desc_trans_b, g.a.transposed ? op_t : op_n) && set(desc_epilogue, after) &&
                          lie(b_, g.b, g.depth, g.columns, g.batch.b) && lie(a_, g.a, g.rows, g.depth, g.batch.a) &&
                          lie(d_, g.d, g.rows, g.columns, g.batch.d) &&
                          (g.c.input < 0 || lie(c_, g.c, g.rows, g.columns, g.batch.c));
        // the algorithm also depends on the bias's alignment
        return made && (g.bias < 0 || set(desc_bias_pointer, static_cast<std::uintptr_t>(given(g.bias))));
    }

    template <class T>
    bool set(desc_attribute which, T value) {
        return lt_.desc_set(desc_.get(), which, &value, sizeof value) == 0;
    }

    /// Describes a matrix that has rows x columns elements before `transposed` is applied to its layout.
    bool lie(layout& l, const gemm_matrix& m, std::int64_t rows, std::int64_t columns, std::int64_t offset) {
        const auto neighbours = static_cast<std::uint64_t>(m.transposed ? rows : columns);
        const auto lines = static_cast<std::uint64_t>(m.transposed ? columns : rows);
        if (lt_.layout_create(l.address(), type_of(m.type), neighbours, lines, m.leading) != 0) return false;
        if (what_.batch.extent == 1) return true;
        const auto count = static_cast<std::int32_t>(what_.batch.extent);
        return count == what_.batch.extent && lt_.layout_set(l.get(), layout_batch_count, &count, sizeof count) == 0 &&
               lt_.layout_set(l.get(), layout_batch_offset, &offset, sizeof offset) == 0;
    }

    /// The alignment of an operand's first elements in every batch; later calls may use other addresses with it.
    std::uint32_t alignment_of(const gemm_matrix& m, int given, std::int64_t offset) const {
        auto bytes = static_cast<std::int64_t>(given);
        const auto size = static_cast<std::int64_t>(size_of(m.type));
        if (!what_.batches.empty()) return static_cast<std::uint32_t>(size);
        while (what_.batch.extent > 1 && offset * size % bytes != 0) bytes /= 2;
        return static_cast<std::uint32_t>(bytes);
    }

    int given(int input) const { return alignment_[static_cast<std::size_t>(input)]; }

    /// The library's algorithms in its order of preference, at most `most`.
    std::vector<heuristic_result> algorithms(int most) const {
        const gemm& g = what_;
        const std::uint32_t of_a = alignment_of(g.a, given(g.a.input), g.batch.a);
        const std::uint32_t of_b = alignment_of(g.b, given(g.b.input), g.batch.b);
        const std::uint32_t of_d = alignment_of(g.d, alignment_.back(), g.batch.d);
        const std::uint32_t of_c = g.c.input < 0 ? of_d : alignment_of(g.c, given(g.c.input), g.batch.c);
        owned<preference, decltype(library::preference_destroy)> wish(lt_.preference_destroy);
        if (lt_.preference_create(wish.address()) != 0) return {};
        const auto prefer = [&](preference_attribute which, auto value) {
            return lt_.preference_set(wish.get(), which, &value, sizeof value) == 0;
        };
        std::vector<heuristic_result> all(static_cast<std::size_t>(most));
        int found = 0;
        const bool asked = prefer(prefer_workspace_bytes, max_workspace) && prefer(prefer_alignment_a, of_b) &&
                           prefer(prefer_alignment_b, of_a) && prefer(prefer_alignment_c, of_c) &&
                           prefer(prefer_alignment_d, of_d) &&
                           lt_.get_heuristic(handle_, desc_.get(), b_.get(), a_.get(), c_.get() ? c_.get() : d_.get(),
                                             d_.get(), wish.get(), most, all.data(), &found) == 0;
        all.resize(asked ? static_cast<std::size_t>(found) : 0);
        std::erase_if(all, [](const heuristic_result& r) { return r.state != 0; });
        return all;
    }

    void take(const heuristic_result& r, int choice) {
        choice_ = choice;
        algorithm_ = r.algo;
        workspace_bytes_ = r.workspace_bytes;
        if (workspace_bytes_ > 0) scratch_ = std::make_unique<const workspace>(where_, workspace_bytes_);
    }

    const library& lt_;
    const handle handle_;
    const gemm what_;
    const std::vector<int> alignment_;
    const cuda_context& here_;
    device& where_;
    owned<matmul_desc, decltype(library::desc_destroy)> desc_{lt_.desc_destroy};
    layout a_{lt_.layout_destroy}, b_{lt_.layout_destroy}, c_{lt_.layout_destroy}, d_{lt_.layout_destroy};
    algorithm algorithm_{};
    int choice_ = 1;  ///< index in the library's order of preference
    std::size_t workspace_bytes_ = 0;
    std::unique_ptr<const workspace> scratch_;
    mutable std::mutex bias_mutex_;  ///< the bias's address is part of the descriptor
};

}  // namespace

void* cuda_blas::handle() {
    std::call_once(started_, [this] {
        const library* const l = find();
        here_.enter();  // a handle belongs to the context that is current
        if (l != nullptr && l->create(&handle_) != 0) handle_ = nullptr;
    });
    return handle_;
}

std::unique_ptr<library_call> cuda_blas::call_for(const gemm& g, const std::vector<int>& alignment, device& where) {
    void* const h = handle();
    if (h == nullptr) return nullptr;
    here_.enter();
    auto call = std::make_unique<cuda_gemm>(*find(), h, g, alignment, here_, where);
    if (!call->prepare()) return nullptr;
    return call;
}

}  // namespace sinter::codegen
