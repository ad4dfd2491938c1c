//! tower services and layers, in both directions.
