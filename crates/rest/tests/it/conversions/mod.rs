//! `separated_by`, `matrix` and custom conversions.

mod custom;
mod matrix;
mod separated_by;
