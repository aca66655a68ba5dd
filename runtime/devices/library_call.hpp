// What a device's libraries do in place of kernels.
#pragma once

#include <codegen/ir/call.hpp>
#include <codegen/schedule/gemm.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sinter::codegen {

class device;

/// A matrix product that a library is ready to compute. Owned by a plan; used by any thread.
class library_call {
public:
    virtual ~library_call() = default;
    /// In one line: "cuBLASLt 13.0: 4096 x 4096 x 4096, float16, bias".
    virtual std::string describe() const = 0;
    /// Does the products of gemm::batch, on the present stream, and does not wait. beta is 0 where there is no C.
    virtual void run(const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta) const = 0;

    /// Calls that compute the same by other algorithms of the library, the most promising first. May cost a search.
    virtual std::vector<std::shared_ptr<const library_call>> others() const { return {}; }
    /// Of equal texts, equal algorithms of equal versions of the library.
    virtual std::string algorithm_text() const { return describe(); }
};

/// What the device's library does for one program: to make a call ready costs it a search, so each is made once.
class library_calls {
public:
    explicit library_calls(device& where) : where_(where) {}
    /// Null where the library does not take the product. `alignment` is choose_schedule's.
    std::shared_ptr<const library_call> call_for(const gemm& g, const std::vector<int>& alignment);
    /// Likewise of a function of whole arrays.
    std::shared_ptr<const library_function> function_for(const call_site& call);

private:
    struct answer {
        gemm product;
        std::vector<int> alignment;
        std::shared_ptr<const library_call> call;
    };
    struct function_answer {
        call_site call;
        std::shared_ptr<const library_function> function;
    };
    device& where_;
    std::vector<answer> answers_;
    std::vector<function_answer> functions_;
};

/// Its sizes, dtypes and what it adds, for describe().
std::string describe(const gemm& g);

}  // namespace sinter::codegen
