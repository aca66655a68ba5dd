// Arrays over several GPUs. Not part of sinter.hpp: include <sinter/sharded.hpp> beside it.
//
//     mesh m;                                                        // all GPUs; of several processes, one each
//     sharded<float, 2> x = scatter(m, load_npy<float, 2>("x.npy"));   // its rows, dealt out
//     sharded<float, 2> y = exp(x - max(x, axis=1, keepdims));       // one kernel on each GPU
//     float total = item(sum(y * y));                                // one kernel on each GPU, and one all-reduce
//
// A sharded array is an operand like any other. What is computed of it is computed where its parts are; a reduction
// over the split axis is a kernel on each member, and then one all-reduce. An array that is assigned such an expression
// gets the whole.
#pragma once

#include <sinter/array.hpp>
#include <sinter/slice.hpp>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter {

namespace codegen {
class mesh_device;
}

/// Devices that hold arrays in parts: members, numbered from 0. A handle: copies are the same mesh. All members may be
/// this process's, or one of them is, and the others are those of processes that run the same program: then all
/// processes evaluate the same expressions of sharded arrays in the same order. Before they exchange anything they
/// compare what they evaluate, by expression and shapes: where it differs, all of them throw, and say which brings
/// what. One that does not come within SINTER_MESH_TIMEOUT seconds (600) is an error of the others.
///
/// GPUs are connected by NCCL, which is opened at run time; members that are no GPUs, or the same one, by copies within
/// the process, and by sockets between processes. SINTER_NCCL names NCCL's file, or is `off`: then so are all GPUs.
class mesh {
public:
    /// Where a launcher has started several processes (SINTER_RANK and SINTER_SIZE, or the variables of Open MPI, PMI
    /// or Slurm): one member each, its current device, which is the CUDA device of its rank where nobody says
    /// otherwise. The processes are on one machine and find each other by the path SINTER_RENDEZVOUS, or by being
    /// children of one process. Else: all CUDA devices if the current device is one, or the current device alone.
    mesh();
    /// Of the given devices, all driven by this process. A device may occur more than once. Throws for no device at
    /// all, and where NCCL is missing for several GPUs.
    explicit mesh(std::span<const device> members);
    mesh(std::initializer_list<device> members) : mesh(std::span<const device>(members.begin(), members.size())) {}

    int size() const;  ///< of members in all processes
    /// This process's members: local(0) has the number first(), and so on.
    int local_size() const;
    int first() const;
    device local(int i) const;

    /// What connects the members: "NCCL 2.28.9".
    std::string link() const;
    /// Bytes that this process's members have given to others so far. An all-reduce of n bytes over p members counts
    /// 2 n (p - 1) / p for each: what each must give away at least.
    std::int64_t bytes_sent() const;

    friend bool operator==(const mesh&, const mesh&) = default;

    explicit mesh(std::shared_ptr<codegen::mesh_device> d) : d_(std::move(d)) {}
    const std::shared_ptr<codegen::mesh_device>& get() const { return d_; }

private:
    std::shared_ptr<codegen::mesh_device> d_;
};

/// Waits until all work submitted to this process's members is done.
void synchronize(const mesh& m);

namespace detail {

/// The first element and the number of those of a member's part of an axis.
struct axis_part {
    std::int64_t first;
    std::int64_t count;
};
axis_part local_part(const mesh& m, int i, std::int64_t extent);

/// Storage of parts on a mesh; axis -1: each is the whole.
storage_ref make_sharded(const mesh& m, int axis, dtype type, int rank, const std::int64_t* extents,
                         std::vector<storage_ref> parts);
/// Evaluates a program whose leaves are such storage.
storage_ref evaluate_sharded(const ir::program& program, const arguments_view& arguments, dtype type, int rank,
                             const std::int64_t* extents);
storage_ref resharded(const storage_ref& s, int axis);

mesh mesh_of(const storage_ref& s);
int axis_of(const storage_ref& s);
const storage_ref& part_of(const storage_ref& s, int i);
[[noreturn]] void throw_no_shards();

}  // namespace detail

/// An array of element type T with `Rank` axes whose elements are on the members of a mesh: in parts along one axis, as
/// even as may be and the larger ones first, or whole on every member. An expression (x + 1, sum(x, axis=0)) of sharded
/// arrays is evaluated by assigning it to one, which is then split as the expression is, or to an array, which gets the
/// whole; all its operands are sharded over one mesh, or scalars. Throws where operands are split along different axes,
/// or a member would need elements of others' parts (slices, scans, reshapes of the split axis): reshard() first.
/// Gradients are not taken of sharded arrays.
///
/// An axis of extent 0 or 1 is not split. A value: copies are O(1), and assignment makes fresh storage.
template <element_type T, int Rank>
class sharded : public expr<tree::leaf<dtype_of<T>, Rank>> {
    using base = expr<tree::leaf<dtype_of<T>, Rank>>;

public:
    using value_type = T;

    sharded() = default;
    /// Evaluates an expression of sharded arrays.
    template <class Tree>
    sharded(const expr<Tree>& e) {
        static_assert(Tree::rank == Rank, "sinter: the expression's rank is not the array's: sharded<T, rank>");
        static_assert(assignable(dtype_of<T>, Tree::type),
                      "sinter: assignment converts within a kind and upwards (bool, integer, floating, complex), not "
                      "down: say astype<T>(...) to convert");
        if constexpr (Tree::rank == Rank && assignable(dtype_of<T>, Tree::type)) {
            using program_tree = typename detail::root<Tree, dtype_of<T>>::type;
            this->leaves_.item[0] = detail::evaluate_sharded(detail::program_of<program_tree>, e.arguments(),
                                                             dtype_of<T>, Rank, e.shape().extent);
            this->shape_ = e.shape();
        }
    }
    template <class Tree>
    sharded& operator=(const expr<Tree>& e) {
        return *this = sharded(e);
    }
    /// Parts that are on the members already; for the library's own functions.
    sharded(detail::storage_ref s, const sinter::shape<Rank>& extents) {
        this->leaves_.item[0] = std::move(s);
        this->shape_ = extents;
    }

    const detail::storage_ref& storage() const {
        if (!this->leaves_.item[0]) detail::throw_no_shards();
        return this->leaves_.item[0];
    }
    mesh where() const { return detail::mesh_of(storage()); }
    /// Along which the members have parts; -1: each has the whole.
    int axis() const { return detail::axis_of(storage()); }
    /// The part of this process's i-th member, where it is: 0 <= i < where().local_size().
    array<T, Rank> shard(int i = 0) const { return array<T, Rank>(detail::part_of(storage(), i)); }
};

/// The parts of an array or an expression along one axis, dealt out to the members of a mesh. Every process gives the
/// same values. What reads no array (arange, random numbers, a constant) is computed by each member for its own part;
/// other parts are computed where the operands are, and copied.
template <operand A>
[[nodiscard]] auto scatter(const mesh& m, const A& a, detail::runtime_axes<1> which = axis = 0) {
    using e = detail::expr_of<const A&>;
    static_assert(e::rank > 0, "sinter: scatter needs an axis to deal out; replicate takes an operand of rank 0");
    using T = element_t<e::type>;
    int chosen = __builtin_ctz(detail::axis_mask("scatter", which, e::rank));
    const auto extents = a.shape();
    if (extents[chosen] < 2) chosen = -1;
    std::vector<detail::storage_ref> parts;
    for (int i = 0; i < m.local_size(); ++i) {
        const device_scope scope(m.local(i));
        auto v = detail::make_view<e::rank>(a);
        v.shape_ = extents;
        for (int s = 0; s < e::rank; ++s) {
            detail::axis_part p{0, extents[s]};
            if (s == chosen) p = detail::local_part(m, i, extents[s]);
            detail::set_axis(detail::own_integers(v), s, s, p.first, 1);
            v.shape_.extent[s] = p.count;
        }
        detail::set_extents(v, e::rank);
        parts.push_back(array<T, e::rank>(v).to(m.local(i)).storage());
    }
    return sharded<T, e::rank>(detail::make_sharded(m, chosen, e::type, e::rank, extents.extent, std::move(parts)),
                               extents);
}

/// An array or an expression, whole on every member of a mesh. Every process gives the same values.
template <operand A>
[[nodiscard]] auto replicate(const mesh& m, const A& a) {
    using e = detail::expr_of<const A&>;
    using T = element_t<e::type>;
    std::vector<detail::storage_ref> parts;
    for (int i = 0; i < m.local_size(); ++i) {
        const device_scope scope(m.local(i));
        // as a leaf: it has storage even where the array was default-constructed
        const auto values = array<T, e::rank>(detail::as_expr(a)).to(m.local(i)).as_expr();
        parts.push_back(values.leaves_.item[0]);
    }
    return sharded<T, e::rank>(detail::make_sharded(m, -1, e::type, e::rank, a.shape().extent, std::move(parts)),
                               a.shape());
}

/// The same array, whole on every member.
template <element_type T, int Rank>
[[nodiscard]] sharded<T, Rank> replicate(const sharded<T, Rank>& x) {
    return {detail::resharded(x.storage(), -1), x.shape()};
}

/// The same array, split along another axis.
template <element_type T, int Rank>
[[nodiscard]] sharded<T, Rank> reshard(const sharded<T, Rank>& x, detail::runtime_axes<1> which) {
    const int chosen = __builtin_ctz(detail::axis_mask("reshard", which, Rank));
    return {detail::resharded(x.storage(), x.shape()[chosen] < 2 ? -1 : chosen), x.shape()};
}

/// A sharded array, or an expression of some, as one array on the first of this process's members.
template <operand A>
[[nodiscard]] auto gather(const A& a) {
    return detail::evaluated(a);
}

}  // namespace sinter
