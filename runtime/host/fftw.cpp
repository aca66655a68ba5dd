// The search for FFTW, or for a library with its interface.
#include <runtime/host/fftw.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/system/shared_library.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <tuple>

namespace sinter::codegen {
namespace {

struct fftw_library {
    std::string file;
    std::tuple<fftw<float>, fftw<double>> functions;
};

template <class R>
bool find_functions(void* h, const char* prefix, fftw<R>& of) {
    const auto find = [&](const char* name, auto& function) {
        return find_function(h, fmt::format("{}{}", prefix, name).c_str(), function);
    };
    return find("plan_guru64_dft", of.plan_dft) && find("plan_guru64_dft_r2c", of.plan_r2c) &&
           find("plan_guru64_dft_c2r", of.plan_c2r) && find("execute_dft", of.execute_dft) &&
           find("execute_dft_r2c", of.execute_r2c) && find("execute_dft_c2r", of.execute_c2r) &&
           find("destroy_plan", of.destroy);
}

/// FFTW has one library per precision, libfftw3 and libfftw3f; others have both in one.
std::optional<fftw_library> open_fftw(const std::string& file) {
    void* const doubles = open_library(file);
    if (doubles == nullptr) return std::nullopt;
    fftw_library l;
    l.file = file;
    if (!find_functions(doubles, "fftw_", std::get<1>(l.functions))) return std::nullopt;
    if (find_functions(doubles, "fftwf_", std::get<0>(l.functions))) return l;
    std::string of_floats = file;
    const std::string name = "libfftw3";
    const std::size_t at = of_floats.rfind(name);
    if (at == std::string::npos) return std::nullopt;
    void* const floats = open_library(of_floats.insert(at + name.size(), "f"));
    if (floats == nullptr || !find_functions(floats, "fftwf_", std::get<0>(l.functions))) return std::nullopt;
    return l;
}

fftw_library search_fftw() {
    const std::string wish = environment("SINTER_FFTW");
    if (wish == "off") return {};
    if (!wish.empty()) return opened_by_name("SINTER_FFTW", wish, open_fftw);
    return first_opened({"libfftw3.so.3", "libmkl_rt.so.2"}, open_fftw).value_or(fftw_library{});
}

const fftw_library& found_fftw() {
    static constinit std::atomic<const fftw_library*> found{nullptr};
    return created_once(found, [] { return new fftw_library(search_fftw()); });
}

}  // namespace

template <class R>
const fftw<R>& fftw_of() {
    const fftw_library& l = found_fftw();
    if (l.file.empty())
        throw error(
            "Fourier transforms on the host need FFTW, which was not found: install libfftw3-double3 and "
            "libfftw3-single3, or set SINTER_FFTW to a library with the same interface, such as MKL's libmkl_rt.so.2");
    return std::get<fftw<R>>(l.functions);
}
template const fftw<float>& fftw_of();
template const fftw<double>& fftw_of();

const std::string& fftw_name() { return found_fftw().file; }

}  // namespace sinter::codegen
