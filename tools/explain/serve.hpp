// Serves the playground on this machine.
#pragma once

namespace sinter::spoken {

/// Serves the playground on 127.0.0.1 until the process is terminated (SIGINT, SIGTERM). Prints the address once it is
/// ready. Port 0 selects a free port. Throws sinter::error if the port is not available.
void serve(int port);

}  // namespace sinter::spoken
