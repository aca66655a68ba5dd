// The peer for matrix products: cuBLASLt, called as its documentation does, with the first algorithm of its heuristic.
// MxKxN; matrices are row-major, so the call computes the transposed product.
#include <bench/peers/hand/contest.hpp>
#include <runtime/cuda/cuda_blas_library.hpp>

namespace bench {
namespace {

namespace lt = sinter::codegen::cublaslt;

void check(lt::status s, const char* what) {
    if (s != 0) throw sinter::error(std::string("cuBLASLt: ") + what + " failed with status " + std::to_string(s));
}

/// One product, ready to run.
class product {
public:
    product(lt::data_type type, lt::compute_type compute, const sinter::shape<3>& extents)
        : blas_(lt::find()), wide_(compute == lt::compute_64f) {
        if (blas_ == nullptr) throw sinter::error("cuBLASLt was not found; install the CUDA toolkit");
        cuda::get();  // makes the context current
        const lt::data_type scale = wide_ ? lt::r_64f : lt::r_32f;
        check(blas_->create(&handle_), "starting");
        check(blas_->desc_create(&desc_, compute, scale), "describing");
        const auto layout = [&](lt::matrix_layout& l, std::int64_t rows, std::int64_t columns) {
            check(blas_->layout_create(&l, type, static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows),
                                       columns),
                  "describing a matrix");
        };
        layout(a_, extents[0], extents[1]);
        layout(b_, extents[1], extents[2]);
        layout(d_, extents[0], extents[2]);
        lt::preference wish = nullptr;
        check(blas_->preference_create(&wish), "preparing");
        constexpr std::uint64_t bytes = 32u << 20;
        check(blas_->preference_set(wish, lt::prefer_workspace_bytes, &bytes, sizeof bytes), "preparing");
        int found = 0;
        check(blas_->get_heuristic(handle_, desc_, b_, a_, d_, d_, wish, 1, &best_, &found), "choosing");
        if (found == 0) throw sinter::error("cuBLASLt has no algorithm for this");
        const auto bytes_of_it = static_cast<std::int64_t>(best_.workspace_bytes) + 1;
        workspace_ = sinter::array<std::uint8_t, 1>(sinter::shape<1>(bytes_of_it));
        sinter::synchronize();
    }

    void operator()(const void* a, const void* b, void* d) const {
        const double wide[] = {1, 0};
        const float narrow[] = {1, 0};
        const void* const one = wide_ ? static_cast<const void*>(wide) : narrow;
        const void* const zero = wide_ ? static_cast<const void*>(wide + 1) : narrow + 1;
        check(blas_->matmul(handle_, desc_, one, b, b_, a, a_, zero, d, d_, d, d_, &best_.algo,
                            workspace_.storage()->data, best_.workspace_bytes, cuda::get().stream),
              "multiplying");
    }

private:
    const lt::library* const blas_;
    const bool wide_;              ///< whether alpha and beta are doubles
    lt::handle handle_ = nullptr;  // never destroyed, like the rest: a program measures few products
    lt::matmul_desc desc_ = nullptr;
    lt::matrix_layout a_ = nullptr, b_ = nullptr, d_ = nullptr;
    lt::heuristic_result best_{};
    sinter::array<std::uint8_t, 1> workspace_;
};

template <class T>
void direct(const trial& t, lt::data_type type, lt::compute_type compute) {
    const auto extents = t.extents<3>();
    const auto a = operands<T>(t, 0, sinter::shape<2>(extents[0], extents[1]));
    const auto b = operands<T>(t, 1, sinter::shape<2>(extents[1], extents[2]));
    const product multiply(type, compute, extents);
    std::vector<sinter::array<T, 2>> results(t.sets, sinter::array<T, 2>(sinter::shape<2>(extents[0], extents[2])));
    report r;
    r.variant = "cublasLtMatmul";
    r.launches = 1;
    stream_clock clock;
    measure(t, r, results, clock, [&](std::size_t i) { multiply(data(a, i), data(b, i), data(results, i)); });
    print(t, r);
}

const registration single("matmul.float32", [](const trial& t) { direct<float>(t, lt::r_32f, lt::compute_32f); });
const registration rough("matmul_tf32.float32",
                         [](const trial& t) { direct<float>(t, lt::r_32f, lt::compute_32f_fast_tf32); });
const registration double_("matmul.float64", [](const trial& t) { direct<double>(t, lt::r_64f, lt::compute_64f); });
const registration half("matmul.float16",
                        [](const trial& t) { direct<sinter::float16>(t, lt::r_16f, lt::compute_32f); });
const registration brain("matmul.bfloat16",
                         [](const trial& t) { direct<sinter::bfloat16>(t, lt::r_16bf, lt::compute_32f); });

}  // namespace
}  // namespace bench
