// Pictures for the page that explains an expression: SVG text, laid out here.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <sinter/explain.hpp>

namespace sinter::codegen {

/// Text as it stands in HTML and SVG.
std::string escaped(const std::string& text);

/// A tree whose roots are above: each node a box with the id `prefix` and its number, and a link to links[i] unless
/// that is empty. Nodes that several read are drawn once.
std::string tree_picture(const std::vector<tree_node>& nodes, const std::vector<int>& roots, const std::string& prefix,
                         const std::string& title, const std::vector<std::string>& links);

/// Which threads take which elements of the first groups, and what surrounds them.
std::string threads_picture(const schedule& s);

/// Where the elements of a kernel are on their way from memory to memory: in which registers, in shared memory, in what
/// other blocks see. `read` and `written` are bytes.
std::string path_picture(const kernel& k, const schedule& s, std::int64_t read, std::int64_t written);

/// A point of the roofline.
struct roofline_point {
    std::string name;
    double operations_a_byte = 0;
    double operations_a_second = 0;
    bool fused = false;
};
/// What a machine can do for how many operations a byte, and where kernels stand.
std::string roofline_picture(const std::vector<roofline_point>& points, double bytes_per_second,
                             double operations_per_second);

}  // namespace sinter::codegen
