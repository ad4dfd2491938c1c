//! tower in both directions: services and layers inside, applications as services.

mod applications;
mod layers;
mod levels;
mod services;
