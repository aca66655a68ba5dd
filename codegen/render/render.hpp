// From the class of a scheduled kernel to CUDA C++ source. Rendering decides nothing and sees nothing but the class.
#pragma once

#include <codegen/render/kernel_class.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// What the launch must pass at one position of the kernel's parameter list.
struct parameter {
    enum class kind : std::uint8_t {
        output,      ///< pointer; `index` into kernel::outputs
        input,       ///< pointer; `index` into kernel::inputs
        scalar,      ///< by value in its dtype; `index` into kernel::scalars
        extent,      ///< of axis `index`; 32 or 64 bits by schedule::wide_index
        multiplier,  ///< for divisions by the extent of axis `index`; same width
        shift,       ///< that goes with it; 32 bits
        groups,      ///< the product of the outer extents; same width
        trips,       ///< the trip count of loop `index`; same width
        stride,      ///< of layout `index` along `axis`; same width
        parts,       ///< schedule::split, where several teams of a grid barrier share the launch; same width
        workspace    ///< pointer to partial results and the tickets or barriers of groups that blocks share
    };
    kind what{};
    int index = 0;
    int axis = 0;
};

/// What a launch passes for a parameter that follows from extents, strides and schedule; 0 for the others.
std::int64_t launch_value(const kernel& k, const schedule& s, const parameter& p);

struct rendered {
    std::string text;   ///< a complete translation unit
    std::string entry;  ///< the kernel's name, extern "C"
    std::vector<parameter> parameters;
    unsigned shared_bytes = 0;  ///< dynamic shared memory (static arrays are declared in the text)
};

/// `heading` is put into the comment at the top: the expression the kernel computes.
rendered render(const kernel_class& c, const std::string& heading);
inline rendered render(const kernel& k, const schedule& s, const std::string& heading) {
    return render(class_of(k, s), heading);
}

/// Bytes of workspace that a launch with these extents needs: zeroed once when it is allocated; 0 for none.
std::size_t workspace_bytes(const kernel& k, const schedule& s);

/// The key of the kernel's class: kernels with equal keys have equal source.
inline std::string render_key(const kernel& k, const schedule& s) { return key_of(class_of(k, s)); }

}  // namespace sinter::codegen
