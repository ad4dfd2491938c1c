//! `separated_by`, `matrix` and conversions of your own.

mod custom;
mod matrix;
mod separated_by;
