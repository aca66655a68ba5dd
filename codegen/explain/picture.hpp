// SVG pictures for the explanation page.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <sinter/explain.hpp>

namespace sinter::codegen {

/// Escapes text for HTML and SVG.
std::string escaped(const std::string& text);

/// A tree with its roots at the top. Each node is a box with id `prefix` and its number, and links to links[i] unless
/// that is empty. Nodes with several users are drawn once.
std::string tree_picture(const std::vector<tree_node>& nodes, const std::vector<int>& roots, const std::string& prefix,
                         const std::string& title, const std::vector<std::string>& links);

/// Which threads compute which elements of the first groups.
std::string threads_picture(const schedule& s);

/// The path of a kernel's elements through registers, shared memory and the memory that blocks share. `read` and
/// `written`: bytes.
std::string path_picture(const loop_nest& k, const schedule& s, std::int64_t read, std::int64_t written);

/// A point of the roofline.
struct roofline_point {
    std::string name;
    double operations_per_byte = 0;
    double operations_per_second = 0;
    bool fused = false;
};
/// The roofline of a machine (operations per second over operations per byte), with the kernels as points.
std::string roofline_picture(const std::vector<roofline_point>& points, double bytes_per_second,
                             double operations_per_second);

}  // namespace sinter::codegen
