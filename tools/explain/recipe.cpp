// Instantiates recipes: re-creates a program's nodes for the dtypes and shapes of other operands.
#include <sinter/error.hpp>
#include <tools/explain/recipe.hpp>

#include <cstring>

namespace sinter::spoken {
namespace {

class cook_of_one {
public:
    cook_of_one(const recipe& r, const cooking& how) : r_(r), how_(how) {}

    node_ref run() {
        for (int i = 0; i < r_.program->node_count; ++i) made_.push_back(make(r_.program->nodes[i]));
        return made_[static_cast<std::size_t>(r_.program->roots[0])];
    }

private:
    node_ref operand(const ir::node& n, int k) const { return made_[static_cast<std::size_t>(n.in[k])]; }
    const std::int64_t* integers(const ir::node& n) const { return r_.integers.data() + n.argument; }

    node_ref make(const ir::node& n) const {
        switch (n.what) {
            case ir::kind::leaf:
                return how_
                    .operands[static_cast<std::size_t>(r_.operand_of_leaf[static_cast<std::size_t>(n.argument)])];
            case ir::kind::scalar: return scalar(n);
            case ir::kind::elementwise: {
                std::vector<argument> in;
                if (n.op->rule == dtype_rule::chosen)
                    return join(*n.op, moments_of(operand(n, 1)->type), {operand(n, 0), operand(n, 1)});
                if (n.op->rule == dtype_rule::keyed) return join(*n.op, n.type, {operand(n, 0), operand(n, 1)});
                for (int k = 0; k < n.op->arity; ++k) in.emplace_back(operand(n, k));
                return applied(*n.op, in);
            }
            case ir::kind::cast: {
                const node_ref in = operand(n, 0);
                return in->type == n.type && !is_storage_only(n.type) ? in : cast(in, n.type);
            }
            case ir::kind::reduction: {
                const std::uint32_t axes = how_.collapsed ? how_.axes
                                           : n.axes_known ? n.axes
                                                          : static_cast<std::uint32_t>(*integers(n));
                return reduce(*n.op, operand(n, 0), {axes, n.keepdims || how_.keepdims, nullptr, nullptr});
            }
            case ir::kind::index_map:
                // all views of collapsed operands are broadcast_to their shape
                if (how_.collapsed) return stretched(operand(n, 0), how_.operands[0]->shape, how_.operands[0]->rank);
                return view(n, ir::index_map_integers(operand(n, 0)->rank, n.rank));
            case ir::kind::stop_gradient: return held(operand(n, 0));
            case ir::kind::reshape: return how_.reshaped ? reshaped(operand(n, 0)) : view(n, n.rank);
            case ir::kind::iota: return view(n, 1);
            default: throw error("sinter-explain does not support this function yet");
        }
    }

    node_ref scalar(const ir::node& n) const {
        const ir::scalar_bits bits = r_.scalars[static_cast<std::size_t>(n.argument)];
        if (how_.of_its_type && n.type == dtype::float32) {
            float value = 0;
            std::memcpy(&value, &bits, sizeof value);
            const dtype type = how_.operands[0]->type;
            node made = *constant_number({dtype::float64, 0, static_cast<double>(value)}, type);
            if (bits.origin >= ir::fixed_origin)
                made.value.origin = ir::fixed_origin + static_cast<std::uint64_t>(type);
            return std::make_shared<const node>(made);
        }
        node made;
        made.what = ir::kind::scalar;
        made.type = n.type;
        made.value = bits;
        return std::make_shared<const node>(made);
    }

    /// A node whose last `n.rank` integers are its extents.
    node_ref view(const ir::node& n, int count) const {
        node made;
        made.what = n.what;
        made.rank = n.rank;
        made.integers.assign(integers(n), integers(n) + count);
        for (int a = 0; a < n.rank; ++a)
            made.shape[static_cast<std::size_t>(a)] = made.integers[static_cast<std::size_t>(count - n.rank + a)];
        for (int k = 0; k < ir::max_operands && n.in[k] >= 0; ++k) made.in.push_back(operand(n, k));
        made.type = made.in.empty() ? n.type : made.in[0]->type;
        return std::make_shared<const node>(made);
    }

    node_ref reshaped(const node_ref& in) const {
        node made;
        made.what = ir::kind::reshape;
        made.type = in->type;
        made.rank = how_.reshaped->rank;
        made.shape = how_.reshaped->shape;
        made.integers.assign(made.shape.begin(), made.shape.begin() + made.rank);
        made.in = {in};
        return std::make_shared<const node>(made);
    }

    const recipe& r_;
    const cooking& how_;
    std::vector<node_ref> made_;
};

}  // namespace

recipe recipe_of(const ir::program& program, const detail::arguments_view& arguments,
                 const detail::storage* const* stand_ins) {
    recipe r;
    r.program = &program;
    for (int i = 0; i < program.leaves; ++i) {
        int which = 0;
        while (stand_ins[which] != arguments.leaves[i].get()) ++which;
        r.operand_of_leaf.push_back(which);
    }
    r.scalars.assign(arguments.scalars, arguments.scalars + program.scalars);
    r.integers.assign(arguments.integers, arguments.integers + program.integers);
    return r;
}

node_ref cook(const recipe& r, const cooking& how) { return cook_of_one(r, how).run(); }

}  // namespace sinter::spoken
