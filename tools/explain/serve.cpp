// An HTTP server with Boost.Beast: one thread, one request per connection, small limits. It only accepts local requests
// that name it as host, which rejects pages whose domain was rebound to it (DNS rebinding).
#include <fmt/format.h>
#include <sinter/error.hpp>
#include <tools/explain/playground.hpp>
#include <tools/explain/serve.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace sinter::spoken {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::uint32_t max_of_a_header = 16 << 10;
constexpr int max_connections = 64;  // concurrent; browsers open half a dozen
constexpr std::chrono::seconds patience(10);
constexpr std::size_t max_dropped = 1 << 20;

/// A request and its answer. Lives until its last operation completes.
class connection : public std::enable_shared_from_this<connection> {
public:
    connection(tcp::socket&& socket, int port, std::shared_ptr<int> open)
        : stream_(std::move(socket)), port_(port), open_(std::move(open)) {
        ++*open_;
        parser_.header_limit(max_of_a_header);
        parser_.body_limit(0);
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() { --*open_; }

    void begin() {
        stream_.expires_after(patience);
        http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code e, std::size_t) {
            if (!e) return self->answer();
            if (e == http::error::header_limit) return self->refuse(http::status::request_header_fields_too_large);
            if (e == http::error::body_limit) return self->refuse(http::status::payload_too_large);
            if (e == http::error::end_of_stream || e == beast::error::timeout) return;
            if (e.category() == make_error_code(http::error::bad_target).category())
                self->refuse(http::status::bad_request);
        });
    }

private:
    void answer() {
        const auto& request = parser_.get();
        const std::string host(request[http::field::host]);
        if (host != fmt::format("127.0.0.1:{}", port_) && host != fmt::format("localhost:{}", port_))
            return refuse(http::status::misdirected_request);
        if (request.method() != http::verb::get && request.method() != http::verb::head)
            return refuse(http::status::method_not_allowed);
        const spoken::answer a = answer_to(std::string(request.target()));
        send(static_cast<http::status>(a.status), a.type, a.text, request.method() == http::verb::head);
    }

    void refuse(http::status why) {
        send(why, "text/plain; charset=utf-8", std::string(http::obsolete_reason(why)) + "\n", false);
    }

    void send(http::status status, const std::string& type, const std::string& text, bool head) {
        response_ = {status, 11};
        response_.set(http::field::content_type, type);
        response_.set(http::field::cache_control, "no-store");
        response_.set("Content-Security-Policy",
                      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
                      "base-uri 'none'; frame-ancestors 'none'");
        response_.set("X-Content-Type-Options", "nosniff");
        response_.set("Referrer-Policy", "no-referrer");
        if (status == http::status::method_not_allowed) response_.set(http::field::allow, "GET, HEAD");
        response_.keep_alive(false);
        response_.content_length(text.size());
        if (!head) response_.body() = text;
        serializer_.emplace(response_);
        serializer_->split(head);
        stream_.expires_after(patience);
        const auto done = [self = shared_from_this()](beast::error_code, std::size_t) {
            beast::error_code ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            self->drop_rest();
        };
        if (head)
            http::async_write_header(stream_, *serializer_, done);
        else
            http::async_write(stream_, *serializer_, done);
    }

    /// Reads what still comes, up to a limit: closing before that would reset the connection, and the answer with it.
    void drop_rest() {
        if (dropped_ > max_dropped) return;
        stream_.async_read_some(asio::buffer(rest_),
                                [self = shared_from_this()](beast::error_code e, std::size_t bytes) {
                                    self->dropped_ += bytes;
                                    if (!e) self->drop_rest();
                                });
    }

    beast::tcp_stream stream_;
    const int port_;
    const std::shared_ptr<int> open_;
    beast::flat_buffer buffer_{max_of_a_header + 1024};
    http::request_parser<http::empty_body> parser_;
    http::response<http::string_body> response_;
    std::optional<http::response_serializer<http::string_body>> serializer_;
    std::array<char, 4096> rest_;
    std::size_t dropped_ = 0;
};

/// Accepts connections, up to the limit.
class listener {
public:
    listener(asio::io_context& io, int port) : acceptor_(io) {
        if (port < 0 || port > 65535) throw error(fmt::format("--serve {}: a port is from 0 to 65535", port));
        const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port));
        beast::error_code e;
        acceptor_.open(here.protocol(), e);
        if (!e) acceptor_.set_option(asio::socket_base::reuse_address(true), e);
        if (!e) acceptor_.bind(here, e);
        if (!e) acceptor_.listen(asio::socket_base::max_listen_connections, e);
        if (e)
            throw error(
                fmt::format("--serve {}: {}; choose another port, or 0 for one that is free", port, e.message()));
    }

    int port() const { return acceptor_.local_endpoint().port(); }

    void accept() {
        acceptor_.async_accept([this](beast::error_code e, tcp::socket socket) {
            if (e == asio::error::operation_aborted) return;
            if (!e && *open_ < max_connections) std::make_shared<connection>(std::move(socket), port(), open_)->begin();
            accept();
        });
    }

private:
    tcp::acceptor acceptor_;
    std::shared_ptr<int> open_ = std::make_shared<int>(0);
};

}  // namespace

void serve(int port) {
    asio::io_context io;
    listener on(io, port);
    asio::signal_set told_to_end(io, SIGINT, SIGTERM);
    told_to_end.async_wait([&](beast::error_code, int) { io.stop(); });
    on.accept();
    std::printf("http://127.0.0.1:%d/\n", on.port());
    std::fflush(stdout);
    io.run();
}

}  // namespace sinter::spoken
