//! A real server on a real socket.
